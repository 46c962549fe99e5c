"""Rows with values outside what training has seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.fitted import column_names, rows_of
from sweeptree.names import listed
from sweeptree.uncertainty.report import most_affected, outside_range, range_of


class Outsiders:
    """Counts rows with values outside what training has seen, chunk by chunk.

    A model that was saved without its training rows cannot tell: then there are none.

    Parameters
    ----------
    model : BayesianTreeClassifier
    """

    def __init__(self, model: BayesianTreeClassifier) -> None:
        self._model = model
        self._known = range_of(model.training_.X) if hasattr(model, "training_") else None
        self._n_rows = 0
        self._n_by_column = np.zeros(len(model.columns_), dtype=int)

    def count(self, rows: Any) -> None:
        """Take further rows into account."""
        if self._known is not None:
            is_outside = outside_range(self._known, rows_of(self._model, rows))
            self._n_rows += int(is_outside.any(axis=1).sum())
            self._n_by_column += is_outside.sum(axis=0)

    def notes(self, where_to_look: str) -> list[str]:
        """Tell how many there are, and in which columns, the most frequent first."""
        if self._n_rows == 0:
            return []
        columns = listed(most_affected(self._n_by_column, column_names(self._model)))
        have = "row has" if self._n_rows == 1 else "rows have"
        return [
            f"{self._n_rows:,} {have} values outside what training has seen, in {columns}; "
            f"{where_to_look}."
        ]
