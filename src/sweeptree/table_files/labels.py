"""Classes out of a column of a table file."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.table_files.cells import number
from sweeptree.table_files.errors import TableFileError
from sweeptree.table_files.table import Table

MOST_PLACES_NAMED = 5
TOO_LARGE = 2**63
"""Classes are below it, and not below its negative."""


class Problem(NamedTuple):
    """Why a number cannot be a class."""

    what: str
    advice: str


NOT_WHOLE = Problem(
    "are not whole",
    "sweeptree predicts classes, so part them into a few groups and give these names",
)
NOT_SMALL = Problem("are beyond 2**63", "put a letter before each of them, so that they are text")


def labels_of(table: Table, target: str) -> npt.NDArray[Any]:
    """Return the class of each row: text as it stands, or ints if all are whole numbers.

    Other numbers are no classes but an error, and so are those beyond 2**63.

    Parameters
    ----------
    table : Table
        With the target read as text.
    target : str

    Examples
    --------
    >>> column = np.array(["1", "2", "1.0"], dtype=object)
    >>> labels_of(Table("t.csv", {"kind": column}, np.array([2, 3, 4])), "kind")
    array([1, 2, 1])
    """
    cells = table.column(target)
    _check_none_missing(table, target, cells)
    try:
        numbers = np.array([number(cell) for cell in cells])
    except ValueError:
        return np.array(cells.tolist())
    _check_all(np.isfinite(numbers), table, target, NOT_WHOLE)
    exact = [Decimal(cell) for cell in cells]  # floats would round long codes
    is_whole = np.array([each == each.to_integral_value() for each in exact], dtype=bool)
    _check_all(is_whole, table, target, NOT_WHOLE)
    is_small = np.array([-TOO_LARGE <= each < TOO_LARGE for each in exact], dtype=bool)
    _check_all(is_small, table, target, NOT_SMALL)
    return np.array(list(map(int, exact)), dtype=np.int64)


def labels_to_learn(table: Table, target: str) -> npt.NDArray[Any]:
    """Return the class of each row as `labels_of` does; of classes there must be two at least."""
    labels = labels_of(table, target)
    classes = np.unique(labels).tolist()
    if len(classes) < 2:
        raise TableFileError(
            f"Column {target!r} of {table.source} has only one class, {classes[0]!r}; at least "
            "two are needed."
        )
    return labels


def _check_all(is_fit: npt.NDArray[np.bool_], table: Table, target: str, problem: Problem) -> None:
    """Refuse the first number that cannot be a class."""
    if is_fit.all():
        return
    first = int(np.flatnonzero(~is_fit)[0])
    raise TableFileError(
        f"Column {target!r} of {table.source} has numbers that {problem.what} "
        f"({table.columns[target][first]} in {table.unit} {table.places[first]}); {problem.advice}."
    )


def _check_none_missing(table: Table, target: str, cells: npt.NDArray[Any]) -> None:
    places = table.places[np.array([cell is None for cell in cells], dtype=bool)].tolist()
    if not places:
        return
    named = ", ".join(map(str, places[:MOST_PLACES_NAMED]))
    more = f" and {len(places) - MOST_PLACES_NAMED} more" * (len(places) > MOST_PLACES_NAMED)
    raise TableFileError(
        f"Column {target!r} of {table.source} has no class in {table.unit}"
        f"{'s' * (len(places) > 1)} {named}{more} (empty, NA, ? and the like); fill in the class "
        "or leave these rows out."
    )
