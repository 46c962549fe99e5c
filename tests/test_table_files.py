"""Reading and writing tables in files."""

import gzip
import io
import os
import threading
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweeptree.table_files import (
    Table,
    TableFileError,
    WrongColumnError,
    labels_of,
    read_chunks,
    read_names,
    read_table,
    table_writer,
)
from sweeptree.table_files.cells import MISSING
from sweeptree.table_files.csv_rows import CsvRows
from sweeptree.table_files.table import check_has


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, **options):
        path = tmp_path / "table.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(str(path), **options)

    return write_and_read


def column(read, *cells, **options):
    """Read a column of cells beside one that is never empty."""
    return read("x,i\n" + "\n".join(f'"{cell}",1' for cell in cells), **options).columns["x"]


@pytest.mark.parametrize("mark", sorted(MISSING))
def test_every_mark_of_missing_values_is_one_with_space_around_it(read, mark):
    np.testing.assert_array_equal(column(read, "1", f" {mark} ", "2.5"), [1.0, np.nan, 2.5])
    assert column(read, "a", f" {mark} ").tolist() == ["a", None]
    assert column(read, "true", mark).tolist() == [True, None]
    assert np.isnat(column(read, "2024-05-01", mark)).tolist() == [False, True]


def test_marks_of_missing_values_are_those_documented():
    documented = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", "-"]
    assert sorted(documented) == sorted(MISSING)


def test_columns_are_what_all_their_cells_are(read):
    assert column(read, "1", "-2e3", " +.5 ").tolist() == [1.0, -2000.0, 0.5]
    assert column(read, "007", "12").tolist() == [7.0, 12.0]
    truth = column(read, "TRUE", "false", "True")
    assert truth.dtype == bool
    assert truth.tolist() == [True, False, True]
    assert column(read, "true", "1").tolist() == ["true", "1"]
    assert column(read, "1_000", "2").tolist() == ["1_000", "2"]


def test_dates_are_moments_in_utc(read):
    dates = column(read, "2024-05-01", "2024-05-01T12:30", "2024-05-01 14:00:00+02:00", "NA")
    assert dates.dtype == "datetime64[us]"
    assert dates[:3].tolist() == [
        datetime(2024, 5, 1),
        datetime(2024, 5, 1, 12, 30),
        datetime(2024, 5, 1, 12),
    ]
    assert column(read, "2024-05-01", "01.05.2024").tolist() == ["2024-05-01", "01.05.2024"]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_a_line_that_tells_excel_the_separator_is_passed_over(read, start):
    table = read(start + b"sep=;\r\nx, kg;kind\r\n1,5;a\r\n2;b\r\n")
    assert table.columns["x, kg"].tolist() == [1.5, 2.0]
    assert table.places.tolist() == [3, 4]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_ends_of_lines_are_found(read, delimiter, end):
    lines = [delimiter.join(cells) for cells in (("x", "kind"), ("1", "a"), ("", "b b"))]
    table = read(end.join(lines) + end)
    np.testing.assert_array_equal(table.columns["x"], [1.0, np.nan])
    assert table.columns["kind"].tolist() == ["a", "b b"]
    assert table.places.tolist() == [2, 3]


def test_a_file_from_a_spreadsheet_is_read(read):
    table = read(b"\xef\xbb\xbfweight, kg; kind \r\n\r\n80,5; a\r\n1;b\r\n")
    assert list(table.columns) == ["weight, kg", "kind"]
    assert table.columns["weight, kg"].tolist() == [80.5, 1.0]
    assert table.columns["kind"].tolist() == ["a", "b"]
    assert table.places.tolist() == [3, 4]


def test_decimal_commas_are_numbers_only_between_semicolons(read):
    assert read("x;y\n1,5;a\n2;b\n").columns["x"].tolist() == [1.5, 2.0]
    assert read("x\ty\n1,5\ta\n").columns["x"].tolist() == ["1,5"]
    assert read("x;y\n1.234,5;a\n").columns["x"].tolist() == ["1.234,5"]


def test_quoted_cells_may_hold_delimiters_quotes_and_lines(read):
    table = read('x,text\n1,"a, ""b""\nc"\n2,d\n')
    assert table.columns["text"].tolist() == ['a, "b"\nc', "d"]
    assert table.places.tolist() == [2, 4]


def test_lines_in_errors_count_lines_inside_of_quotes(read):
    with pytest.raises(TableFileError, match=r"Line 4 of .* has 1 cell, but the header has 2"):
        read('x,text\n1,"a\nb"\n2\n')


