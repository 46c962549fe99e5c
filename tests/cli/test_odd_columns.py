"""Notes on text that had better be something else: one for each column, that says what to do."""

import numpy as np
import pytest

from patients import FIT
from sweeptree import cli
from sweeptree.cli.odd_columns import notes_on_columns
from sweeptree.table_files import read_table, table_writer

ROWS = range(60)


def column(cell, odd=None):
    """Cells of sixty rows; the first of twenty is the odd one, if there is one."""
    return [cell(i) if odd is None or i % 20 else odd for i in ROWS]


def day(i):
    return f"{1990 + i % 30}-{1 + i % 12:02}-{1 + i % 28:02}"


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (column(day, "unknown"), "most of it is dates, but line 2 has 'unknown'; correct such"),
        (column(day, "2024-02-30"), "'2024-02-30', which is no day of the calendar; correct such"),
        (column(lambda i: f"{1 + i % 28}-Mar-{1990 + i % 30}"), "write them as YYYY-MM-DD"),
        (column(lambda i: f"{1 + i % 28}.3.{1990 + i % 30}", "unknown"), "beside 'unknown', so"),
        (column(lambda i: day(i)[:7]), "write whole dates, such as 2024-05-01 for 2024-05"),
        (column(lambda i: f"{50 + i} kg"), "numbers with their unit as text, such as '100 kg'"),
        (column(lambda i: f"{i}%"), "write the numbers alone, and the unit in the column's name"),
        (column(lambda i: f"{i}.25", "<0.5"), "most of it is numbers, but line 2 has '<0.5'"),
        (
            column(lambda i: f"{i}.25" if i % 5 < 2 else "<0.5"),
            "most of it is numbers, such as '0.25', but there is '<0.5'",
        ),
        (column(lambda i: f"P{i}"), "leave it out with --drop 'x' unless"),
    ],
)
def test_odd_text_is_noted_once(cells, words, written):
    path = written("x,y\n" + "".join(f"{cell},{i * i}\n" for i, cell in enumerate(cells)))
    table = read_table(path)
    (note,) = [*table.notes, *notes_on_columns(table.columns)]
    assert note.startswith("Column 'x' ")
    assert words in note


@pytest.mark.parametrize(
    ("cell", "words"),
    [("{}.25", "write it as numbers if it is no code"), ("{}0115", "leave it out with --drop 'x'")],
)
def test_numbers_in_text_of_parquet_are_noted_once(cell, words, tmp_path):
    pytest.importorskip("pyarrow")
    path = str(tmp_path / "t.parquet")
    with table_writer(path) as write:
        write({"x": np.array([cell.format(10 + i) for i in ROWS], dtype=object)})
    table = read_table(path)
    (note,) = [*table.notes, *notes_on_columns(table.columns)]
    assert words in note


GERMAN = "crp;cost;kind\n" + "".join(f"{i % 9},5;{i};{'ab'[i % 2]}\n" for i in ROWS)
THOUSANDS = GERMAN + "0,5;1.218;a\n"


def test_thousands_beside_decimal_commas_are_noted(written, capsys):
    options = [option for option in FIT if option != "--quiet"]
    assert cli.main(["fit", written(THOUSANDS), "--target", "kind", *options]) == 0
    err = capsys.readouterr().err
    assert "Column 'cost' is taken as text: line 62 has '1.218', which may be a number" in err


def test_a_model_of_numbers_does_not_guess_what_thousands_are(written, tmp_path, fails):
    model = str(tmp_path / "m.sweeptree")
    assert cli.main(["fit", written(GERMAN), "--target", "kind", "-o", model, *FIT]) == 0
    words = "line 62, column 'cost': 1.218 may be a number with decimals or with its thousands"
    assert words in fails(["predict", model, written(THOUSANDS), "-o", "-"], 1)
