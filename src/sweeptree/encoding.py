"""A table becomes what the engines work on: classes as codes, values as ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
    order: npt.NDArray[np.uint32]
    """(variable, row): the rows in ascending order of the variable, missing values last."""
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
        """Rank of each row's value among the distinct values of one variable.

        A missing value comes after the last.
        """
        starts = self.starts[self.value_offsets[variable] : self.value_offsets[variable + 1]]
        place_in_order = np.empty(self.n_rows, dtype=np.intp)
        place_in_order[self.order[variable]] = np.arange(self.n_rows)
        ranks = np.searchsorted(starts, place_in_order, side="right") - 1
        ranks[place_in_order >= self.n_rows - self.n_missing[variable]] = len(starts)
        return ranks


def encode(
    X: FloatArray,
    labels: npt.NDArray[np.int32],
    n_classes: int,
    kinds: Sequence[str] | None = None,
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
    """
    kinds = kinds or ["ordered"] * X.shape[1]
    columns = _columns_with_rules(X)
    order = np.empty((len(columns), len(X)), dtype=np.uint32)
    values, starts, n_missing = [], [], []
    for variable, column in enumerate(columns):
        order[variable] = np.argsort(X[:, column])  # NaN comes last
        ascending = X[order[variable], column]
        n_missing.append(np.count_nonzero(np.isnan(ascending)))
        present = ascending[: len(X) - n_missing[-1]]
        is_first = np.concatenate(([True], present[1:] != present[:-1]))
        values.append(present[is_first])
        starts.append(np.flatnonzero(is_first).astype(np.uint32))
    n_values = [len(v) for v in values]
    return EncodedTable(
        n_classes=n_classes,
        labels=labels,
        columns=columns,
        kinds=np.array([RULE_KINDS.index(kinds[column]) for column in columns], dtype=np.uint8),
        n_missing=np.array(n_missing, dtype=np.uint32),
        order=order,
        values=np.concatenate([np.empty(0), *values]),
        starts=np.concatenate([np.empty(0, dtype=np.uint32), *starts]),
        value_offsets=np.concatenate(([0], np.cumsum(n_values, dtype=np.int64))),
    )


def _columns_with_rules(X: FloatArray) -> npt.NDArray[np.int32]:
    """Those with two different values, or with some that are missing and some that are not."""
    is_missing = np.isnan(X)
    differs = (X[0] != X) & ~(is_missing[0] & is_missing)
    return np.flatnonzero(differs.any(axis=0)).astype(np.int32)