def test_an_open_quote_is_told(read):
    with pytest.raises(TableFileError, match=r"Line 3 of .*quote"):
        read("x,y\n1,2\n" + '3,"' + "4,5\n" * 50_000)


def test_mostly_numbers_are_noted_and_mostly_words_are_not(read):
    table = read("x,y,z\n1,a,1\n2,b,2\nmany,3,3\n")
    (note,) = table.notes
    assert "'x' is taken as text" in note
    assert "line 4 has 'many'" in note
    assert table.columns["x"].tolist() == ["1", "2", "many"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('x,i\n"27,5",1\n"30,1",2\n', "line 2 has '27,5'"),
        ("x\ti\n27\t1\n27,5\t2\n", "line 3 has '27,5'"),
        ('x,i\n,1\n"130,000",2\n"1,130,000.5",2\n', "line 3 has '130,000'"),
        ("x;i\n7,5;1\n1.234,5;2\n", "line 3 has '1.234,5'"),
        ("x;i\n1 234,5;1\n1'234;2\n", "line 2 has '1 234,5'"),
        ("x;i\n843;5,3\n1.218;0,6\n", "line 3 has '1.218'"),
        ("x;i\n843;1.234,56\n1.218;a\n7;b\n", "line 3 has '1.218'"),
        ("x;i\n1,5;1\n1.5;2\n", "line 3 has '1.5'"),
    ],
)
def test_commas_and_thousands_in_numbers_are_noted_and_never_guessed(read, text, words):
    table = read(text)
    (note,) = table.notes
    assert f"Column 'x' is taken as text: {words}" in note
    assert f"write {'27,5' if ';' in text else '27.5'} or 130000" in note
    assert ("part the columns by semicolons" in note) == (";" not in text)
    assert table.columns["x"].dtype == object


def test_points_part_decimals_where_nothing_speaks_against_it(read):
    table = read("x;y;z\n1.218;1.218;0.123\n7;2.5;0.456\n")
    assert table.columns["x"].tolist() == [1.218, 7.0]
    table = read("x;y;z\n7,5;1.218;0.123\n7;2.5;0.456\n")
    assert table.columns["y"].tolist() == [1.218, 2.5]
    assert table.columns["z"].tolist() == [0.123, 0.456]
    assert table.notes == ()


def test_a_column_that_is_left_out_tells_of_decimal_commas_too(read):
    table = read("x;y\n1.218;0,5\n843;2\n", left_out=["y"])
    assert table.columns["x"].tolist() == ["1.218", "843"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x;y\n843;a\n1.218;0,5\n", "line 3, column 'x': 1.218 may be a number with decimals or"),
        ("x;y\n0,5;a\n1.5;b\n", "line 3, column 'x': 1.5 may .*; write 27,5 or 130000 throughout"),
    ],
)
def test_chunks_do_not_guess_what_points_mean(tmp_path, text, words):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(TableFileError, match=words):
        list(read_chunks(str(path), {"x": "number"}))
    (chunk,) = read_chunks(str(path), {"x": "text"})
    assert chunk.columns["x"].tolist() == [line.split(";")[0] for line in text.split()[1:]]


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ("unknown", "line 4 has 'unknown'; correct such cells, or leave them empty, if dates are"),
        ("3.5.2024", "line 4 has '3.5.2024'; correct"),
        ("12", "line 4 has '12'; correct"),
        ("2024-02-30", "line 4 has '2024-02-30', which is no day of the calendar; correct"),
        ("0000-00-00", "line 4 has '0000-00-00', which is no day of the calendar; correct"),
        ("2023-02-29 10:00", "line 4 has '2023-02-29 10:00', which is no day of the calendar"),
    ],
)
def test_what_is_no_date_among_dates_is_noted_with_its_line(read, odd, words):
    (note,) = read(f"x,i\n2024-02-28,1\n2024-02-29,2\n{odd},3\n").notes
    assert note.startswith(f"Column 'x' is taken as text: most of it is dates, but {words}")


def test_words_and_commas_among_numbers_are_noted_apart(read):
    many, comma = read('x,i\n1,1\nmany,1\n"1,5",1\n2,1\n').notes
    assert "line 3 has 'many'" in many
    assert "line 4 has '1,5'" in comma


@pytest.mark.parametrize("cells", [("1,5", "a", "b"), ("1,2,3", "4,5,6"), ("52.5,13.4", "1,2,3")])
def test_words_with_commas_are_not_noted(read, cells):
    assert read("x\ti\n" + "".join(f"{cell}\t1\n" for cell in cells)).notes == ()


