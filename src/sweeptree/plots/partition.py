"""How the posterior divides the plane of two variables."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import LineCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator

from sweeptree.columns import Column, show_date
from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_share
from sweeptree.plots.canvas import (
    DAY,
    LONGEST_NAME,
    MOST_LEVELS,
    as_label,
    dates,
    find_column_with_values,
    left_out,
    lines_that_fit,
    name_axis,
    one_axes,
    positions,
)
from sweeptree.plots.style import ink, probability_colours
from sweeptree.prediction import forest_of, mean_probabilities
from sweeptree.uncertainty.envelope import agreement_of_predicted, is_confident

N_CELLS = 80
"""Of an ordered variable."""
LONGEST_FLAT, LONGEST_UPRIGHT = 3, 16
"""Characters of the names of levels on the x axis, lying and standing."""
STRIP = 0.1
"""Width of the strip for missing values, as a share of the range."""


def plot_partition(
    model: FittedModel,
    x_variable: str | int,
    y_variable: str | int,
    label: Any = None,
    confidence: float = 0.95,
    n_trees: int = 40,
    ax: Axes | None = None,
) -> Axes:
    """Draw the probability of a class over two variables, and where trees cut.

    Colour is the posterior mean; hatching marks where the draws disagree about the class; faint
    lines are the borders between leaves of some draws. All other variables have their median in
    the training rows, or their most frequent level. A variable that had missing values has a strip
    of its own for these.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    x_variable, y_variable : str or int
        Names or numbers of two columns. Of a category with more levels than there is room for,
        the most frequent are shown.
    label : class label, default=None
        Class whose probability is shown; None: the last.
    confidence : float, default=0.95
        Hatched is where a smaller share of the draws votes for the predicted class.
    n_trees : int, default=40
        Evenly spaced draws whose borders are drawn.
    ax : Axes, default=None

    Returns
    -------
    Axes

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier, plots
    >>> from sweeptree.datasets import load_wisconsin
    >>> data = load_wisconsin(as_frame=True)
    >>> model = BayesianTreeClassifier(n_burn_in=5000, n_draws=100, random_state=0)
    >>> model = model.fit(data.data, data.target)
    >>> ax = plots.plot_partition(model, "bare_nuclei", "cl_thickness")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('bare_nuclei', 'cl_thickness')
    """
    check_share("confidence", confidence)
    if n_trees < 1:
        raise ValueError(f"n_trees must be at least 1, got {n_trees!r}.")
    columns = [find_column_with_values(model, each) for each in (x_variable, y_variable)]
    if columns[0] == columns[1]:
        raise ValueError(f"x_variable and y_variable are both {x_variable!r}; name two columns.")
    place = _place_of_class(model, label)
    ax = one_axes(ax, 6.4, 4.8)
    across = _side_of(model, columns[0], lines_that_fit(ax, MOST_LEVELS, across=True))
    up = _side_of(model, columns[1], lines_that_fit(ax, MOST_LEVELS))
    rows = _rows_of_plane(model, columns, across, up)
    shape = (len(up.values), len(across.values))
    probability = mean_probabilities(model.posterior_, rows, model.engine)[:, place]
    mesh = ax.pcolormesh(
        across.edges,
        up.edges,
        probability.reshape(shape),
        cmap=probability_colours(place, np.bincount(model.training_.labels)),
        vmin=0,
        vmax=1,
        rasterized=True,
    )
    borders = _borders(model, rows, across, up, n_trees)
    ax.add_collection(
        LineCollection(borders, colors=ink(), alpha=0.12, linewidths=0.6, rasterized=True),
        autolim=False,
    )
    agreement = agreement_of_predicted(model, rows)[1].reshape(shape)
    ax.add_patch(_hatching(~is_confident(agreement, confidence), across, up))
    _name_side(ax.xaxis, across, LONGEST_UPRIGHT)
    _name_side(ax.yaxis, up, LONGEST_NAME)
    if max(map(len, across.levels), default=0) > LONGEST_FLAT:
        ax.tick_params(axis="x", rotation=90)
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label(
        f"probability of {as_label(model.classes_[place])}\n"
        f"hatched: under {100 * confidence:g} % of the draws agree"
    )
    return ax


def _place_of_class(model: FittedModel, label: Any) -> int:
    labels = model.classes_.tolist()
    if label is None:
        return len(labels) - 1
    if label not in labels:
        raise ValueError(f"label={label!r} is no class; these are {', '.join(map(repr, labels))}.")
    return int(labels.index(label))


class _Side(NamedTuple):
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


def _side_of(model: FittedModel, column: int, most_levels: int) -> _Side:
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
    return _Side(known, values, positions(known, edges), [], 0)


def _side_of_levels(known: Column, present: FloatArray, most_levels: int) -> _Side:
    """Return the most frequent levels, in the order of the column's."""
    names = [str(level) for level in known.levels] or ["False", "True"]
    counts = np.bincount(present.astype(int), minlength=len(names))
    n_strips = int(known.has_missing)
    kept = np.sort(np.argsort(-counts, kind="stable")[: max(most_levels - n_strips, 1)])
    values = np.concatenate((kept.astype(np.float64), np.full(n_strips, np.nan)))
    levels = [*(names[place] for place in kept), *["missing"] * n_strips]
    edges = np.linspace(-0.5, len(values) - 0.5, len(values) + 1)
    return _Side(known, values, edges.astype(np.float64), levels, len(names) - len(kept))


