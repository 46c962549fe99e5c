"""Classes out of a column of a table file."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.table_files.cells import number
from sweeptree.table_files.errors import TableFileError
from sweeptree.table_files.table import Table

MOST_PLACES_NAMED = 5
LARGEST_WHOLE = 2**53
"""Beyond it floats cannot tell neighbouring whole numbers apart."""


def labels_of(table: Table, target: str) -> npt.NDArray[Any]:
    """Return the class of each row: text as it stands, or ints if all are whole numbers.

    Other numbers are no classes but an error.

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
    is_whole = (np.abs(numbers) < LARGEST_WHOLE) & (numbers == np.round(numbers))
    if not is_whole.all():
        first = int(np.flatnonzero(~is_whole)[0])
        raise TableFileError(
            f"Column {target!r} of {table.source} has numbers that are not whole ({cells[first]} "
            f"in {table.unit} {table.places[first]}); sweeptree predicts classes, so part them "
            "into a few groups and give these names."
        )
    return numbers.astype(np.int64)


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
