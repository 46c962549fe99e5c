"""How far each strategy is from exact answers, where these can be had.

On a small grid the posterior can be summed over every tree: a node is an axis-parallel box of
cells, and the sum over all subtrees of a box, by their number of leaves, follows from those of
the boxes that a cut divides it into.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.experiments.data_sets import LabelledTable
from sweeptree.experiments.fitting import Record, Settings, fit_chain, seed_of_chain

Box = tuple[tuple[int, int], ...]
"""For each column, its first and last value in the box."""


class Grid(NamedTuple):
    """A table with few distinct values, small enough to sum over all its trees."""

    shape: tuple[int, ...]
    n_rows: int
    min_samples_leaf: int
    max_leaves: int


GRIDS = {
    "5 × 4 × 3": Grid((5, 4, 3), n_rows=60, min_samples_leaf=3, max_leaves=8),
    "6 × 6": Grid((6, 6), n_rows=90, min_samples_leaf=5, max_leaves=7),
}

WALKS: dict[str, dict[str, Any]] = {
    "exact": {"strategy": "exact"},
    "standard, rejecting": {"strategy": "standard", "unavailable": "reject"},
    "standard": {"strategy": "standard"},
    "restricting": {"strategy": "restricting", "restrict_leaves": 4},
    "sweeping": {"strategy": "sweeping", "rule_scale": 0.1},
}


def make_grid_table(grid: Grid) -> LabelledTable:
    """Draw rows on a grid with uneven gaps, and classes that depend on them with noise."""
    rng = np.random.default_rng(0)
    places = [np.cumsum(rng.uniform(0.2, 2.0, size=n)) for n in grid.shape]
    cells = np.array(list(product(*map(range, grid.shape))))
    picked = np.concatenate([cells, cells[rng.integers(len(cells), size=grid.n_rows)]])
    picked = picked[: grid.n_rows]
    X = np.column_stack([place[picked[:, j]] for j, place in enumerate(places)])
    score = picked @ rng.normal(size=len(grid.shape)) + rng.normal(scale=1.5, size=grid.n_rows)
    return LabelledTable(X, (score > np.median(score)).astype(np.int64))


class ExactPosterior:
    """Sums over all trees of a table with few distinct values; uniform tree prior, Eq. 4, α = 1.

    Parameters
    ----------
    table : LabelledTable
        Two classes.
    min_samples_leaf, max_leaves : int
    rule_prior : {"observed", "continuous"}
    """

    def __init__(
        self, table: LabelledTable, min_samples_leaf: int, max_leaves: int, rule_prior: str
    ) -> None:
        self.values = [np.unique(column) for column in table.X.T]
        ranks = [np.searchsorted(v, x) for v, x in zip(self.values, table.X.T, strict=True)]
        self.ranks = np.column_stack(ranks)
        self.y = table.y
        self.min_samples_leaf = min_samples_leaf
        self.max_leaves = max_leaves
        self.rule_prior = rule_prior
        self._by_size = lru_cache(maxsize=None)(self._sum_of_box)

    def p_leaves(self) -> FloatArray:
        """P(k | D) for k = 0 … max_leaves."""
        whole = tuple((0, len(values) - 1) for values in self.values)
        trees_of_size = [math.inf] + [_catalan(k - 1) for k in range(1, self.max_leaves + 1)]
        weights = self._by_size(whole) / np.array(trees_of_size)
        p: FloatArray = weights / weights.sum()
        return p

    def _sum_of_box(self, box: Box) -> FloatArray:
        """Weights of all subtrees of a box, summed by their number of leaves.

        Cuts outside the box leave one side without rows: no valid tree has them.
        """
        by_size = np.zeros(self.max_leaves + 1)
        rows = self._rows_in(box)
        if len(rows) < self.min_samples_leaf:
            return by_size
        by_size[1] = _leaf_likelihood(np.bincount(self.y[rows], minlength=2))
        for column, (first, last) in enumerate(box):
            for cut in range(first, last):
                left = self._by_size(_narrowed(box, column, first, cut))
                right = self._by_size(_narrowed(box, column, cut + 1, last))
                both = np.convolve(left, right)[: self.max_leaves + 1]
                by_size += both * self._p_rule(column, cut)
        return by_size

    def _rows_in(self, box: Box) -> npt.NDArray[np.intp]:
        is_in = [
            (first <= self.ranks[:, column]) & (self.ranks[:, column] <= last)
            for column, (first, last) in enumerate(box)
        ]
        return np.flatnonzero(np.all(is_in, axis=0))

    def _p_rule(self, column: int, cut: int) -> float:
        values = self.values[column]
        if self.rule_prior == "observed":
            p_cut = 1.0 / (len(values) - 1)
        else:
            p_cut = (values[cut + 1] - values[cut]) / np.ptp(values)
        return float(p_cut) / len(self.values)


def _narrowed(box: Box, column: int, first: int, last: int) -> Box:
    return (*box[:column], (first, last), *box[column + 1 :])


def _leaf_likelihood(counts: npt.NDArray[np.intp]) -> float:
    """Eq. 4 for one leaf: two classes, α = 1."""
    logs = [math.lgamma(m + 1.0) for m in counts.tolist()]
    return math.exp(sum(logs) - math.lgamma(float(counts.sum()) + 2.0))


def _catalan(n: int) -> int:
    return math.comb(2 * n, n) // (n + 1)


def measure_bias(settings: Settings, seed: int, name: str) -> Record:
    """Run chains on a grid and compare the sizes of their trees with the exact answer."""
    grid = GRIDS[settings["grid"]]
    table = make_grid_table(grid)
    models = [
        fit_chain(table.X, table.y, settings["model"], seed_of_chain(seed, name, c))
        for c in range(settings["n_chains"])
    ]
    n_leaves = np.concatenate([model.posterior_.n_leaves.ravel() for model in models])
    found = np.bincount(n_leaves, minlength=grid.max_leaves + 1) / len(n_leaves)
    exact = ExactPosterior(
        table, grid.min_samples_leaf, grid.max_leaves, settings["model"]["rule_prior"]
    ).p_leaves()
    return {
        "p_leaves": found.tolist(),
        "exact_p_leaves": exact.tolist(),
        "total_variation": float(np.abs(found - exact).sum() / 2.0),
    }
