"""Reading a user's CSV file, with errors of one sentence that say what to do."""

from __future__ import annotations

import csv
import math
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sweeptree.experiments.cross_validation import N_FOLDS
from sweeptree.experiments.data_sets import LabelledTable

FIRST_LINE_OF_ROWS = 2


class UnusableTableError(ValueError):
    """The file cannot be used as it is; the message says why, in one sentence."""


class WrongColumnError(ValueError):
    """The file has no such column; the message names those that it has."""


class CsvTable(NamedTuple):
    """A table with its names."""

    rows: LabelledTable
    columns: list[str]
    classes: list[str]


def read_csv(path: Path, target: str) -> CsvTable:
    r"""Read a file with a header line; all columns but the target must hold numbers.

    Parameters
    ----------
    path : Path
    target : str
        Name of the column with the classes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = Path(directory) / "table.csv"
    ...     _ = path.write_text("x,kind\n" + "1,a\n2,b\n" * 5)
    ...     table = read_csv(path, "kind")
    >>> table.columns, table.classes, table.rows.X.shape
    (['x'], ['a', 'b'], (10, 1))
    """
    header, lines = _read_lines(path)
    if target not in header:
        raise WrongColumnError(_no_such_column(path, target, header))
    columns = [name for name in header if name != target]
    if not columns:
        raise UnusableTableError(f"{path} has no column beside the target {target!r}.")
    place_of_target = header.index(target)
    labels = [cells.pop(place_of_target).strip() for cells in lines]
    X = np.array([_numbers(columns, cells, line) for line, cells in _numbered(lines)])
    classes, y = np.unique(labels, return_inverse=True)
    _check_classes(target, classes.tolist(), np.bincount(y).tolist())
    return CsvTable(LabelledTable(X, y.astype(np.int64)), columns, classes.tolist())


def _read_lines(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the header and the lines below it, each with as many cells; empty lines are left."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnusableTableError(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnusableTableError(f"{path} is not a text file in UTF-8.") from error
    first_line = text.partition("\n")[0]
    delimiter = next((mark for mark in ",;\t" if mark in first_line), ",")
    lines = [cells for cells in csv.reader(text.splitlines(), delimiter=delimiter) if cells]
    if len(lines) < FIRST_LINE_OF_ROWS:
        raise UnusableTableError(f"{path} has no rows below a header line.")
    header = [name.strip() for name in lines[0]]
    twice = [name for i, name in enumerate(header) if name in header[:i]]
    if twice:
        raise UnusableTableError(f"{path} has two columns called {twice[0]!r}; rename one.")
    for line, cells in _numbered(lines[1:]):
        if len(cells) != len(header):
            raise UnusableTableError(
                f"Row {line} of {path} has {len(cells)} cells, but the header has {len(header)}."
            )
    return header, lines[1:]


def _numbered(lines: list[list[str]]) -> list[tuple[int, list[str]]]:
    """Give each row its number, from 1."""
    return list(enumerate(lines, start=1))


def _no_such_column(path: Path, target: str, header: list[str]) -> str:
    near = get_close_matches(target, header, n=1, cutoff=0.0)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"{path} has no column {target!r}{hint}"


def _numbers(columns: list[str], cells: list[str], line: int) -> list[float]:
    return [_number(name, cell, line) for name, cell in zip(columns, cells, strict=True)]


def _number(column: str, cell: str, line: int) -> float:
    try:
        number = float(cell) if cell.strip() else math.nan
    except ValueError:
        raise UnusableTableError(
            f"Column {column!r} holds text ({cell!r} in row {line}); encode it as numbers or "
            "leave it out."
        ) from None
    if not math.isfinite(number):
        raise UnusableTableError(
            f"Column {column!r} has no finite number in row {line}; fill or drop such rows."
        )
    return number


def _check_classes(target: str, classes: list[str], counts: list[int]) -> None:
    if len(classes) < 2:
        raise UnusableTableError(
            f"Column {target!r} has only one class, {classes[0]!r}; at least two are needed."
        )
    fewest = counts.index(min(counts))
    if counts[fewest] < N_FOLDS:
        raise UnusableTableError(
            f"Class {classes[fewest]!r} of column {target!r} has {counts[fewest]} rows; each needs "
            f"at least {N_FOLDS}, one for every fold."
        )
