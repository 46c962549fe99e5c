"""Reading table files, whole or in chunks."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from sweeptree.odd_text import find_odd_text
from sweeptree.table_files.cells import (
    CellKind,
    OddCellError,
    is_impossible_date,
    number,
    parse_cells,
)
from sweeptree.table_files.csv_rows import CsvRows, Rows
from sweeptree.table_files.errors import TableFileError, UnknownFormatError
from sweeptree.table_files.guessing import ColumnGuess, DecimalMarks, guess_of_texts
from sweeptree.table_files.parquet_file import parquet_chunks, parquet_kinds, parquet_names
from sweeptree.table_files.table import Array, Table, check_has, is_missing, joined
from sweeptree.table_files.writing import CSV_SUFFIXES, PARQUET_SUFFIXES, STANDARD_STREAM

CELLS_AT_ONCE = 200_000
"""Cells of a file that are held as text at the same time."""
MOST_ROWS_AT_ONCE = 5_000

MAY_BE_THOUSANDS = "may be a number with decimals or with its thousands set apart"
WITH_COMMAS = "write 27,5 or 130000 throughout"
WITH_POINTS = "write 27.5 or 130000"


def read_table(
    path: str, *, as_text: Collection[str] = (), left_out: Collection[str] = ()
) -> Table:
    r"""Read a whole file; what each column is, is told by all of its cells.

    A column without a name, as numbers of rows often are, or without any value is left out, with
    a note.

    Parameters
    ----------
    path : str
        "-" is standard input, taken as CSV.
    as_text : collection of str
        Columns whose cells are taken as they stand.
    left_out : collection of str
        Columns that are not read.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = Path(directory) / "table.csv"
    ...     _ = path.write_text("x,kind,seen\n1,a,2024-05-01\n,b,2024-05-02\n")
    ...     table = read_table(str(path))
    >>> table.columns["x"], table.columns["kind"], table.places
    (array([ 1., nan]), array(['a', 'b'], dtype=object), array([2, 3]))
    """
    if is_parquet(path):
        return _read_parquet(path, as_text, left_out)
    with _opened(path) as (file, source):
        kinds, notes = _guess_kinds(CsvRows(file, source), as_text, left_out)
        file.seek(0)
        table = joined(list(_csv_chunks(CsvRows(file, source), kinds)))
    return replace(table, notes=notes)


def read_chunks(path: str, kinds: Mapping[str, CellKind]) -> Iterator[Table]:
    """Yield the columns asked for, some thousand rows at a time; others are passed over.

    Parameters
    ----------
    path : str
        "-" is standard input, taken as CSV.
    kinds : mapping of str to {"number", "boolean", "date", "text"}
        What each column is; a cell that does not fit is an error.
    """
    if is_parquet(path):
        check_has(path, parquet_names(Path(path)), kinds)
        yield from parquet_chunks(Path(path), kinds, _rows_at_once(len(kinds)))
        return
    with _opened(path, is_read_once=True) as (file, source):
        rows = CsvRows(file, source)
        yield from _csv_chunks(rows, kinds, DecimalMarks(len(rows.header)))


def read_names(path: str) -> list[str]:
    """Names of the columns of a file; standard input cannot be asked."""
    if is_parquet(path):
        return parquet_names(Path(path))
    with _opened(path, is_read_once=True) as (file, source):
        return CsvRows(file, source).header


def is_parquet(path: str) -> bool:
    """Whether a file to read is Parquet, by its name; names that tell nothing are CSV."""
    suffix = Path(path).suffix.lower()
    if suffix and suffix not in CSV_SUFFIXES + PARQUET_SUFFIXES:
        raise UnknownFormatError(
            f"{path} cannot be read: {suffix} is not a table format that is known here; save it "
            "as .csv or .parquet."
        )
    return suffix in PARQUET_SUFFIXES


@contextmanager
def _opened(path: str, is_read_once: bool = False) -> Iterator[tuple[BinaryIO, str]]:
    """Open a file; what can be read only once is put aside first, unless that is enough."""
    if path == STANDARD_STREAM:
        stream = cast(BinaryIO, sys.stdin.buffer)
        with _rereadable(stream, is_read_once) as file:
            yield file, "standard input"
    elif Path(path).is_dir():
        raise TableFileError(f"{path} is a directory; name a file in it.")
    else:
        with Path(path).open("rb") as stream, _rereadable(stream, is_read_once) as file:
            yield file, path


@contextmanager
def _rereadable(stream: BinaryIO, is_read_once: bool) -> Iterator[BinaryIO]:
    if is_read_once or stream.seekable():
        yield stream
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield cast(BinaryIO, copy)


def _rows_at_once(n_columns: int) -> int:
    return max(1, min(MOST_ROWS_AT_ONCE, CELLS_AT_ONCE // max(n_columns, 1)))


def _guess_kinds(
    rows: CsvRows, as_text: Collection[str], left_out: Collection[str]
) -> tuple[dict[str, CellKind], tuple[str, ...]]:
    """Return what each column is, without those that are empty, and notes on what is odd."""
    check_has(rows.source, rows.header, [*as_text, *left_out])
    guesses = {
        name: ColumnGuess(rows.has_decimal_commas)
        for name in rows.header
        if name and name not in as_text and name not in left_out
    }
    _look_through(rows, guesses)
    kinds = {name: guess.kind for name, guess in guesses.items() if not guess.is_empty}
    kinds |= dict.fromkeys(as_text, "text")
    empty = [_left_out(name) for name, guess in guesses.items() if guess.is_empty]
    semicolons = "or part the columns by semicolons, between which 27,5 is a number"
    how_to_write = WITH_COMMAS if rows.has_decimal_commas else f"{WITH_POINTS}, {semicolons}"
    notes = [
        note
        for name, guess in guesses.items()
        for note in _notes_on_cells(name, guess, "line", how_to_write)
    ]
    return kinds, (*_notes_on_nameless(rows.header), *empty, *notes)


def _look_through(rows: CsvRows, guesses: Mapping[str, ColumnGuess]) -> None:
    marks = DecimalMarks(len(rows.header))
    for chunk in rows.chunks(_rows_at_once(len(rows.header))):
        if rows.has_decimal_commas:
            marks.look_at(chunk)
        for name, cells in zip(rows.header, chunk.columns, strict=True):
            if name in guesses:
                guesses[name].look_at(cells, chunk.lines)
    for place, name in enumerate(rows.header):
        doubtful = marks.doubtful_cell(place)
        if doubtful and name in guesses:
            guesses[name].doubt(doubtful)


def _notes_on_nameless(header: list[str]) -> Iterator[str]:
    for place, name in enumerate(header, start=1):
        if not name:
            yield f"Column {place} has no name and is left out; name it in the header to use it."


def _notes_on_cells(name: str, guess: ColumnGuess, unit: str, how_to_write: str) -> Iterator[str]:
    if guess.odd_cell:
        text, place = guess.odd_cell
        flaw = ", which is no day of the calendar" if is_impossible_date(text) else ""
        yield (
            f"Column {name!r} is taken as text: most of it is {guess.mostly}, but {unit} {place} "
            f"has {text!r}{flaw}; correct such cells, or leave them empty, if {guess.mostly} are "
            "meant."
        )
    if guess.separated_cell:
        text, place = guess.separated_cell
        yield (
            f"Column {name!r} is taken as text: {unit} {place} has {text!r}, which "
            f"{MAY_BE_THOUSANDS}; if it is, {how_to_write}."
        )


def _left_out(name: str) -> str:
    return f"Column {name!r} has no values and is left out."


def _read_parquet(path: str, as_text: Collection[str], left_out: Collection[str]) -> Table:
    names = parquet_names(Path(path))
    check_has(path, names, [*as_text, *left_out])
    kinds = parquet_kinds(Path(path), [name for name in names if name not in left_out])
    kinds |= dict.fromkeys(as_text, "text")
    table = joined(list(parquet_chunks(Path(path), kinds, _rows_at_once(len(kinds)))))
    empty = [
        name
        for name, column in table.columns.items()
        if name not in as_text and is_missing(column).all()
    ]
    for name in empty:
        table = table.without(name)
    texts = [name for name in table.columns if kinds[name] == "text" and name not in as_text]
    notes = [*map(_left_out, empty), *_notes_on_text(table, texts)]
    return replace(table, notes=tuple(notes))


def _notes_on_text(table: Table, names: Iterable[str]) -> Iterator[str]:
    """Say which columns of a Parquet file are numbers or dates but for their type."""
    for name in names:
        column = table.columns[name]
        guess = guess_of_texts(column, table.places.tolist())
        yield from _notes_on_cells(name, guess, table.unit, WITH_POINTS)
        if guess.kind == "number":
            texts = column[~is_missing(column)].tolist()
            odd = find_odd_text(sorted(set(texts)), len(texts))
            if odd and odd.kind == "numbers":
                yield f"Column {name!r} {odd.in_words}; write it as numbers if it is no code."


def _csv_chunks(
    rows: CsvRows, kinds: Mapping[str, CellKind], marks: DecimalMarks | None = None
) -> Iterator[Table]:
    """Yield the columns asked for; with decimal marks, those of numbers are held against them."""
    check_has(rows.source, rows.header, kinds)
    place_of = {name: place for place, name in enumerate(rows.header)}
    for chunk in rows.chunks(_rows_at_once(len(rows.header))):
        if marks and rows.has_decimal_commas:
            marks.look_at(chunk)
            _refuse_doubtful(rows, marks, kinds)
        columns = {
            name: _parse_column(rows, name, chunk, place_of[name], kind)
            for name, kind in kinds.items()
        }
        yield Table(rows.source, columns, np.array(chunk.lines))


def _refuse_doubtful(rows: CsvRows, marks: DecimalMarks, kinds: Mapping[str, CellKind]) -> None:
    for place, name in enumerate(rows.header):
        doubtful = marks.doubtful_cell(place)
        if doubtful and kinds.get(name) == "number":
            raise TableFileError(
                f"{_where(rows, name, doubtful.line)}: {doubtful.text} {MAY_BE_THOUSANDS}; "
                f"{WITH_COMMAS}."
            )


def _parse_column(rows: CsvRows, name: str, chunk: Rows, place: int, kind: CellKind) -> Array:
    try:
        return parse_cells(chunk.columns[place], kind, rows.has_decimal_commas)
    except OddCellError as error:
        line = chunk.lines[error.place]
        raise TableFileError(
            f"{_where(rows, name, line)}: {error.cell} is "
            f"{_what_it_is_not(error.cell, kind)}; correct it, or leave the cell empty if the "
            "value is not known."
        ) from None


def _where(rows: CsvRows, name: str, line: int) -> str:
    return f"{rows.source}, line {line}, column {name!r}"


def _what_it_is_not(cell: str, kind: CellKind) -> str:
    if kind == "number":
        try:
            number(cell)
        except ValueError:
            return "no number"
        return "not a finite number"
    return {"boolean": "neither true nor false", "date": "no ISO date", "text": "no text"}[kind]