def _name_side(axis: Axis, side: _Side, longest: int) -> None:
    note = left_out(side.n_left_out, "levels")
    name_axis(axis, side.column, as_label(side.column.name) + note)
    if side.levels:
        labels = [as_label(name, longest) for name in side.levels]
        axis.set_ticks(range(len(labels)), labels=labels)
    elif side.column.has_missing:
        _name_strip(axis, side)


def _name_strip(axis: Axis, side: _Side) -> None:
    """Write "missing" at the last cell; values too close to it go without a number."""
    low, high, end = side.edges[0], side.edges[-2], side.edges[-1]
    if side.column.kind == "date":
        ends = dates.num2date(low), dates.num2date(high)
        found = dates.date2num(dates.AutoDateLocator(maxticks=4).tick_values(*ends))
        labels = [show_date(day * DAY).split()[0] for day in found]
    else:
        found = MaxNLocator(4).tick_values(low, high)
        labels = [f"{value:g}" for value in found]
    is_clear = (found >= low) & (found <= high - 2 * STRIP * (high - low))
    ticks = [*found[is_clear], (high + end) / 2]
    axis.set_ticks(ticks, labels=[*np.array(labels)[is_clear], "missing"])


def _rows_of_plane(model: FittedModel, columns: list[int], across: _Side, up: _Side) -> FloatArray:
    """Return a row for each cell, from the bottom up; what is not shown is as in a usual case."""
    rows = np.tile(usual_case(model), (len(up.values) * len(across.values), 1))
    rows[:, columns[0]] = np.tile(across.values, len(up.values))
    rows[:, columns[1]] = np.repeat(up.values, len(across.values))
    return rows


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


def _borders(
    model: FittedModel, rows: FloatArray, across: _Side, up: _Side, n_trees: int
) -> list[npt.NDArray[Any]]:
    """Lines between neighbouring cells that fall into different leaves, tree by tree."""
    draws = model.posterior_.tree_index.ravel()
    chosen = draws[np.linspace(0, len(draws) - 1, n_trees).round().astype(int)]
    which, tree_of = np.unique(chosen, return_inverse=True)
    forest = forest_of(model.posterior_.trees.take(which), model.engine)
    leaves = forest.apply(rows)[tree_of].reshape(-1, len(up.values), len(across.values))
    differs_across = (leaves[:, :, 1:] != leaves[:, :, :-1]).transpose(0, 2, 1)
    differs_up = leaves[:, 1:] != leaves[:, :-1]
    upright = [
        np.column_stack((across.edges[[line + 1] * 2], up.edges[[start, end]]))
        for line, start, end in _runs(differs_across)
    ]
    level = [
        np.column_stack((across.edges[[start, end]], up.edges[[line + 1] * 2]))
        for line, start, end in _runs(differs_up)
    ]
    return upright + level


def _runs(is_so: npt.NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Line, beginning and end of every stretch of true cells, in the last two axes.

    Examples
    --------
    >>> _runs(np.array([[True, True, False], [False, False, True]]))
    [(0, 0, 2), (1, 2, 3)]
    """
    padded = np.zeros((*is_so.shape[:-1], is_so.shape[-1] + 2), dtype=np.int8)
    padded[..., 1:-1] = is_so
    change = np.diff(padded, axis=-1)
    beginnings, ends = np.nonzero(change == 1), np.nonzero(change == -1)
    return list(
        zip(beginnings[-2].tolist(), beginnings[-1].tolist(), ends[-1].tolist(), strict=True)
    )


def _hatching(is_unsure: npt.NDArray[np.bool_], across: _Side, up: _Side) -> PathPatch:
    x, y = across.edges, up.edges
    boxes = [
        Path([(x[start], y[row]), (x[end], y[row]), (x[end], y[row + 1]), (x[start], y[row + 1])])
        for row, start, end in _runs(is_unsure)
    ]
    whole = Path.make_compound_path(*boxes) if boxes else Path(np.empty((0, 2)))
    return PathPatch(whole, fill=False, hatch="////", linewidth=0, edgecolor=ink(), alpha=0.5)
