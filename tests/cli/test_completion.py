"""Completion in shells: bash is really run."""

import json
import shutil
import subprocess

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


def test_where_nothing_is_known_bash_offers_files(complete, tmp_path, capsys):
    assert complete("fit", "") == []
    assert cli.main(["completion", "bash"]) == 0
    assert "complete -o default" in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_valid_where_its_shell_is_installed(shell, capsys, tmp_path):
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(command in script for command in COMMANDS)
    if shutil.which(shell):
        path = tmp_path / "script"
        path.write_text(script)
        subprocess.run([shell, "-n", str(path)], check=True)


def test_a_script_may_come_as_json(capsys):
    assert cli.main(["completion", "fish", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shell"] == "fish"
