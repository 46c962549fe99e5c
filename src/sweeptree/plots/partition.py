"""How the posterior divides the plane of two variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import LineCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator

from sweeptree.fitted import FittedModel, check_share, find_column_with_values
from sweeptree.plots.canvas import (
    LONGEST_NAME,
    MOST_LEVELS,
    as_label,
    dates,
    left_out,
    lines_that_fit,
    name_axis,
    one_axes,
)
from sweeptree.plots.plane import STRIP, Plane, Side, borders_of, make_plane, runs, side_of
from sweeptree.plots.style import ink, probability_colours
from sweeptree.prediction import mean_probabilities
from sweeptree.uncertainty.envelope import agreement_of_predicted, is_confident

LONGEST_FLAT, LONGEST_UPRIGHT = 3, 16
"""Characters of the names of levels on the x axis, lying and standing."""


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
    x, y = (find_column_with_values(model, each) for each in (x_variable, y_variable))
    if x == y:
        raise ValueError(f"x_variable and y_variable are both {x_variable!r}; name two columns.")
    place = _place_of_class(model, label)
    ax = one_axes(ax, 6.4, 4.8)
    across = side_of(model, x, lines_that_fit(ax, MOST_LEVELS, across=True))
    up = side_of(model, y, lines_that_fit(ax, MOST_LEVELS))
    plane = make_plane(model, (x, y), across, up)
    _paint(ax, model, plane, place, f"hatched: under {100 * confidence:g} % of the draws agree")
    borders = LineCollection(borders_of(model, plane, n_trees), colors=ink(), rasterized=True)
    borders.set(alpha=0.12, linewidth=0.6)
    ax.add_collection(borders, autolim=False)
    agreement = agreement_of_predicted(model, plane.rows)[1].reshape(plane.shape)
    _hatch(ax, plane, ~is_confident(agreement, confidence))
    _name_side(ax.xaxis, across, LONGEST_UPRIGHT)
    _name_side(ax.yaxis, up, LONGEST_NAME)
    if max(map(len, across.levels), default=0) > LONGEST_FLAT:
        ax.tick_params(axis="x", rotation=90)
    return ax


def _place_of_class(model: FittedModel, label: Any) -> int:
    labels = model.classes_.tolist()
    if label is None:
        return len(labels) - 1
    if label not in labels:
        raise ValueError(f"label={label!r} is no class; these are {', '.join(map(repr, labels))}.")
    return int(labels.index(label))


def _paint(ax: Axes, model: FittedModel, plane: Plane, place: int, note: str) -> None:
    """Paint each cell by the probability of a class, and say what the colours stand for."""
    probability = mean_probabilities(model.posterior_, plane.rows, model.engine)[:, place]
    mesh = ax.pcolormesh(
        plane.across.edges,
        plane.up.edges,
        probability.reshape(plane.shape),
        cmap=probability_colours(place, np.bincount(model.training_.labels)),
        vmin=0,
        vmax=1,
        rasterized=True,
    )
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label(f"probability of {as_label(model.classes_[place])}\n{note}")


def _hatch(ax: Axes, plane: Plane, is_unsure: npt.NDArray[np.bool_]) -> None:
    x, y = plane.across.edges, plane.up.edges
    boxes = [
        Path([(x[start], y[row]), (x[end], y[row]), (x[end], y[row + 1]), (x[start], y[row + 1])])
        for row, start, end in runs(is_unsure)
    ]
    whole = Path.make_compound_path(*boxes) if boxes else Path(np.empty((0, 2)))
    ax.add_patch(
        PathPatch(whole, fill=False, hatch="////", linewidth=0, edgecolor=ink(), alpha=0.5)
    )


def _name_side(axis: Axis, side: Side, longest: int) -> None:
    note = left_out(side.n_left_out, "levels")
    name_axis(axis, side.column, as_label(side.column.name) + note)
    if side.levels:
        labels = [as_label(name, longest) for name in side.levels]
        axis.set_ticks(range(len(labels)), labels=labels)
    elif side.column.has_missing:
        _name_strip(axis, side)


def _name_strip(axis: Axis, side: Side) -> None:
    """Write "missing" at the last cell; values too close to it go without a number."""
    low, high, end = side.edges[0], side.edges[-2], side.edges[-1]
    if side.column.kind == "date":
        locator = dates.AutoDateLocator(minticks=2, maxticks=5)
        found = locator.tick_values(dates.num2date(low), dates.num2date(high))
        labels = list(map(dates.AutoDateFormatter(locator), found))
    else:
        found = MaxNLocator(4).tick_values(low, high)
        labels = [f"{value:g}" for value in found]
    found = np.asarray(found)
    is_clear = (found >= low) & (found <= high - 2 * STRIP * (high - low))
    ticks = [*found[is_clear], (high + end) / 2]
    axis.set_ticks(ticks, labels=[*np.array(labels)[is_clear], "missing"])
