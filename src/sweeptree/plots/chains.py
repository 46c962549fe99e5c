"""How the chains ran: traces, sizes of trees, moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_fitted
from sweeptree.plots.canvas import AxesArray, add_legend, one_axes, several_axes
from sweeptree.plots.style import FAINT, ink, palette, rest_colour
from sweeptree.posterior import Posterior
from sweeptree.spacing import evenly_spaced

MOST_POINTS = 500
"""Of a chain that are drawn, evenly spaced."""


def plot_trace(model: FittedModel, axes: Any = None) -> AxesArray:
    """Draw how the chains went: the log posterior, and below it the number of leaves.

    Under ``trace="full"`` every move counts: the log likelihood is drawn instead, from the first
    move on, and burn-in is shaded. Of more than 500 points of a chain, 500 evenly spaced ones
    are shown.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    axes : two Axes, default=None

    Returns
    -------
    ndarray of two Axes

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier, plots
    >>> from sweeptree.datasets import make_xor3
    >>> X, y = make_xor3(200, random_state=0, return_X_y=True)
    >>> model = BayesianTreeClassifier(n_burn_in=5000, n_draws=100, random_state=0).fit(X, y)
    >>> fit, size = plots.plot_trace(model)
    >>> fit.get_ylabel(), len(size.get_lines())
    ('log posterior', 4)
    """
    check_fitted(model)
    posterior = model.posterior_
    panels = several_axes(axes, 2, 7.0, 4.6, sharex=True)
    upper, lower = panels
    full = posterior.full_trace
    if full is None:
        _draw_chains(upper, posterior.log_posterior, 1.0)
        _draw_chains(lower, posterior.n_leaves, 1.0)
    else:
        _draw_chains(upper, full.log_likelihood, 1e-3)
        _draw_chains(lower, full.n_leaves, 1e-3)
        for ax in panels:
            ax.axvspan(0, _n_burn_in(posterior) * 1e-3, color=ink(), alpha=0.08, linewidth=0)
    upper.set_ylabel("log posterior" if full is None else "log likelihood")
    lower.set_ylabel("number of leaves")
    lower.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    lower.set_xlabel("draw" if full is None else "thousand moves; burn-in shaded")
    if posterior.n_chains <= len(palette()):
        colours = palette()[: posterior.n_chains]
        add_legend(upper, [(colour, f"chain {i + 1}") for i, colour in enumerate(colours)])
    return panels


def _draw_chains(ax: Axes, traces: npt.NDArray[Any], unit: float) -> None:
    """Draw a line for each chain, its points numbered from 1 in some unit."""
    shown = evenly_spaced(traces.shape[1], MOST_POINTS)
    for chain, trace in enumerate(traces):
        colour = palette()[chain % len(palette())]
        ax.plot((shown + 1) * unit, trace[shown], color=colour, linewidth=0.7, alpha=0.8)


def _n_burn_in(posterior: Posterior) -> int:
    return posterior.n_moves - posterior.n_draws * posterior.thin


def plot_sizes(model: FittedModel, ax: Axes | None = None) -> Axes:
    """Draw the posterior of the number of leaves: bars over all draws, a line for each chain.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    ax : Axes, default=None

    Returns
    -------
    Axes

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier, plots
    >>> from sweeptree.datasets import make_xor3
    >>> X, y = make_xor3(200, random_state=0, return_X_y=True)
    >>> model = BayesianTreeClassifier(n_burn_in=5000, n_draws=100, random_state=0).fit(X, y)
    >>> ax = plots.plot_sizes(model)
    >>> round(float(sum(bar.get_height() for bar in ax.patches)), 6)
    1.0
    """
    check_fitted(model)
    n_leaves = model.posterior_.n_leaves
    ax = one_axes(ax)
    sizes = np.arange(n_leaves.min(), n_leaves.max() + 1)
    ax.bar(sizes, _shares(n_leaves, sizes), width=0.8, color=palette()[0])
    for chain in n_leaves:
        ax.plot(sizes, _shares(chain, sizes), color=ink(), alpha=FAINT, linewidth=0.8)
    ax.set(xlabel="number of leaves", ylabel="posterior probability")
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    return ax


def _shares(n_leaves: npt.NDArray[Any], sizes: npt.NDArray[Any]) -> FloatArray:
    """Share of the draws that have each size."""
    counts = np.bincount(n_leaves.ravel(), minlength=sizes[-1] + 1)
    shares: FloatArray = counts[sizes] / n_leaves.size
    return shares


def plot_moves(model: FittedModel, axes: Any = None) -> AxesArray:
    """Draw what was proposed against what was made, in burn-in and after it.

    The outlined bar is a move's share of all that were proposed; the one below it is its share of
    those made, by what became of them. A move that is drawn anew, because it was unavailable, is
    proposed and not made.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    axes : two Axes, default=None

    Returns
    -------
    ndarray of two Axes
        Burn-in, and sampling.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier, plots
    >>> from sweeptree.datasets import make_xor3
    >>> X, y = make_xor3(200, random_state=0, return_X_y=True)
    >>> model = BayesianTreeClassifier(strategy="standard", n_burn_in=5000, n_draws=100)
    >>> burn_in, sampling = plots.plot_moves(model.fit(X, y))
    >>> [label.get_text() for label in sampling.get_legend().get_texts()]
    ['proposed', 'made: accepted', 'made: rejected']
    """
    check_fitted(model)
    posterior = model.posterior_
    counts = posterior.moves.sum(axis=0)
    is_used = counts.any(axis=(0, 2))
    names = [
        name.replace("_", "-")
        for name, used in zip(posterior.move_names, is_used, strict=True)
        if used
    ]
    panels = several_axes(axes, 2, 8.6, 0.9 + 0.36 * len(names), side_by_side=True, sharex=True)
    outcomes = _outcomes_made(posterior)
    for ax, phase, of_phase in zip(panels, posterior.phase_names, counts, strict=True):
        _draw_moves(ax, of_phase[is_used], posterior, outcomes)
        ax.set_yticks(range(len(names)), labels=names)
        ax.invert_yaxis()
        ax.set(title=phase.replace("_", "-"), xlabel="share of the moves")
        ax.xaxis.set_major_locator(MaxNLocator(5))
    panels[1].tick_params(labelleft=False)
    made = [(colour, f"made: {name}") for name, colour in outcomes.items()]
    add_legend(panels[1], [(rest_colour(), "proposed"), *made])
    panels[1].get_legend().get_patches()[0].set(facecolor="none", edgecolor=rest_colour())
    return panels


def _outcomes_made(posterior: Posterior) -> dict[str, str]:
    """Colour of each outcome of moves that were made, if there are any such."""
    green, orange, blue = palette()[2], palette()[1], palette()[0]
    colours = {"accepted": blue, "swept": green, "rejected": orange}
    occurs = posterior.moves.sum(axis=(0, 1, 2))
    return {
        name: colour
        for name, colour in colours.items()
        if occurs[posterior.outcome_names.index(name)]
    }


def _draw_moves(
    ax: Axes, counts: npt.NDArray[np.int64], posterior: Posterior, outcomes: dict[str, str]
) -> None:
    places = np.arange(len(counts))
    proposed = counts.sum(axis=1)
    ax.barh(
        places - 0.2,
        proposed / max(proposed.sum(), 1),
        height=0.34,
        fill=False,
        edgecolor=rest_colour(),
        label="proposed",
    )
    made = counts[:, [posterior.outcome_names.index(name) for name in outcomes]]
    shares = made / max(made.sum(), 1)
    starts = np.cumsum(shares, axis=1) - shares
    for each, (name, colour) in enumerate(outcomes.items()):
        ax.barh(
            places + 0.2,
            shares[:, each],
            left=starts[:, each],
            height=0.34,
            color=colour,
            label=name,
        )
