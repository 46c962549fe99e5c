"""Completion in shells, which are really run: bash, and zsh and fish where they are installed."""

import json
import os
import re
import select
import shutil
import subprocess
import sys

import pytest

from sweeptree import cli
from sweeptree.cli.estimator_options import estimator_options

COMMANDS = [
    *("fit", "predict", "evaluate", "explain", "tree", "summary"),
    *("report", "compare", "datasets", "demo", "reproduce", "completion"),
]


@pytest.fixture
def complete(capsys):
    """Asks bash what it offers for the last of some words."""
    assert cli.main(["completion", "bash"]) == 0
    script = capsys.readouterr().out

    def ask(*words):
        line = " ".join(f"'{word}'" for word in ("sweeptree", *words))
        code = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}; _sweeptree\n"
        code += 'printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    return ask


def test_commands_are_offered(complete):
    assert complete("") == [*COMMANDS, "--help", "--version"]
    assert complete("e") == ["evaluate", "explain"]


def test_options_of_a_command_are_offered(complete):
    offered = complete("fit", "table.csv", "--")
    assert {"--target", "--drop", "--json", "--quiet", "--debug", "--help"} <= set(offered)
    assert {option.flag for option in estimator_options()} <= set(offered)
    assert complete("tree", "m", "--k") == ["--kind"]
    assert "--strategy" not in complete("predict", "-")


def test_values_of_an_option_are_offered(complete):
    assert complete("fit", "t.csv", "--strategy", "s") == ["standard", "sweeping"]
    assert complete("tree", "m", "--kind", "") == ["map", "confident", "central"]
    assert complete("completion", "") == ["bash", "zsh", "fish"]
    assert complete("datasets", "e") == ["export"]
    assert complete("datasets", "export", "votes", "-o", "e") == []


def test_where_nothing_is_known_bash_offers_files(complete, tmp_path, capsys):
    assert complete("fit", "") == []
    assert cli.main(["completion", "bash"]) == 0
    assert "complete -o default" in capsys.readouterr().out


@pytest.fixture
def script(request, capsys, tmp_path):
    """The file of a script for the shell that is asked for, if that is installed."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    assert cli.main(["completion", request.param]) == 0
    path = tmp_path / "script"
    path.write_text(capsys.readouterr().out)
    return path


LINES = {
    "sweeptree ev": "evaluate",
    "sweeptree fit t.csv --strategy sw": "sweeping",
    "sweeptree tree m --k": "--kind",
    "sweeptree completion z": "zsh",
    "sweeptree datasets e": "export",
    "sweeptree datasets export votes -o scr": "script",
}


@pytest.mark.parametrize("script", ["fish"], indirect=True)
@pytest.mark.parametrize("line", LINES)
def test_fish_offers_what_fits(line, script, tmp_path):
    code = f"source {script}; complete -C '{line}'"
    done = subprocess.run(
        ["fish", "-N", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert [offer.split("\t")[0] for offer in done.stdout.splitlines()] == [LINES[line]]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
@pytest.mark.parametrize("script", ["zsh"], indirect=True)
def test_zsh_completes_what_is_typed(script):
    found = {line: typed_in_zsh(line, script) for line in LINES}
    expected = {line: line[: line.rindex(" ") + 1] + end for line, end in LINES.items()}
    assert found == expected


def typed_in_zsh(line, script):
    """Type a line and a tab into a shell in a terminal, and return what then stands there."""
    import pty

    process, terminal = pty.fork()
    if process == 0:
        os.chdir(script.parent)
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "PS1": ""})
    with os.fdopen(terminal, "r+b", buffering=0) as screen:
        screen.write(b"autoload -U compinit; compinit -u -D; source ./script; print RE''ADY\n")
        read_until(screen, r"READY\r\n")
        screen.write(
            line.encode() + b"\t\x01print -r -- '<\x05>'\n"
        )  # quotes all that stands there
        typed = read_until(screen, r"\n<(.*?)>\r\n")
        screen.write(b"exit\n")
        os.waitpid(process, 0)
    return typed[1]


def read_until(screen, pattern):
    shown = ""
    while not (found := re.search(pattern, shown)):
        assert select.select([screen], [], [], 30)[0], f"the shell fell silent after {shown!r}"
        shown += screen.read(4096).decode()
    return found


def test_a_script_may_come_as_json(capsys):
    assert cli.main(["completion", "fish", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shell"] == "fish"
