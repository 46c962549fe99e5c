"""Which variables trees ask about, and where they cut them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from sweeptree.encoding import FloatArray
from sweeptree.fitted import (
    FittedModel,
    check_fitted,
    check_share,
    column_names,
)
from sweeptree.interpretation import rule_density, variable_use
from sweeptree.interpretation.variables import cuts_of, find_column_to_cut, thresholds_asked
from sweeptree.plots.canvas import (
    MOST_LEVELS,
    as_label,
    height_for,
    left_out,
    lines_that_fit,
    name_axis,
    one_axes,
    positions,
)
from sweeptree.plots.style import FAINT, palette
from sweeptree.uncertainty.intervals import tails_of


def plot_variable_use(
    model: FittedModel, most: int = 20, level: float = 0.95, ax: Axes | None = None
) -> Axes:
    r"""Draw how many splits of a tree ask about each variable, the most asked first.

    The point is the posterior mean, the line the credible interval over the draws; on the right
    stands the share of the trees that ask about the variable at all.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    most : int, default=20
        Variables to show, if there is room; how many are left out is said below.
    level : float, default=0.95
        Of the interval.
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
    >>> ax = plots.plot_variable_use(model.fit(data.data, data.target), most=5)
    >>> ax.get_xlabel()
    'splits of a tree: mean, 95 % interval\n4 variables left out'
    """
    check_fitted(model)
    check_share("level", level)
    if most < 1:
        raise ValueError(f"most must be at least 1, got {most!r}.")
    names = column_names(model)
    most = min(most, len(names))
    ax = one_axes(ax, height=height_for(most))
    table = variable_use(model)
    mean = np.asarray(table["splits"])
    shown = np.argsort(-mean, kind="stable")[: lines_that_fit(ax, most)]
    lower, upper = _splits_interval(model, shown, level)
    places = np.arange(len(shown))
    ax.hlines(places, lower, upper, color=palette()[0], linewidth=2.5, alpha=0.5)
    ax.plot(mean[shown], places, "o", color=palette()[0], markersize=5)
    ax.set_yticks(places, labels=[as_label(names[column]) for column in shown])
    ax.set_ylim(len(shown) - 0.5, -0.5)
    ax.set_xlim(left=0)
    note = left_out(len(names) - len(shown), "variables")
    ax.set_xlabel(f"splits of a tree: mean, {100 * level:g} % interval{note}")
    beside = ax.secondary_yaxis("right")
    used = np.asarray(table["used"])[shown]
    beside.set_yticks(places, labels=[f"{100 * share:.0f} %" for share in used])
    beside.set_ylabel("trees that ask about it")
    beside.spines["right"].set_visible(False)
    beside.tick_params(length=0)
    return ax


def _splits_interval(
    model: FittedModel, columns: npt.NDArray[np.intp], level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the credible interval of the number of splits on each column."""
    posterior = model.posterior_
    splits = posterior.trees.splits_by_column(model.n_features_in_)[:, columns]
    of_draws = splits[posterior.tree_index.ravel()]
    lower, upper = np.quantile(of_draws, tails_of(level), axis=0)
    return lower, upper


def plot_rule_density(model: FittedModel, variable: str | int, ax: Axes | None = None) -> Axes:
    """Draw where trees cut a variable; of a category, which levels they ask for.

    Truth values can be cut in one place only: a bar tells how often. How often a tree asks whether
    the value is missing is said below, where values were missing.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    variable : str or int
        Name or number of a column.
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
    >>> ax = plots.plot_rule_density(model.fit(data.data, data.target), "bare_nuclei")
    >>> ax.get_xlabel()
    'bare_nuclei'
    """
    column = find_column_to_cut(model, variable)
    known = model.columns_[column]
    if known.is_category:
        return _draw_levels(model, column, ax)
    if known.kind == "boolean":
        return _draw_truth(model, column, one_axes(ax, height=height_for(1)))
    return _draw_density(model, column, one_axes(ax))


def _draw_density(model: FittedModel, column: int, ax: Axes) -> Axes:
    known = model.columns_[column]
    edges = positions(known, cuts_of(model, column).edges)
    density = np.asarray(rule_density(model, column)["density"])
    ax.stairs(density, edges, fill=True, color=palette()[0], alpha=0.8)
    name_axis(ax.xaxis, known, as_label(known.name) + _asked_whether_missing(model, column))
    ax.set_ylabel("density of the cuts" + (", per day" if known.kind == "date" else ""))
    ax.set_ylim(bottom=0)
    return ax


def _draw_levels(model: FittedModel, column: int, ax: Axes | None) -> Axes:
    known = model.columns_[column]
    table = rule_density(model, column)
    splits = np.asarray(table["splits"])
    ax = one_axes(ax, height=height_for(min(len(splits), MOST_LEVELS)))
    most_asked = np.argsort(-splits, kind="stable")[: lines_that_fit(ax, MOST_LEVELS)]
    _draw_bars(ax, splits[most_asked], [as_label(known.levels[level]) for level in most_asked])
    note = left_out(len(splits) - len(most_asked), "levels")
    missing = _asked_whether_missing(model, column)
    ax.set_xlabel(f"splits of a tree that ask for the level{note}{missing}")
    ax.set_ylabel(as_label(known.name))
    return ax


def _draw_truth(model: FittedModel, column: int, ax: Axes) -> Axes:
    _draw_bars(ax, cuts_of(model, column).splits, ["False | True"])
    missing = _asked_whether_missing(model, column)
    ax.set_xlabel(f"splits of a tree that ask whether it is true{missing}")
    ax.set_ylabel(as_label(model.columns_[column].name))
    return ax


def _draw_bars(ax: Axes, splits: FloatArray, labels: list[str]) -> None:
    places = np.arange(len(splits))
    ax.barh(places, splits, color=palette()[0], alpha=1 - FAINT / 2)
    ax.set_yticks(places, labels=labels)
    ax.set_ylim(len(places) - 0.5, -0.5)


def _asked_whether_missing(model: FittedModel, column: int) -> str:
    """Say on a line of its own how often trees ask whether the value is missing."""
    if not model.columns_[column].has_missing:
        return ""
    _, weights = thresholds_asked(model, column, "is missing")
    return f"\nasked whether it is missing: {weights.sum():.2f} splits of a tree"
