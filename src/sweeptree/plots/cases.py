"""One case: what the posterior says of the probability of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_fitted, check_share, rows_of
from sweeptree.interpretation.explanation import as_one_row
from sweeptree.plots.canvas import add_legend, as_label, left_out, one_axes
from sweeptree.plots.style import FAINT, colours_of_classes
from sweeptree.prediction import mean_probabilities
from sweeptree.uncertainty.intervals import probability_quantiles, tails_of
from sweeptree.uncertainty.leaf_mixture import LeafMixture, leaf_mixtures

GRID = np.linspace(0.0025, 0.9975, 400)
HIGHEST = 25.0
"""Density at which the picture is cut off: near 0 and 1 it may grow without end."""


def plot_case(model: FittedModel, x: Any, level: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw the posterior of the probability of each class, for one case.

    The curve is the exact mixture of beta distributions; under the plug-in likelihood, whose
    leaves have no spread, lines show how many of the draws give each probability. The credible
    interval is shaded, and the mean dotted. If there are more than 8 classes, the 7 most probable
    are shown.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    x : array-like of shape (n_columns,) or (1, n_columns)
        The case; one row of a table, as a Series or a table of one row.
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
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_burn_in=5000, n_draws=100, random_state=0).fit(X, y)
    >>> ax = plots.plot_case(model, X[0])
    >>> ax.get_xlabel()
    'probability of the class'
    """
    check_fitted(model)
    check_share("level", level)
    row = rows_of(model, as_one_row(model, x))
    (mixture,) = leaf_mixtures(model.posterior_, row, model.engine)
    mean = mean_probabilities(model.posterior_, row, model.engine)[0]
    interval = probability_quantiles(model.posterior_, row, model.engine, tails_of(level))[0]
    colours = colours_of_classes(mean)
    ax = one_axes(ax, 7.0, 3.6)
    draw = _draw_curve if mixture.is_spread else _draw_points
    for place, colour in colours.items():
        draw(ax, mixture, place, interval[place], colour)
        ax.axvline(mean[place], color=colour, linewidth=1, linestyle=":")
    entries = [
        (
            colour,
            f"{as_label(model.classes_[place])} {mean[place]:.2f} "
            f"[{interval[place, 0]:.2f}, {interval[place, 1]:.2f}]",
        )
        for place, colour in colours.items()
    ]
    add_legend(ax, entries, title=f"mean [{100 * level:g} % interval]")
    note = left_out(len(mean) - len(colours), "less probable classes")
    ax.set(xlabel=f"probability of the class{note}", xlim=(0, 1))
    ax.set_ylim(0, min(HIGHEST, ax.dataLim.y1 * 1.05))
    return ax


def beta_density(mixture: LeafMixture, place: int, grid: FloatArray) -> FloatArray:
    """Density of the probability of one class, of the first row of a mixture."""
    from scipy.special import betaln, xlog1py, xlogy

    a = mixture.parameters[:, place, None]
    b = mixture.parameters.sum(axis=1)[:, None] - a
    of_kinds = np.exp(xlogy(a - 1, grid) + xlog1py(b - 1, -grid) - betaln(a, b))
    density: FloatArray = (mixture.shares @ of_kinds)[0]
    return density


def _draw_curve(
    ax: Axes, mixture: LeafMixture, place: int, interval: FloatArray, colour: str
) -> None:
    density = beta_density(mixture, place, GRID)
    is_inside = (interval[0] <= GRID) & (interval[1] >= GRID)
    ax.fill_between(GRID, density, where=is_inside, color=colour, alpha=FAINT, linewidth=0)
    ax.plot(GRID, density, color=colour)
    ax.set_ylabel("posterior density")


def _draw_points(
    ax: Axes, mixture: LeafMixture, place: int, interval: FloatArray, colour: str
) -> None:
    values = mixture.parameters[:, place] / mixture.parameters.sum(axis=1)
    distinct, which = np.unique(values, return_inverse=True)
    shares = np.bincount(which, mixture.shares.toarray()[0])
    ax.vlines(distinct, 0, shares, color=colour, linewidth=2)
    ax.axvspan(*interval, color=colour, alpha=FAINT / 3, linewidth=0)
    ax.set_ylabel("share of the draws")
