"""What the cells of a column stand for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

CellKind = Literal["number", "boolean", "date", "text"]

MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", "-"})
"""Cells that say that a value is not known."""

TRUTH = {"true": True, "false": False}

ISO_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})([ T].*)?")


class OddCellError(ValueError):
    """A cell is not of the kind that its column is."""

    def __init__(self, place: int, cell: str) -> None:
        super().__init__(cell)
        self.place = place
        """Of the cell among those given."""
        self.cell = cell


def parse_cells(
    cells: Sequence[str], kind: CellKind, has_decimal_commas: bool = False
) -> npt.NDArray[Any]:
    """Turn the cells of a column into an array; the first that does not fit is an error.

    Parameters
    ----------
    cells : sequence of str
        Without space around them.
    kind : {"number", "boolean", "date", "text"}
    has_decimal_commas : bool, default=False
        Whether 1,5 is a number.

    Examples
    --------
    >>> parse_cells(["1", "2.5", "NA"], "number")
    array([1. , 2.5, nan])
    >>> parse_cells(["1,5"], "number", has_decimal_commas=True)
    array([1.5])
    >>> parse_cells(["TRUE", "false"], "boolean"), parse_cells(["true", "?"], "boolean")
    (array([ True, False]), array([True, None], dtype=object))
    >>> parse_cells(["2024-05-01", ""], "date")
    array(['2024-05-01T00:00:00.000000',                        'NaT'],
          dtype='datetime64[us]')
    >>> parse_cells(["red", "-"], "text")
    array(['red', None], dtype=object)
    """
    parse = parser_of(kind, has_decimal_commas)
    try:
        values = [None if cell in MISSING else parse(cell) for cell in cells]
    except ValueError:
        place = first_odd(cells, kind, has_decimal_commas)
        assert place is not None
        raise OddCellError(place, cells[place]) from None
    return _as_array(values, kind)


def first_odd(cells: Sequence[str], kind: CellKind, has_decimal_commas: bool) -> int | None:
    """Return the place of the first cell that is not of a kind; None if all are."""
    parse = parser_of(kind, has_decimal_commas)
    for place, cell in enumerate(cells):
        try:
            if cell not in MISSING:
                parse(cell)
        except ValueError:
            return place
    return None


def parser_of(kind: CellKind, has_decimal_commas: bool) -> Callable[[str], Any]:
    """Return the function that turns one cell into its value, or raises ValueError."""
    if kind == "number":
        return _number_with_comma if has_decimal_commas else _finite_number
    others: dict[CellKind, Callable[[str], Any]] = {
        "boolean": _truth_value,
        "date": _date,
        "text": str,
    }
    return others[kind]


def number(cell: str) -> float:
    """Read a number, finite or not; unlike Python, without underscores in it."""
    if "_" in cell:
        raise ValueError(cell)
    return float(cell)


def is_impossible_date(cell: str) -> bool:
    """Tell whether a cell is written as an ISO date, of a day that no calendar has.

    Examples
    --------
    >>> is_impossible_date("2024-02-30"), is_impossible_date("2024-02-29")
    (True, False)
    """
    written = ISO_DAY.fullmatch(cell)
    if not written:
        return False
    try:
        date.fromisoformat(written[1])
    except ValueError:
        return True
    return False


def _finite_number(cell: str) -> float:
    value = number(cell)
    if not math.isfinite(value):
        raise ValueError(cell)
    return value


def _number_with_comma(cell: str) -> float:
    return _finite_number(cell.replace(",", "."))


def _truth_value(cell: str) -> bool:
    try:
        return TRUTH[cell.lower()]
    except KeyError:
        raise ValueError(cell) from None


def _date(cell: str) -> datetime:
    """Read a date or a date-time; with an offset, the same moment in UTC."""
    moment = datetime.fromisoformat(cell)
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _as_array(values: list[Any], kind: CellKind) -> npt.NDArray[Any]:
    if kind == "number":
        return np.array(values, dtype=np.float64)
    if kind == "date":
        return np.array(values, dtype="datetime64[us]")
    if kind == "boolean" and None not in values:
        return np.array(values, dtype=bool)
    return np.array(values, dtype=object)
