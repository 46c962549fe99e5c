"""Credible intervals of class probabilities: quantiles of mixtures of beta distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_share, rows_of
from sweeptree.partitions import maps_partitions
from sweeptree.posterior import Draws
from sweeptree.uncertainty.leaf_mixture import LeafMixture, leaf_mixtures

TOLERANCE = 1e-6
"""Largest error of a quantile, in probability."""
ENDS = np.array([TOLERANCE, 1e-5, 1e-4, 1e-3])
GRID = np.concatenate((ENDS, np.linspace(0, 1, 65)[1:-1], 1 - ENDS[::-1]))
"""Where the distribution is looked at first; the rest is done between two of these points."""
MOST_STEPS = 60


@maps_partitions
def predict_interval(model: FittedModel, X: Any, level: float = 0.95) -> FloatArray:
    """Tell where each class probability lies, with a given probability.

    The interval is equal-tailed. It covers both what the data leave open about the tree and what
    they leave open about the class probabilities inside a leaf: the posterior of a probability is
    a mixture, over the draws, of the beta distributions of the leaves that the row falls into.
    Its quantiles are solved for, not sampled. Under the plug-in likelihood a leaf's probabilities
    are its frequencies, without spread; there the interval shows the spread between trees alone,
    and is too narrow.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : array-like of shape (n_rows, n_columns)
    level : float, default=0.95
        Probability that the interval holds, between 0 and 1.

    Returns
    -------
    ndarray of shape (n_rows, n_classes, 2)
        Lower and upper end, classes in the order of `classes_`.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X, y)
    >>> interval = model.predict_interval(X[:3], level=0.9)
    >>> interval.shape
    (3, 2, 2)
    >>> bool((interval[..., 0] <= interval[..., 1]).all())
    True
    """
    level = check_share("level", level)
    X = rows_of(model, X)
    return probability_quantiles(model.posterior_, X, model.engine, tails_of(level))


def tails_of(level: float) -> FloatArray:
    """Shares below the two ends of an equal-tailed interval.

    Examples
    --------
    >>> tails_of(0.5).tolist()
    [0.25, 0.75]
    """
    return np.array([(1 - level) / 2, (1 + level) / 2])


def probability_quantiles(
    draws: Draws, X: FloatArray, engine: str, shares: FloatArray
) -> FloatArray:
    """(row, class, share): quantiles of each class probability over the posterior.

    The shares must be ascending, and symmetric about one half.
    """
    n_classes = draws.alphas.shape[1]
    quantiles = np.empty((len(X), n_classes, len(shares)))
    for mixture in leaf_mixtures(draws, X, engine):
        if n_classes == 2:
            of_second = _quantiles_of_class(mixture, 1, shares)
            quantiles[mixture.rows, 1] = of_second
            quantiles[mixture.rows, 0] = 1 - of_second[:, ::-1]
            continue
        for each in range(n_classes):
            quantiles[mixture.rows, each] = _quantiles_of_class(mixture, each, shares)
    return quantiles


def _quantiles_of_class(mixture: LeafMixture, which: int, shares: FloatArray) -> FloatArray:
    """(row, share): quantiles of the probability of one class."""
    a = mixture.parameters[:, which]
    b = mixture.parameters.sum(axis=1) - a
    if not mixture.is_spread:
        return _quantiles_of_points(a / (a + b), mixture.shares, shares)
    return _BetaMixtures(a, b, mixture.shares).quantiles(shares)


def _quantiles_of_points(values: FloatArray, weights: Any, shares: FloatArray) -> FloatArray:
    order = np.argsort(values)
    ascending = values[order]
    quantiles = np.empty((weights.shape[0], len(shares)))
    for row in range(len(quantiles)):
        below = np.cumsum(weights[[row]].toarray()[0, order])
        place = np.searchsorted(below, shares * below[-1] - 1e-12)
        quantiles[row] = ascending[place.clip(max=len(ascending) - 1)]
    return quantiles


class _BetaMixtures:
    """A mixture of beta distributions for each row.

    Parameters
    ----------
    a, b : array of shape (n_components,)
    weights : sparse matrix (CSR) of shape (n_rows, n_components)
    """

    def __init__(self, a: FloatArray, b: FloatArray, weights: Any) -> None:
        from scipy.special import betaln

        self.a, self.b, self.weights = a, b, weights
        self.log_norm = betaln(a, b)

    def quantiles(self, shares: FloatArray) -> FloatArray:
        """(row, share): quantiles of each row's mixture."""
        from scipy.special import betainc

        table = betainc(self.a[:, None], self.b[:, None], GRID)
        on_grid = np.clip(self.weights @ table, 0, 1)
        solved: FloatArray = np.column_stack([self._solve(share, on_grid) for share in shares])
        return solved

    def _solve(self, share: float, on_grid: FloatArray) -> FloatArray:
        """Find each row's quantile: Newton's steps inside a bracket, halving where they fail."""
        edges = np.concatenate(([0.0], GRID, [1.0]))
        heights = np.column_stack((np.zeros(len(on_grid)), on_grid, np.ones(len(on_grid))))
        cell = (heights[:, 1:-1] < share).sum(axis=1)
        rows = np.arange(len(on_grid))
        low, high = edges[cell], edges[cell + 1]
        below, above = heights[rows, cell], heights[rows, cell + 1]
        rise = np.maximum(above - below, np.finfo(float).tiny)
        x: FloatArray = low + (high - low) * ((share - below) / rise).clip(0.05, 0.95)
        active = rows[high - low > TOLERANCE]
        for _ in range(MOST_STEPS):
            if len(active) == 0:
                break
            height, slope = self._height_and_slope(active, x[active])
            is_above = height >= share
            high[active[is_above]] = x[active[is_above]]
            low[active[~is_above]] = x[active[~is_above]]
            middle = (low[active] + high[active]) / 2
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                step = (share - height) / slope
            newton = x[active] + step
            is_inside = (newton > low[active]) & (newton < high[active])
            x[active] = np.where(is_inside, newton, middle)
            is_done = is_inside & (np.abs(step) < TOLERANCE)
            active = active[~is_done & (high[active] - low[active] > TOLERANCE)]
        return x

    def _height_and_slope(
        self, rows: npt.NDArray[np.intp], x: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Distribution function and density of some rows' mixtures, each at a point of its own."""
        from scipy.special import betainc

        part = self.weights[rows]
        a, b = self.a[part.indices], self.b[part.indices]
        at = np.repeat(x, np.diff(part.indptr))
        log_density = (a - 1) * np.log(at) + (b - 1) * np.log1p(-at) - self.log_norm[part.indices]
        starts = part.indptr[:-1]
        height = np.add.reduceat(part.data * betainc(a, b, at), starts)
        slope = np.add.reduceat(part.data * np.exp(log_density), starts)
        return height, slope
