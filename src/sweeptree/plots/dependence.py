"""How predictions depend on one variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from sweeptree.columns import Column
from sweeptree.fitted import FittedModel, find_column_with_values, rows_of
from sweeptree.interpretation import DependenceCurve, partial_dependence
from sweeptree.interpretation.words import show_value
from sweeptree.plots.canvas import (
    MOST_LEVELS,
    add_legend,
    as_label,
    class_entries,
    height_for,
    left_out,
    lines_that_fit,
    name_axis,
    one_axes,
    positions,
)
from sweeptree.plots.style import FAINT, colours_of_classes


def plot_partial_dependence(
    model: FittedModel,
    X: Any,
    variable: str | int,
    grid: Sequence[Any] | None = None,
    level: float = 0.95,
    random_state: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw how the mean prediction depends on one variable, with credible bands.

    Of a category, points and bars stand for each level; of truth values and of a single value too.
    Of two classes the second is drawn, since the first is its mirror; of more than 8, the 7 most
    probable.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    X, variable, grid, level, random_state
        As in `sweeptree.interpretation.partial_dependence`. If a category has more levels than
        there is room for, the most frequent in X are shown, unless a grid names others.
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
    >>> ax = plots.plot_partial_dependence(model, data.data, "bare_nuclei")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('bare_nuclei', 'mean probability of 1')
    """
    column = find_column_with_values(model, variable)
    known = model.columns_[column]
    has_order = known.kind in ("number", "date")
    n_levels = (len(known.levels) or 2) if grid is None else len(grid)
    height = 4.0 if has_order else height_for(min(n_levels, MOST_LEVELS))
    ax = one_axes(ax, 6.8, height)
    if known.is_category and grid is None:
        grid = _frequent_levels(model, X, column, lines_that_fit(ax, MOST_LEVELS))
    curve = partial_dependence(model, X, column, grid, level, random_state)
    colours = colours_of_classes(curve.mean.mean(axis=0))
    if len(curve.classes) == 2:
        colours = {1: colours[1]}
        words = f"mean probability of {as_label(curve.classes[1])}"
    else:
        add_legend(ax, class_entries(curve.classes, colours))
        note = left_out(len(curve.classes) - len(colours), "less probable classes")
        words = f"mean probability{note}"
    if has_order and len(curve.values) > 1:
        _draw_curves(ax, positions(known, curve.values), curve, colours)
        name_axis(ax.xaxis, known)
        ax.set_ylabel(words)
    else:
        _draw_points(ax, known, curve, colours)
        note = left_out(n_levels - len(curve.values), "levels") if known.is_category else ""
        ax.set_xlabel(words + note)
    return ax


def _frequent_levels(model: FittedModel, X: Any, column: int, most: int) -> list[Any]:
    """Return the most frequent levels, in the order of the column's."""
    levels = model.columns_[column].levels
    places = rows_of(model, X)[:, column]
    counts = [(places == level).sum() for level in range(len(levels))]
    kept = np.argsort(-np.array(counts), kind="stable")[:most]
    return [levels[level] for level in sorted(kept.tolist())]


def _draw_curves(ax: Axes, x: Any, curve: DependenceCurve, colours: dict[int, str]) -> None:
    for place, colour in colours.items():
        lower, upper = curve.lower[:, place], curve.upper[:, place]
        ax.fill_between(x, lower, upper, color=colour, alpha=FAINT, linewidth=0)
        ax.plot(x, curve.mean[:, place], color=colour)


def _draw_points(ax: Axes, known: Column, curve: DependenceCurve, colours: dict[int, str]) -> None:
    """Points and bars; those of several classes stand closely below each other."""
    places = np.arange(len(curve.values))
    shifts = (np.arange(len(colours)) - (len(colours) - 1) / 2) * 0.8 / len(colours)
    for (place, colour), shift in zip(colours.items(), shifts, strict=True):
        lower, upper = curve.lower[:, place], curve.upper[:, place]
        ax.hlines(places + shift, lower, upper, color=colour, linewidth=2)
        ax.plot(curve.mean[:, place], places + shift, "o", color=colour, markersize=4)
    ax.set_yticks(places, labels=[as_label(show_value(known, value)) for value in curve.values])
    ax.set_ylim(len(places) - 0.5, -0.5)
    ax.set_ylabel(as_label(curve.variable))
