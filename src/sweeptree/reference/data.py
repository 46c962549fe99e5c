"""The training table as the sampler sees it: rows, ranks and cuts."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import EncodedTable

Rows = npt.NDArray[np.intp]
"""Row numbers."""


class Data:
    """Cut r of a variable sends the rows with rank <= r left."""

    def __init__(self, table: EncodedTable) -> None:
        self.n_rows = table.n_rows
        self.n_classes = table.n_classes
        self.n_variables = table.n_variables
        self.labels = table.labels
        self.values: list[list[float]] = [
            table.values_of(v).tolist() for v in range(table.n_variables)
        ]
        self.ranks = [table.ranks_of(v) for v in range(table.n_variables)]

    def n_cuts(self, variable: int) -> int:
        """N(s_var): the number of possible rules of a variable."""
        return len(self.values[variable]) - 1

    def lowest(self, variable: int) -> float:
        """x_min over all rows."""
        return self.values[variable][0]

    def range(self, variable: int) -> float:
        """x_max - x_min over all rows."""
        return self.values[variable][-1] - self.values[variable][0]

    def gap(self, variable: int, cut: int) -> float:
        """Distance between the values on either side of a cut."""
        return self.values[variable][cut + 1] - self.values[variable][cut]

    def threshold_in_gap(self, variable: int, cut: int, fraction: float) -> float:
        """Return the threshold at a fraction of the way through the gap above the cut's value."""
        below, above = self.values[variable][cut : cut + 2]
        threshold = below + fraction * (above - below)
        return min(max(threshold, below), math.nextafter(above, -math.inf))

    def cut_of(self, variable: int, threshold: float) -> int:
        """Return the cut a threshold makes: -1 sends no row left, n_cuts sends every row left."""
        return int(np.searchsorted(self.values[variable], threshold, side="right")) - 1

    def split(self, rows: Rows, variable: int, cut: int) -> tuple[Rows, Rows]:
        """Divide rows into left and right."""
        goes_left = self.ranks[variable][rows] <= cut
        return rows[goes_left], rows[~goes_left]

    def class_counts(self, rows: Rows) -> tuple[int, ...]:
        """m_ij: how many of the rows are of each class."""
        return tuple(np.bincount(self.labels[rows], minlength=self.n_classes).tolist())
