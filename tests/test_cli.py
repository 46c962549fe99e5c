"""The command line: exit status, and errors of one sentence."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sweeptree.experiments.csv_file import read_csv

from sweeptree import cli
from sweeptree.datasets import load_votes
from sweeptree.experiments import plan
from sweeptree.experiments.fitting import Length


@pytest.fixture
def tiny(monkeypatch):
    scale = plan.Scale(Length(100, 40, 2), 2, 1, Length(100, 40, 2))
    monkeypatch.setattr("sweeptree.experiments.strategies.QUICK", scale)


@pytest.fixture
def written(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def votes_file(written):
    votes = load_votes()
    lines = [",".join(["party", *votes.feature_names])]
    for row, label in zip(votes.data[::4], votes.target[::4], strict=True):
        lines.append(",".join([str(votes.target_names[label]), *map(str, row)]))
    return written("\n".join(lines) + "\n")


def test_sections_are_those_of_the_plan():
    assert cli.SECTIONS == plan.SECTIONS


def test_help_does_not_import_what_only_commands_need():
    code = (
        "import sys\n"
        "from sweeptree.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('matplotlib', 'sweeptree.experiments', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
    assert "reproduce" in done.stdout
    assert "compare" in done.stdout


def test_compare_shows_every_strategy_under_both_likelihoods(votes_file, tiny, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["compare", votes_file, "--target", "party", "--quick", "--jobs", "2"]) == 0
    shown = capsys.readouterr().out
    tables = shown.split("Strategies compared, ")[1:]
    assert [table.split()[0] for table in tables] == ["plug-in", "marginal"]
    for table in tables:
        first_words = [line.split()[0] for line in table.splitlines() if line.strip()]
        assert {"standard", "sweeping", "exact"} <= set(first_words)
        assert "…" not in table
    assert cli.main(["compare", votes_file, "--target", "party", "--quick", "--jobs", "1"]) == 0
    assert capsys.readouterr().out == shown


def test_compare_takes_more_than_two_classes(written, tiny, capsys):
    rng = np.random.default_rng(0)
    rows = [f"{x:.3f};{'abc'[int(3 * x)]}" for x in rng.random(90)]
    path = written("x;kind\n" + "\n".join(rows))
    assert cli.main(["compare", path, "--target", "kind", "--quick"]) == 0
    assert "exact" in capsys.readouterr().out


ROWS = "1,2,a\n3,4,b\n" * 5


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("x,height,kind\n" + ROWS, 2, "did you mean 'kind'?"),
        ("x,colour,kin\n" + ROWS.replace("4", "red"), 1, "Column 'colour' holds text ('red' in"),
        ("x,y,kin\n" + ROWS.replace("4", ""), 1, "Column 'y' has no finite number in row 2"),
        ("x,y,kin\n" + ROWS.replace("4", "inf"), 1, "Column 'y' has no finite number in row 2"),
        ("x,y,kin\n" + ROWS + "1,2\n", 1, "Row 11 of"),
        ("x,x,kin\n" + ROWS, 1, "two columns called 'x'"),
        ("x,y,kin\n" + "1,2,a\n" * 9, 1, "only one class, 'a'"),
        ("x,y,kin\n" + ROWS + "1,2,c\n", 1, "Class 'c' of column 'kin' has 1 rows"),
        ("kin\n" + "a\nb\n" * 5, 1, "no column beside the target"),
        ("x,y,kin\n", 1, "no rows"),
        ("", 1, "no rows"),
    ],
)  # fmt: skip
def test_errors_of_compare_are_one_sentence(text, status, message, written, capsys):
    assert cli.main(["compare", written(text), "--target", "kin"]) == status
    out, err = capsys.readouterr()
    assert message in err
    assert err.startswith("sweeptree: ")
    assert err.count("\n") == 1
    assert out == ""


def test_too_few_rows_for_the_leaves_are_one_sentence(written, capsys):
    path = written("x,y,kin\n" + ROWS)
    options = ["--target", "kin", "--quick", "--min-samples-leaf", "50"]
    assert cli.main(["compare", path, *options]) == 1
    assert "min_samples_leaf=50 needs at least 100" in capsys.readouterr().err


def test_files_that_cannot_be_read_are_one_sentence(tmp_path, capsys):
    assert cli.main(["compare", str(tmp_path / "none.csv"), "--target", "kin"]) == 1
    assert "No such file" in capsys.readouterr().err
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00\x01")
    assert cli.main(["compare", str(tmp_path / "binary.csv"), "--target", "kin"]) == 1
    assert "not a text file" in capsys.readouterr().err


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
        ["reproduce", "--jobs", "0"],
        ["reproduce", "--seed", "-1"],
        ["compare", "table.csv"],
        ["compare", "table.csv", "--target", "kin", "--min-samples-leaf", "none"],
    ],
)
def test_wrong_calls_have_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_a_csv_file_may_come_from_a_spreadsheet(written):
    path = written("\ufeffx\t kind \n1\tb\n\n" + "2\t a\n1\tb\n" * 5)
    table = read_csv(Path(path), "kind")
    assert table.columns == ["x"]
    assert table.classes == ["a", "b"]
    assert table.rows.X[:3, 0].tolist() == [1.0, 2.0, 1.0]
    assert table.rows.y[:3].tolist() == [1, 0, 1]
