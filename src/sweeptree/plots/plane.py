"""The plane of two variables as a grid of cells, and the borders of trees on it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.columns import Column
from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel
from sweeptree.plots.canvas import positions
from sweeptree.prediction import forest_of
from sweeptree.spacing import evenly_spaced

N_CELLS = 80
"""Of an ordered variable."""
STRIP = 0.1
"""Width of the strip for missing values, as a share of the range."""


class Side(NamedTuple):
    """One side of the plane: cells that each stand for a value."""

    column: Column
    values: FloatArray
    """As in the encoded table; NaN for what is missing, which comes last."""
    edges: FloatArray
    """Where cells begin and end on the axis; one more than there are values."""
    levels: list[str]
    """Names of the cells, if each stands for a level."""
    n_left_out: int
    """Levels that are not shown."""


def side_of(model: FittedModel, column: int, most_levels: int) -> Side:
    """Divide the range of a column into cells, or take its levels."""
    known = model.columns_[column]
    training = model.training_.X[:, column]
    present = training[~np.isnan(training)]
    if known.kind in ("category", "boolean"):
        return _side_of_levels(known, present, most_levels)
    low, high = present.min(), present.max()
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, N_CELLS + 1).astype(np.float64)
    values = (edges[1:] + edges[:-1]) / 2
    if known.has_missing:
        values = np.append(values, np.nan)
        edges = np.append(edges, high + STRIP * (high - low))
    return Side(known, values, positions(known, edges), [], 0)


def _side_of_levels(known: Column, present: FloatArray, most_levels: int) -> Side:
    """Return the most frequent levels, in the order of the column's."""
    names = [str(level) for level in known.levels] or ["False", "True"]
    counts = np.bincount(present.astype(int), minlength=len(names))
    n_strips = int(known.has_missing)
    kept = np.sort(np.argsort(-counts, kind="stable")[: max(most_levels - n_strips, 1)])
    values = np.concatenate((kept.astype(np.float64), np.full(n_strips, np.nan)))
    levels = [*(names[place] for place in kept), *["missing"] * n_strips]
    edges = np.linspace(-0.5, len(values) - 0.5, len(values) + 1)
    return Side(known, values, edges.astype(np.float64), levels, len(names) - len(kept))


class Plane(NamedTuple):
    """The cells of two sides."""

    across: Side
    up: Side
    rows: FloatArray
    """A row of the encoded table for each cell, from the bottom up."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of cells up, and across."""
        return len(self.up.values), len(self.across.values)


def make_plane(model: FittedModel, columns: tuple[int, int], across: Side, up: Side) -> Plane:
    """Make a row for each cell; what is not shown is as in a usual case."""
    rows = np.tile(usual_case(model), (len(up.values) * len(across.values), 1))
    rows[:, columns[0]] = np.tile(across.values, len(up.values))
    rows[:, columns[1]] = np.repeat(up.values, len(across.values))
    return Plane(across, up, rows)


def usual_case(model: FittedModel) -> FloatArray:
    """Median of each ordered column of the training rows, most frequent value of the others."""
    return np.array(
        [
            _usual_value(column, training[~np.isnan(training)])
            for column, training in zip(model.columns_, model.training_.X.T, strict=True)
        ]
    )


def _usual_value(column: Column, present: FloatArray) -> float:
    if len(present) == 0:
        return np.nan
    if column.kind in ("category", "boolean"):
        return float(np.bincount(present.astype(int)).argmax())
    return float(np.median(present))


def borders_of(model: FittedModel, plane: Plane, n_trees: int) -> list[npt.NDArray[Any]]:
    """Lines between neighbouring cells that fall into different leaves, tree by tree."""
    across, up = plane.across, plane.up
    draws = model.posterior_.tree_index.ravel()
    chosen = draws[evenly_spaced(len(draws), n_trees)]
    which, tree_of = np.unique(chosen, return_inverse=True)
    forest = forest_of(model.posterior_.trees.take(which), model.engine)
    leaves = forest.apply(plane.rows)[tree_of].reshape(-1, *plane.shape)
    differs_across = (leaves[:, :, 1:] != leaves[:, :, :-1]).transpose(0, 2, 1)
    differs_up = leaves[:, 1:] != leaves[:, :-1]
    upright = [
        np.column_stack((across.edges[[line + 1] * 2], up.edges[[start, end]]))
        for line, start, end in runs(differs_across)
    ]
    level = [
        np.column_stack((across.edges[[start, end]], up.edges[[line + 1] * 2]))
        for line, start, end in runs(differs_up)
    ]
    return upright + level


def runs(is_so: npt.NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Line, beginning and end of every stretch of true cells, in the last two axes.

    Examples
    --------
    >>> runs(np.array([[True, True, False], [False, False, True]]))
    [(0, 0, 2), (1, 2, 3)]
    """
    padded = np.zeros((*is_so.shape[:-1], is_so.shape[-1] + 2), dtype=np.int8)
    padded[..., 1:-1] = is_so
    change = np.diff(padded, axis=-1)
    beginnings, ends = np.nonzero(change == 1), np.nonzero(change == -1)
    return list(
        zip(beginnings[-2].tolist(), beginnings[-1].tolist(), ends[-1].tolist(), strict=True)
    )
