"""Reading table files, whole or in chunks."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from sweeptree.table_files.cells import CellKind, OddCellError, number, parse_cells
from sweeptree.table_files.csv_rows import CsvRows, Rows
from sweeptree.table_files.errors import TableFileError, UnknownFormatError
from sweeptree.table_files.guessing import ColumnGuess
from sweeptree.table_files.parquet_file import parquet_chunks, parquet_kinds, parquet_names
from sweeptree.table_files.table import Array, Table, check_has, is_missing, joined
from sweeptree.table_files.writing import CSV_SUFFIXES, PARQUET_SUFFIXES, STANDARD_STREAM

CELLS_AT_ONCE = 200_000
"""Cells of a file that are held as text at the same time."""
MOST_ROWS_AT_ONCE = 5_000


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
        yield from _csv_chunks(CsvRows(file, source), kinds)


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
    for chunk in rows.chunks(_rows_at_once(len(rows.header))):
        for name, cells in zip(rows.header, chunk.columns, strict=True):
            if name in guesses:
                guesses[name].look_at(cells, chunk.lines)
    kinds = {name: guess.kind for name, guess in guesses.items() if not guess.is_empty}
    kinds |= dict.fromkeys(as_text, "text")
    notes = [
        note
        for name, guess in guesses.items()
        for note in _notes(name, guess, rows.has_decimal_commas)
    ]
    return kinds, (*_notes_on_nameless(rows.header), *notes)


def _notes_on_nameless(header: list[str]) -> Iterator[str]:
    for place, name in enumerate(header, start=1):
        if not name:
            yield f"Column {place} has no name and is left out; name it in the header to use it."


def _notes(name: str, guess: ColumnGuess, has_decimal_commas: bool) -> Iterator[str]:
    if guess.is_empty:
        yield _left_out(name)
    if guess.odd_cell:
        text, line = guess.odd_cell
        yield (
            f"Column {name!r} is taken as text: most of it is numbers, but line {line} has "
            f"{text!r}; correct such cells, or leave them empty, if numbers are meant."
        )
    if guess.separated_cell:
        text, line = guess.separated_cell
        semicolons = ", or part the columns by semicolons, between which 27,5 is a number"
        yield (
            f"Column {name!r} is taken as text: line {line} has {text!r}, which may be a number "
            "with a decimal comma or with its thousands set apart; if it is, write 27.5 or 130000"
            f"{'' if has_decimal_commas else semicolons}."
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
    return replace(table, notes=tuple(map(_left_out, empty)))


def _csv_chunks(rows: CsvRows, kinds: Mapping[str, CellKind]) -> Iterator[Table]:
    check_has(rows.source, rows.header, kinds)
    place_of = {name: place for place, name in enumerate(rows.header)}
    for chunk in rows.chunks(_rows_at_once(len(rows.header))):
        columns = {
            name: _parse_column(rows, name, chunk, place_of[name], kind)
            for name, kind in kinds.items()
        }
        yield Table(rows.source, columns, np.array(chunk.lines))


def _parse_column(rows: CsvRows, name: str, chunk: Rows, place: int, kind: CellKind) -> Array:
    try:
        return parse_cells(chunk.columns[place], kind, rows.has_decimal_commas)
    except OddCellError as error:
        line = chunk.lines[error.place]
        raise TableFileError(
            f"{rows.source}, line {line}, column {name!r}: {error.cell} is "
            f"{_what_it_is_not(error.cell, kind)}; correct it, or leave the cell empty if the "
            "value is not known."
        ) from None


def _what_it_is_not(cell: str, kind: CellKind) -> str:
    if kind == "number":
        try:
            number(cell)
        except ValueError:
            return "no number"
        return "not a finite number"
    return {"boolean": "neither true nor false", "date": "no ISO date", "text": "no text"}[kind]
