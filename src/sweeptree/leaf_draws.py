"""Draws made complete: class probabilities of the leaves, drawn too, and what rows make of them.

A chain walks over trees; the class probabilities in their leaves are integrated out. Given a tree
alone, rows in one leaf depend on each other. Once its class probabilities are drawn as well they do
not, which is what a pointwise likelihood and replicated data are about.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.posterior import Draws, IntArray
from sweeptree.prediction import forest_of, leaf_probabilities


class RowDraws(NamedTuple):
    """What each complete draw makes of each row."""

    classes: IntArray
    """(chain, draw, row): a class drawn for it, as its place."""
    log_likelihood: FloatArray | None
    """(chain, draw, row): log probability of its own class; None where that is not known."""


def draw_rows(
    draws: Draws,
    X: FloatArray,
    labels: npt.NDArray[np.intp] | None,
    engine: str,
    rng: np.random.RandomState,
) -> RowDraws:
    """Draw the class probabilities of every draw's leaves, and from them a class for each row."""
    leaf_of_row = forest_of(draws.trees, engine).apply(X)
    first_leaf = draws.trees.leaf_offsets
    shape = (draws.n_chains, draws.n_draws, len(X))
    classes = np.empty(shape, dtype=np.int32)
    log_likelihood = None if labels is None else np.empty(shape)
    for place in np.ndindex(shape[:2]):
        tree = draws.tree_index[place]
        counts = draws.trees.leaf_counts[first_leaf[tree] : first_leaf[tree + 1]]
        alpha = draws.alphas[draws.alpha_index[place]]
        of_leaf = draw_log_probabilities(counts, alpha, rng)
        of_row = of_leaf[leaf_of_row[tree] - first_leaf[tree]]
        classes[place] = draw_classes(np.exp(of_row), rng)
        if log_likelihood is not None:
            log_likelihood[place] = of_row[np.arange(len(X)), labels]
    return RowDraws(classes, log_likelihood)


def draw_log_probabilities(
    leaf_counts: IntArray, alpha: FloatArray, rng: np.random.RandomState
) -> FloatArray:
    """(leaf, class): logarithms of class probabilities drawn from each leaf's Dirichlet.

    With α = 0, as under the plug-in likelihood, they are the leaf's frequencies. A gamma variable
    with a small parameter is often too small for a float, so its logarithm is what is drawn: that
    of one with a parameter larger by 1, and of a uniform to the power 1 over the parameter.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> drawn = [draw_log_probabilities([[8, 0]], [0.5, 0.5], rng) for _ in range(2000)]
    >>> round(float(np.exp(drawn)[:, 0, 0].mean()), 2)  # (8 + 0.5) / (8 + 1)
    0.94
    """
    if not np.any(alpha):
        with np.errstate(divide="ignore"):
            return np.log(leaf_probabilities(leaf_counts, alpha))
    parameters = np.asarray(leaf_counts) + alpha
    uniform = 1.0 - rng.random_sample(parameters.shape)
    log_gamma = np.log(rng.standard_gamma(parameters + 1.0)) + np.log(uniform) / parameters
    log_total: FloatArray = np.logaddexp.reduce(log_gamma, axis=-1, keepdims=True)
    return log_gamma - log_total


def draw_classes(probabilities: FloatArray, rng: np.random.RandomState) -> IntArray:
    """Draw a class for each row of probabilities.

    Examples
    --------
    >>> draw_classes(np.array([[1.0, 0.0], [0.0, 1.0]]), np.random.RandomState(0)).tolist()
    [0, 1]
    """
    cumulated = probabilities.cumsum(axis=1)
    uniform = rng.random_sample((len(cumulated), 1)) * cumulated[:, -1:]
    places: IntArray = (cumulated[:, :-1] <= uniform).sum(axis=1, dtype=np.int32)
    return places