def test_an_odd_cell_is_found_however_far_down(read):
    table = read("x\n" + "1\n" * 20_000 + "odd\n" + "2\n" * 10)
    assert "line 20002 has 'odd'" in table.notes[0]
    assert len(table) == 20_011
    assert table.columns["x"][0] == "1"


def test_holes_far_down_leave_a_column_what_it_is(read):
    table = read("x,i\n" + "true,1\n" * 20_000 + ",1\n")
    assert table.columns["x"][[0, -1]].tolist() == [True, None]


def test_columns_may_be_left_out_or_taken_as_text(read):
    text = "x,y,z\n1,inf,1\n2,3,2\n"
    table = read(text, as_text=["x"], left_out=["y"])
    assert list(table.columns) == ["z", "x"]
    assert table.columns["x"].tolist() == ["1", "2"]
    with pytest.raises(TableFileError, match="no column 'w'"):
        read(text, left_out=["w"])


def test_an_infinite_name_is_text(read):
    assert column(read, "inf", "Ada").tolist() == ["inf", "Ada"]


def test_chunks_take_cells_by_the_kind_that_is_asked_for(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,code,more\n1,7,a\n,8,b\n")
    (chunk,) = read_chunks(str(path), {"code": "text", "x": "number"})
    assert list(chunk.columns) == ["code", "x"]
    assert chunk.columns["code"].tolist() == ["7", "8"]
    np.testing.assert_array_equal(chunk.columns["x"], [1.0, np.nan])
    assert read_names(str(path)) == ["x", "code", "more"]
    for kind, words in (("boolean", "neither true nor false"), ("date", "no ISO date")):
        with pytest.raises(TableFileError, match=f"line 2, column 'code': 7 is {words}"):
            list(read_chunks(str(path), {"code": kind}))


def test_what_can_be_read_only_once_is_read_too(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("x,y\n1,a\n2,b\n",))
    writer.start()
    table = read_table(str(pipe))
    writer.join()
    assert table.columns["x"].tolist() == [1.0, 2.0]


def test_a_compressed_file_is_refused(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"x\n1\n"))
    with pytest.raises(TableFileError, match=r"\.gz is not a table format"):
        read_table(str(path))
    path = path.rename(tmp_path / "t.csv")
    with pytest.raises(TableFileError, match=r"is compressed by gzip; unpack it.*: gzip -dc OLD"):
        read_table(str(path))


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(allow_infinity=False), TEXT), min_size=1))
def test_what_is_written_is_read_again(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("written") / "t.csv"
    numbers, texts = (list(cells) for cells in zip(*rows, strict=True))
    columns = {"x": np.array(numbers), "text": np.array(texts, dtype=object)}
    with table_writer(str(path)) as write:
        write(columns | {"i": np.arange(len(rows))})
    (table,) = read_chunks(str(path), {"x": "number", "text": "text"})
    np.testing.assert_array_equal(table.columns["x"], numbers)
    plain = [text.replace("\r\n", "\n").replace("\r", "\n").strip() for text in texts]
    assert table.columns["text"].tolist() == [None if t in MISSING else t for t in plain]


def test_parquet_gives_the_same_arrays_as_csv(tmp_path, read):
    pytest.importorskip("pyarrow")
    table = read("x,on,when,text\n1.5,true,2024-05-01,a\n,false,NA,\n2,NA,2024-05-02,b\n")
    path = str(tmp_path / "t.parquet")
    with table_writer(path) as write:
        write(table.columns)
    again = read_table(path)
    for name, expected in table.columns.items():
        assert again.columns[name].dtype == expected.dtype
        np.testing.assert_array_equal(again.columns[name], expected)
    assert again.places.tolist() == [0, 1, 2]
    assert again.unit == "row"


def test_parquet_types_are_taken_as_what_they_are(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    pd.DataFrame(
        {
            "small": np.array([1, 2], dtype=np.int8),
            "kind": pd.Categorical(["a", None]),
            "seen": pd.to_datetime(["2024-05-01 12:00", None], utc=True),
            "nothing": [None, None],
            "class": [True, False],
        }
    ).to_parquet(path)
    table = read_table(str(path), as_text=["class"])
    assert table.columns["small"].tolist() == [1.0, 2.0]
    assert table.columns["kind"].tolist() == ["a", None]
    moment = table.columns["seen"].tolist()[0].replace(tzinfo=UTC)
    assert moment == datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert table.notes == ("Column 'nothing' has no values and is left out.",)
    assert labels_of(table, "class").tolist() == ["true", "false"]


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([1.0, np.inf], "row 1, column 'x': inf is not a finite number"),
        ([[1, 2], [3]], "Column 'x' of .* holds list.* leave it out with --drop 'x'"),
    ],
)
def test_parquet_columns_that_cannot_be_used_are_named(column, words, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    pd.DataFrame({"x": column}).to_parquet(path)
    with pytest.raises(TableFileError, match=words):
        read_table(str(path))


def test_numbers_and_dates_in_text_of_parquet_are_noted(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    numbers = [f"{i}.5" for i in range(30)]
    pd.DataFrame(
        {
            "all": numbers,
            "most": [*numbers[:29], "<1"],
            "day": [*["2024-02-29"] * 29, "2024-02-30"],
            "code": [f"{10115 + i}" for i in range(30)],
            "stage": ["1", "2", "3"] * 10,
            "mark": ["-"] * 30,
        }
    ).to_parquet(path)
    whole, most, day = read_table(str(path)).notes
    assert whole.startswith("Column 'all' is taken as text: all of it is numbers, such as '0.5'")
    assert "most of it is numbers, but row 29 has '<1'" in most
    assert "row 29 has '2024-02-30', which is no day of the calendar" in day


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_time_spans_of_parquet_are_seconds(tmp_path, unit):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    spans = np.array([90, "NaT", 200 * 86400], dtype="timedelta64[s]").astype(
        f"timedelta64[{unit}]"
    )
    pyarrow.parquet.write_table(pyarrow.table({"x": pyarrow.array(spans)}), path)
    np.testing.assert_array_equal(read_table(str(path)).columns["x"], [90.0, np.nan, 200 * 86400])
    (chunk,) = read_chunks(str(path), {"x": "number"})
    np.testing.assert_array_equal(chunk.columns["x"], [90.0, np.nan, 200 * 86400])


def test_whole_numbers_of_parquet_that_no_float_holds_are_rounded(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"x": [2**53 + 1, None]}), path)
    np.testing.assert_array_equal(read_table(str(path)).columns["x"], [2.0**53, np.nan])


