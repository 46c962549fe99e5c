"""A table becomes what the engines work on: classes as codes, values as ranks."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree import _kernel
from sweeptree.settings import RULE_KINDS

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class EncodedTable:
    """The training rows, sorted once per variable.

    A variable is a column with at least two distinct values, a missing one among them; a constant
    column carries no rule and is left out.
    """

    n_classes: int
    labels: npt.NDArray[np.int32]
    """The class of each row."""
    columns: npt.NDArray[np.int32]
    """The column of the table that each variable is."""
    kinds: npt.NDArray[np.uint8]
    """How each variable is asked: its place in `RULE_KINDS`."""
    n_missing: npt.NDArray[np.uint32]
    """Rows in which each variable is missing."""
    places: npt.NDArray[np.uint32]
    """Where each row stands among the bits of a mask: rows are sorted by class, and each class
    starts a new word."""
    order: npt.NDArray[np.uint32]
    """(variable, row): the places in ascending order of the variable, missing values last."""
    values: FloatArray
    """The distinct values of all variables, ascending, one variable after the other."""
    value_offsets: npt.NDArray[np.int64]
    """Where each variable begins in `values`; one more at the end."""
    starts: npt.NDArray[np.uint32]
    """Where each value starts in its variable's order, of the variables in which some value comes
    twice; in the others the i-th starts at i."""
    start_offsets: npt.NDArray[np.int64]
    """Where each variable begins in `starts`; one more at the end."""

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return len(self.labels)

    @property
    def n_variables(self) -> int:
        """Number of columns that carry a rule."""
        return len(self.columns)

    def values_of(self, variable: int) -> FloatArray:
        """Distinct values of one variable, ascending."""
        return self.values[self.value_offsets[variable] : self.value_offsets[variable + 1]]

    def ranks_of(self, variable: int) -> npt.NDArray[np.intp]:
        """Rank of each row's value among the distinct values of one variable.

        A missing value comes after the last.
        """
        n_values = len(self.values_of(variable))
        starts = self.starts[self.start_offsets[variable] : self.start_offsets[variable + 1]]
        if len(starts) == 0:
            starts = np.arange(n_values, dtype=np.uint32)
        place_in_order = np.empty(int(self.places.max()) + 1, dtype=np.intp)
        place_in_order[self.order[variable]] = np.arange(self.n_rows)
        place_in_order = place_in_order[self.places]
        ranks = np.searchsorted(starts, place_in_order, side="right") - 1
        ranks[place_in_order >= self.n_rows - self.n_missing[variable]] = n_values
        return ranks


def encode(
    X: FloatArray,
    labels: npt.NDArray[np.int32],
    n_classes: int,
    kinds: Sequence[str] | None = None,
    n_threads: int = 1,
) -> EncodedTable:
    """Sort and rank the columns of a table.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Finite, or NaN where a value is missing; of a category, the places 0, 1, 2 and so on of
        its levels, each of which must occur.
    labels : array of shape (n_rows,)
        Class codes from 0 to ``n_classes - 1``.
    n_classes : int
    kinds : sequence of str, default=None
        How each column is asked, out of `RULE_KINDS`. None: all are ordered.
    n_threads : int, default=1
        Columns that are sorted at once.
    """
    kinds = kinds or ["ordered"] * X.shape[1]
    places = _kernel.places_by_class(labels, n_classes)
    order, starts = (np.empty(X.T.shape, dtype=np.uint32) for _ in range(2))
    values = np.empty(X.T.shape)

    def sort(column: int) -> tuple[int, int, int]:
        room = (array[column] for array in (order, values, starts))
        return _kernel.sort_column(X, column, places, *room)

    with ThreadPoolExecutor(n_threads) as pool:
        found = np.array(list(pool.map(sort, range(X.shape[1])))).reshape(-1, 3)
    n_values, n_starts, n_missing = found.T
    columns = np.flatnonzero(n_values + (n_missing > 0) >= 2)
    return EncodedTable(
        n_classes=n_classes,
        labels=labels,
        columns=columns.astype(np.int32),
        kinds=np.array(
            [RULE_KINDS.index(kinds[column]) for column in columns.tolist()], dtype=np.uint8
        ),
        n_missing=n_missing[columns].astype(np.uint32),
        places=places,
        order=order if len(columns) == len(order) else order[columns],
        values=_packed(values, columns, n_values),
        value_offsets=_offsets(n_values[columns]),
        starts=_packed(starts, columns, n_starts),
        start_offsets=_offsets(n_starts[columns]),
    )


def _offsets(sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where each part begins once they stand one after the other; one more at the end."""
    return np.concatenate(([0], np.cumsum(sizes)))


def _packed(
    rows: npt.NDArray[Any], wanted: npt.NDArray[np.intp], sizes: npt.NDArray[np.int64]
) -> npt.NDArray[Any]:
    """Move what is used of the wanted rows to the front of the matrix, one after the other.

    In place: of a large table nothing is held twice, and what no number was ever written to takes
    no memory.
    """
    flat, end = rows.reshape(-1), 0
    for row in wanted:
        begin, end = end, end + sizes[row]
        if begin != row * rows.shape[1]:
            flat[begin:end] = rows[row, : sizes[row]]
    return flat[:end]
