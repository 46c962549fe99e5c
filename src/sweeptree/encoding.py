"""A table becomes what the engines work on: classes as codes, values as ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class EncodedTable:
    """The training rows, sorted once per variable.

    A variable is a column with at least two distinct values; a constant column carries no rule
    and is left out. Cut r of a variable sends the rows whose value is at most its r-th distinct
    value to the left.
    """

    n_classes: int
    labels: npt.NDArray[np.int32]
    """The class of each row."""
    columns: npt.NDArray[np.int32]
    """The column of the table that each variable is."""
    order: npt.NDArray[np.uint32]
    """(variable, row): the rows in ascending order of the variable."""
    values: FloatArray
    """The distinct values of all variables, ascending, one variable after the other."""
    starts: npt.NDArray[np.uint32]
    """Parallel to `values`: where each value starts in its variable's order."""
    value_offsets: npt.NDArray[np.int64]
    """Where each variable starts in `values`; one more at the end."""

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
        """Rank of each row's value among the distinct values of one variable."""
        starts = self.starts[self.value_offsets[variable] : self.value_offsets[variable + 1]]
        place_in_order = np.empty(self.n_rows, dtype=np.intp)
        place_in_order[self.order[variable]] = np.arange(self.n_rows)
        return np.searchsorted(starts, place_in_order, side="right") - 1


def encode(X: FloatArray, labels: npt.NDArray[np.int32], n_classes: int) -> EncodedTable:
    """Sort and rank the columns of a finite table.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
    labels : array of shape (n_rows,)
        Class codes from 0 to ``n_classes - 1``.
    n_classes : int
    """
    columns = np.flatnonzero((X[0] != X).any(axis=0)).astype(np.int32)
    order = np.empty((len(columns), len(X)), dtype=np.uint32)
    values, starts = [], []
    for variable, column in enumerate(columns):
        order[variable] = np.argsort(X[:, column])
        ascending = X[order[variable], column]
        is_first = np.concatenate(([True], ascending[1:] != ascending[:-1]))
        values.append(ascending[is_first])
        starts.append(np.flatnonzero(is_first).astype(np.uint32))
    n_values = [len(v) for v in values]
    return EncodedTable(
        n_classes=n_classes,
        labels=labels,
        columns=columns,
        order=order,
        values=np.concatenate([np.empty(0), *values]),
        starts=np.concatenate([np.empty(0, dtype=np.uint32), *starts]),
        value_offsets=np.concatenate(([0], np.cumsum(n_values, dtype=np.int64))),
    )