def test_a_text_column_of_parquet_where_numbers_are_needed_is_named(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    pd.DataFrame({"x": ["a", "b"]}).to_parquet(path)
    with pytest.raises(TableFileError, match=r"Column 'x' of .* holds .*string where a number"):
        list(read_chunks(str(path), {"x": "number"}))


def labels(*cells):
    table = Table("t.csv", {"y": np.array(cells, dtype=object)}, np.arange(2, 2 + len(cells)))
    return labels_of(table, "y")


def test_labels_are_text_or_whole_numbers():
    assert labels("1", "2.0", "-3").tolist() == [1, 2, -3]
    assert labels("1", "two").tolist() == ["1", "two"]
    assert labels("True", "false").tolist() == ["True", "false"]
    assert labels("999000011000001105", "1e3", "7.").tolist() == [999000011000001105, 1000, 7]
    with pytest.raises(TableFileError, match=r"not whole \(1\.5 in line 3\)"):
        labels("1", "1.5")
    with pytest.raises(TableFileError, match=r"not whole \(9007199254740993\.5 in line 3\)"):
        labels("1", "9007199254740993.5")
    with pytest.raises(TableFileError, match=r"not whole \(inf in line 2\)"):
        labels("inf", "1")
    with pytest.raises(TableFileError, match=r"beyond 2\*\*63 \(1e300 in line 3\); put a letter"):
        labels("1", "1e300")
    with pytest.raises(TableFileError, match="no class in lines 2, 3, 4, 5, 6 and 2 more"):
        labels(*[None] * 7, "a")


def test_rows_come_in_chunks():
    rows = CsvRows(io.BytesIO(b"x\n" + b"1\n" * 25), "t.csv")
    assert [len(chunk.lines) for chunk in rows.chunks(10)] == [10, 10, 5]


def test_a_column_that_is_asked_for_anyway_is_not_taken_for_one_that_is_missing():
    with pytest.raises(WrongColumnError, match=r"no column 'dose_pm'; the others are 'ward'\."):
        check_has("t.csv", ["dose_am", "ward"], ["dose_am", "dose_pm"])
    with pytest.raises(WrongColumnError, match=r"no column 'dose_pm'; is it another table\?"):
        check_has("t.csv", ["dose_am"], ["dose_am", "dose_pm"])
