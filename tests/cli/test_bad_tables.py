"""Tables that cannot be used as they are: one sentence each, through the command line."""

import sys
from pathlib import Path

import numpy as np
import pytest

from patients import FIT, patients
from sweeptree import cli, load

ROWS = "1,2,a\n3,4,b\n" * 10
TABLE = "x,y,kind\n" + ROWS


def fit(path, target="kind"):
    return ["fit", path, "--target", target, *FIT]


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("", 1, "is empty; it needs a header line"),
        ("x,y,kind\n", 1, "has no rows below its header line"),
        ("x,y,kind\n1,2,a\n", 1, "Column 'kind' of {} has only one class, 'a'"),
        ("x,y,kind\n" + "1,2,a\n" * 9, 1, "only one class, 'a'; at least two are needed"),
        (TABLE + "1,2,\n3,4,NA\n", 1, "no class in lines 22, 23 (empty, NA, ? and the like)"),
        (TABLE.replace(",a\n", ",1.5\n").replace(",b\n", ",2\n"), 1, "not whole (1.5 in line 2)"),
        ("x,x,kind\n" + ROWS, 1, "has several columns called 'x'; rename"),
        (TABLE + "1,2\n", 1, "Line 22 of {} has 2 cells, but the header has 3"),
        (TABLE + "1,2,3,4\n", 1, "Line 22 of {} has 4 cells"),
        (TABLE + "inf,2,a\n", 1, "{}, line 22, column 'x': inf is not a finite number"),
        (TABLE + "1,-1e999,a\n", 1, "{}, line 22, column 'y': -1e999 is not a finite number"),
        ("kind\n" + "a\nb\n" * 9, 1, "no column to learn from beside the target"),
        ("x,y,kin\n" + ROWS, 2, "has no column 'kind'; did you mean 'kin'?"),
        (",,\n" + ROWS, 2, "has no column 'kind'; is it another table?"),
        (TABLE.encode() + b"1,caf\xe9,a\n", 1, "Line 22 of {} is not UTF-8 (byte 0xe9)"),
        ("x,y,kind\n".encode("utf-16"), 1, "iconv -f UTF-16 -t UTF-8"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_a_sentence(text, status, words, written, fails):
    path = written(text)
    assert words.format(path) in fails(fit(path), status)
    assert not Path(path).with_suffix(".sweeptree").exists()


def test_mixed_types_are_noted_with_the_first_odd_cell(written, capsys):
    options = [option for option in FIT if option != "--quiet"]
    cli.main(["fit", written(TABLE + "many,1,a\n"), "--target", "kind", *options])
    note = capsys.readouterr().err.splitlines()[0]
    assert "Column 'x' is taken as text: most of it is numbers, but line 22 has 'many'" in note


@pytest.mark.slow
def test_ten_thousand_columns_work(written, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((20, 10_000)).round(3)
    lines = [",".join([*(f"x{c}" for c in range(X.shape[1])), "kind"])]
    lines += [",".join([*map(str, row), "ab"[int(row[7] > 0.5)]]) for row in X]
    assert cli.main([*fit(written("\n".join(lines))), "-o", str(tmp_path / "m")]) == 0
    assert load(tmp_path / "m").n_features_in_ == 10_000


@pytest.mark.parametrize("command", ["fit", "compare"])
def test_places_that_are_no_tables(command, tmp_path, fails):
    directory, none = str(tmp_path), str(tmp_path / "none.csv")
    assert f"{directory} is a directory" in fails([command, directory, "--target", "x"], 1)
    assert ". is a directory" in fails([command, ".", "--target", "x"], 1)
    assert f"Cannot use {none}: No such file" in fails([command, none, "--target", "x"], 1)
    sheet = str(tmp_path / "t.xlsx")
    words = f"{sheet} cannot be read: .xlsx is not a table format"
    assert words in fails([command, sheet, "--target", "x"], 2)


def test_outputs_that_cannot_be_written_are_told_before_any_work(written, tmp_path, fails, trained):
    path = written("\n".join(patients(60)))
    call = [*fit(path, "outcome"), "--n-burn-in", "1000000000"]
    assert "it is a directory" in fails([*call, "-o", str(tmp_path)], 1)
    below_file = str(Path(path) / "m.sweeptree")
    assert f"{path}: it is a file" in fails([*call, "-o", below_file], 1)
    assert "end it in .csv or .parquet" in fails(["predict", *trained, "-o", "out.xlsx"], 2)
    assert "end it in .csv or .parquet" in fails(["predict", *trained, "-o", "out"], 2)


def test_a_missing_pyarrow_names_the_extra(written, fails, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert 'pip install "sweeptree[parquet]"' in fails(fit(written("", "t.parquet")), 1)


def test_a_damaged_parquet_file_is_told(written, fails):
    pytest.importorskip("pyarrow")
    path = written("PAR1 and nothing else", "t.parquet")
    assert f"{path} is no Parquet file" in fails(fit(path), 1)
