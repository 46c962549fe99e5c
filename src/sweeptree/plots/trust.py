"""How far predictions can be trusted: calibration, entropy, the envelope, abstaining."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_labels, check_share, rows_of
from sweeptree.plots.canvas import AxesArray, add_legend, lines_that_fit, one_axes, several_axes
from sweeptree.plots.style import FAINT, ink, palette, rest_colour
from sweeptree.prediction import mean_probabilities
from sweeptree.scores import reliability_table
from sweeptree.uncertainty import accuracy_coverage, envelope_curve
from sweeptree.uncertainty.entropies import split_entropy
from sweeptree.uncertainty.envelope import CONFIDENCES
from sweeptree.uncertainty.intervals import tails_of

N_BARS = 20


def plot_calibration(
    model: FittedModel,
    X: Any,
    y: Any,
    n_bins: int = 10,
    level: float = 0.95,
    axes: Any = None,
) -> AxesArray:
    """Draw how often predictions are right against how sure they are, and below how many are.

    The band is binomial: were the probabilities true, the share of right predictions in a bin
    would lie in it with a chance of `level`, at each bin apart.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    X : table of shape (n_rows, n_columns)
        Rows that the model has not seen.
    y : array-like of shape (n_rows,)
    n_bins : int, default=10
        Bins of equally many rows, by the probability of the predicted class.
    level : float, default=0.95
        Of the band.
    axes : two Axes, default=None

    Returns
    -------
    ndarray of two Axes

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier, plots
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_burn_in=5000, n_draws=100, random_state=0)
    >>> above, below = plots.plot_calibration(model.fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> int(sum(bar.get_height() for bar in below.patches)) == len(X[1::2])
    True
    """
    check_share("level", level)
    X = rows_of(model, X)
    check_labels(model, y, len(X))
    probabilities = mean_probabilities(model.posterior_, X, model.engine)
    table = reliability_table(y, probabilities, model.classes_, n_bins)
    confidence, n_rows = np.asarray(table["confidence"]), np.asarray(table["n_rows"])
    panels = several_axes(axes, 2, 5.2, 5.0, sharex=True, gridspec_kw={"height_ratios": (3, 1)})
    above, below = panels
    lower, upper = _binomial_range(confidence, n_rows, level)
    above.plot([0, 1], [0, 1], color=ink(), linewidth=0.8, linestyle=":")
    above.fill_between(confidence, lower, upper, color=rest_colour(), alpha=FAINT, linewidth=0)
    above.plot(confidence, table["accuracy"], "o-", color=palette()[0], markersize=5)
    above.set_ylabel("share that is right")
    above.set_title(f"band: {100 * level:g} %, binomial, were the probabilities true")
    below.hist(probabilities.max(axis=1), bins=N_BARS, color=palette()[0], alpha=0.8)
    below.set(xlabel="probability of the predicted class", ylabel="cases")
    above.set_xlim(probabilities.max(axis=1).min() - 0.02, 1.02)
    above.set_ylim(min(lower.min(), np.min(table["accuracy"])) - 0.03, 1.03)
    return panels


def _binomial_range(
    chances: FloatArray, n_rows: Any, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the range in which a share of hits lies, by the chance of a hit."""
    from scipy.stats import binom

    lower, upper = (binom.ppf(share, n_rows, chances) / n_rows for share in tails_of(level))
    return lower, upper


def plot_entropy(model: FittedModel, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Draw the entropy of the predictions that are right against that of those that are wrong.

    Each group's bars sum to one. A model that knows what it does not know has its errors on the
    right.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    X : table of shape (n_rows, n_columns)
        Rows that the model has not seen.
    y : array-like of shape (n_rows,)
    ax : Axes, default=None

    Returns
    -------
    Axes

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier, plots
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_burn_in=5000, n_draws=100, random_state=0)
    >>> ax = plots.plot_entropy(model.fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> ax.get_xlabel()
    'entropy of the prediction, nats'
    """
    X = rows_of(model, X)
    labels = check_labels(model, y, len(X))
    is_right = mean_probabilities(model.posterior_, X, model.engine).argmax(axis=1) == labels
    entropy = split_entropy(model.posterior_, X, model.engine).total
    ax = one_axes(ax)
    edges = np.linspace(0, max(np.log(len(model.classes_)), entropy.max()), N_BARS + 1)
    groups = (("right", is_right, palette()[0]), ("wrong", ~is_right, palette()[5]))
    for _, is_in, colour in groups:
        counts = np.histogram(entropy[is_in], edges)[0]
        shares = counts / max(counts.sum(), 1)
        ax.stairs(shares, edges, fill=True, color=colour, alpha=FAINT)
        ax.stairs(shares, edges, color=colour, linewidth=1.5)
    ax.set(xlabel="entropy of the prediction, nats", ylabel="share of the group")
    add_legend(ax, [(colour, f"{name}: {is_in.sum():,}") for name, is_in, colour in groups])
    return ax


def plot_envelope(
    model: FittedModel,
    X: Any,
    y: Any,
    confidences: Sequence[float] = CONFIDENCES,
    ax: Axes | None = None,
) -> Axes:
    """Draw on how many cases the trees agree and are right, disagree, and agree and are wrong.

    They agree if at least so large a share of the draws has the same most probable class, which is
    not the probability of that class.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    X : table of shape (n_rows, n_columns)
        Rows that the model has not seen.
    y : array-like of shape (n_rows,)
    confidences : sequence of float
        Shares of the draws; a bar each.
    ax : Axes, default=None

    Returns
    -------
    Axes

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier, plots
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_burn_in=5000, n_draws=100, random_state=0)
    >>> ax = plots.plot_envelope(model.fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> [label.get_text() for label in ax.get_legend().get_texts()]
    ['trees agree, right', 'trees disagree', 'trees agree, wrong']
    """
    table = envelope_curve(model, X, y, confidences)
    ax = one_axes(ax)
    parts = {
        "confident_correct": ("trees agree, right", palette()[0]),
        "uncertain": ("trees disagree", rest_colour()),
        "confident_incorrect": ("trees agree, wrong", palette()[5]),
    }
    places = np.arange(len(confidences))
    left = np.zeros(len(places))
    for part, (label, colour) in parts.items():
        shares = np.asarray(table[part])
        ax.barh(places, shares, left=left, height=0.85, color=colour, label=label)
        left = left + shares
    shown = places[:: -(-len(places) // lines_that_fit(ax, len(places)))]
    ax.set_yticks(shown, labels=[f"{confidences[place]:g}" for place in shown])
    ax.set(xlabel="share of the cases", ylabel="share of the draws that must agree", xlim=(0, 1))
    add_legend(ax, [(colour, label) for label, colour in parts.values()])
    return ax


def plot_coverage(
    model: FittedModel,
    X: Any,
    y: Any,
    by: str = "probability",
    level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw how accurate the answers are against the share of cases that get one.

    The band is the credible interval of each accuracy apart, from a Beta(1/2, 1/2) prior.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    X : table of shape (n_rows, n_columns)
        Rows that the model has not seen.
    y : array-like of shape (n_rows,)
    by : {"probability", "lower", "agreement", "entropy", "epistemic"}, default="probability"
        By what the surest cases are found, as in `reject_option`.
    level : float, default=0.95
        Of the band.
    ax : Axes, default=None

    Returns
    -------
    Axes

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier, plots
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_burn_in=5000, n_draws=100, random_state=0)
    >>> ax = plots.plot_coverage(model.fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> ax.get_ylabel()
    'accuracy of the answers'
    """
    from scipy.special import betaincinv

    check_share("level", level)
    curve = accuracy_coverage(model, X, y, by)
    n_answered = curve.coverage * len(np.asarray(y).ravel())
    n_right = curve.accuracy * n_answered
    lower, upper = (
        betaincinv(n_right + 0.5, n_answered - n_right + 0.5, share) for share in tails_of(level)
    )
    ax = one_axes(ax)
    ax.fill_between(curve.coverage, lower, upper, color=palette()[0], alpha=FAINT, linewidth=0)
    ax.plot(curve.coverage, curve.accuracy, color=palette()[0])
    ax.set(xlabel="share of the cases answered", ylabel="accuracy of the answers", xlim=(0, 1))
    ax.set_ylim(min(curve.accuracy.min(), float(lower[-1])) - 0.02, 1.01)
    ax.set_title(f"by {by}: area {curve.area:.3f}, {100 * level:g} % band")
    return ax
