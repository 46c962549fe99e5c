"""The command line: exit status, and errors of one sentence."""

import json
import subprocess
import sys

import numpy as np
import pytest

import sweeptree
from sweeptree import cli
from sweeptree.cli.parser import SECTIONS, TREE_KINDS
from sweeptree.cli.showing import as_json
from sweeptree.datasets import load_votes
from sweeptree.experiments import plan
from sweeptree.experiments.fitting import Length
from sweeptree.interpretation.representative import KINDS
from sweeptree.table_files import TableFileError


@pytest.fixture
def tiny(monkeypatch):
    scale = plan.Scale(Length(100, 40, 2), 2, 1, Length(100, 40, 2))
    monkeypatch.setattr("sweeptree.experiments.strategies.QUICK", scale)


@pytest.fixture
def votes_file(written):
    votes = load_votes()
    lines = [",".join(["party", *votes.feature_names])]
    for row, label in zip(votes.data[::4], votes.target[::4], strict=True):
        lines.append(",".join([str(votes.target_names[label]), *map(str, row)]))
    return written("\n".join(lines) + "\n")


def test_choices_are_those_of_the_library():
    assert SECTIONS == plan.SECTIONS
    assert TREE_KINDS == KINDS


COMMANDS = [
    *("fit", "predict", "evaluate", "explain", "tree", "summary"),
    *("report", "compare", "datasets", "demo", "reproduce", "completion"),
]
HEAVY = ("numpy", "scipy", "sklearn", "rich", "pandas", "importlib.metadata")
CALLS = """
import sys
from sweeptree.cli import main
for call in {calls}:
    try: main(call)
    except SystemExit as stopped: assert stopped.code == 0
print([name for name in {heavy} if name in sys.modules])
"""


def test_help_imports_nothing_heavy_and_has_an_example_of_each_command():
    calls = [["--help"], *([command, "--help"] for command in COMMANDS)]
    code = CALLS.format(calls=calls, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
    assert done.stdout.count("example:\n") == len(COMMANDS)
    assert "--n-burn-in" in done.stdout


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"sweeptree {sweeptree.__version__}\n"


def test_public_names_are_imported_when_they_are_asked_for():
    assert set(dir(sweeptree)) == set(sweeptree.__all__)
    for name in sweeptree.__all__:
        assert getattr(sweeptree, name)
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        sweeptree.lode  # noqa: B018


def test_an_error_shows_its_traceback_only_if_asked_to(written, fails):
    call = ["fit", written(""), "--target", "kind"]
    fails(call, 1)
    with pytest.raises(TableFileError):
        cli.main([*call, "--debug"])


@pytest.mark.parametrize("name", ["n_jobs", "n_jobs.npz", "n_jobs=4"])
def test_files_called_like_parameters_keep_their_names(name, tmp_path, fails, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("broken")
    assert fails(["summary", name], 1).startswith(f"sweeptree: {name} cannot be loaded")


def test_columns_called_like_parameters_keep_their_names(written, fails):
    path = written("n_jobs,max_leaves\n1,a\n")
    message = fails(["fit", path, "--target", "outcome"], 2)
    assert "'n_jobs', 'max_leaves'" in message


def test_an_unexpected_error_is_one_sentence_too(written, fails, monkeypatch):
    def broken(*_, **__):
        raise KeyError("what")

    monkeypatch.setattr("sweeptree.cli.training.read_table", broken)
    err = fails(["fit", written("x"), "--target", "kind"], 1)
    assert "Unexpected KeyError: 'what' (--debug shows" in err


def test_interrupting_is_one_sentence(written, fails, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("sweeptree.cli.training.read_table", interrupted)
    assert fails(["fit", written("x"), "--target", "kind"], 1) == "sweeptree: Interrupted.\n"


@pytest.mark.slow
@pytest.mark.parametrize("call", [["datasets", "export", "injury"], ["datasets"]])
def test_a_closed_pipe_ends_quietly(call):
    process = subprocess.Popen(
        [sys.executable, "-m", "sweeptree", *call],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 0


def test_json_has_no_nan():
    record = {"a": np.array([np.nan, 1.0]), "b": [np.inf, np.float32(2)], "c": {np.int64(1): None}}
    assert json.loads(as_json(record)) == {"a": [None, 1.0], "b": [None, 2.0], "c": {"1": None}}


def test_compare_shows_every_strategy_under_both_likelihoods(votes_file, tiny, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["compare", votes_file, "--target", "party", "--quick", "--n-jobs", "2"]) == 0
    shown = capsys.readouterr().out
    tables = shown.split("Strategies compared, ")[1:]
    assert [table.split()[0] for table in tables] == ["plug-in", "marginal"]
    for table in tables:
        first_words = [line.split()[0] for line in table.splitlines() if line.strip()]
        assert {"standard", "sweeping", "exact"} <= set(first_words)
        assert "…" not in table
    assert cli.main(["compare", votes_file, "--target", "party", "--quick", "--n-jobs", "1"]) == 0
    assert capsys.readouterr().out == shown


def test_compare_takes_more_than_two_classes(written, tiny, capsys):
    rng = np.random.default_rng(0)
    rows = [f"{x:.3f};{'abc'[int(3 * x)]}" for x in rng.random(90)]
    path = written("x;kind\n" + "\n".join(rows))
    assert cli.main(["compare", path, "--target", "kind", "--quick"]) == 0
    assert "exact" in capsys.readouterr().out


def test_compare_notes_a_column_that_only_names_the_rows_and_can_drop_it(written, tiny, capsys):
    rows = [f"P{i:02},{i % 7},{'ab'[i % 7 > 3]}" for i in range(40)]
    call = ["compare", written("id,x,kind\n" + "\n".join(rows)), "--target", "kind", "--quick"]
    assert cli.main(call) == 0
    noted = capsys.readouterr().err
    assert noted.count("'id' has a different text in nearly each row") == 1
    assert "leave it out with --drop 'id'" in noted
    assert cli.main([*call, "--drop", "id"]) == 0
    assert "'id'" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sections"),
    [
        ([], ["tables", "figures", "readings", "bias"]),
        (["--only", "bias", "--only", "tables"], ["tables", "bias"]),
    ],
)
def test_sections_to_reproduce_may_be_given_one_by_one(options, sections, capsys, monkeypatch):
    monkeypatch.setattr("sweeptree.cli.commands.reproduce.reproduce", lambda *_, **__: None)
    assert cli.main(["reproduce", *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sections"] == sections


@pytest.mark.parametrize("command", ["fit", "compare"])
def test_the_target_cannot_be_dropped(command, written, fails):
    path = written("x,y,kind\n1,2,a\n3,4,b\n")
    words = "--drop names 'kind', which is the column of the classes"
    assert words in fails([command, path, "--target", "kind", "--drop", "x", "kind"], 2)


ROWS = "1,2,a\n3,4,b\n" * 5


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("x,height,kind\n" + ROWS, 2, "did you mean 'kind'?"),
        ("x,y,kin\n" + "1,2,a\n" * 9, 1, "only one class, 'a'"),
        ("x,y,kin\n" + ROWS + "1,2,c\n", 1, "Class 'c' of column 'kin' has 1 row;"),
        ("kin\n" + "a\nb\n" * 5, 1, "no column beside the target"),
    ],
)  # fmt: skip
def test_errors_of_compare_are_one_sentence(text, status, message, written, fails):
    options = ["--target", "kin", "--quiet"]
    assert message in fails(["compare", written(text), *options], status)


def test_too_few_rows_for_the_leaves_are_one_sentence(written, capsys):
    path = written("x,y,kin\n" + ROWS)
    options = ["--target", "kin", "--quick", "--min-samples-leaf", "50"]
    assert cli.main(["compare", path, *options]) == 1
    assert "--min-samples-leaf=50 needs at least 100" in capsys.readouterr().err


def test_an_output_that_is_no_directory_is_one_sentence(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    options = ["--quick", "--only", "bias", "--output", str(tmp_path / "file")]
    assert cli.main(["reproduce", *options]) == 1
    err = capsys.readouterr().err
    assert str(tmp_path / "file") in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["reproduce", "--only", "nothing"],
        ["reproduce", "--n-jobs", "0"],
        ["reproduce", "--random-state", "-1"],
        ["compare", "table.csv"],
        ["predict", "m.sweeptree", "table.csv", "--level", "1"],
        ["explain", "m.sweeptree", "table.csv", "--row", "-1"],
        ["tree", "m.sweeptree", "--svg", "--dot"],
        ["fit", "table.csv", "--target", "kin", "--n-chain", "2"],
        ["compare", "table.csv", "--target", "kin", "--min-samples-leaf", "none"],
    ],
)
def test_wrong_calls_have_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "command", "words"),
    [
        ("fit t.csv --target y --max-second 9", "fit", "--max-second; did you mean --max-seconds?"),
        ("fit --max-second=9 t.csv --target y", "fit", "--max-second; did you mean --max-seconds?"),
        ("predict m t.csv --zzz", "predict", "no option --zzz; `sweeptree predict --help`"),
        ("tree m other", "tree", "'other' is one word too many;"),
        ("datasets export votes --ouput f", "datasets export", "did you mean --output?"),
    ],
)  # fmt: skip
def test_an_unknown_option_is_told_by_its_command(call, command, words, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(call.split())
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith(f"usage: sweeptree {command} ")
    assert words in err
    assert err.endswith(f"`sweeptree {command} --help` has all options.\n")
