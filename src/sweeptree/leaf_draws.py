"""Draws made complete: the class probabilities of the leaves, drawn too, and what follows of them.

A chain walks over trees; the class probabilities in their leaves are integrated out. Given a tree
alone, rows in one leaf depend on each other. Once its class probabilities are drawn as well they do
not, which is what a likelihood of each row and replicated data are about.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.posterior import Draws, IntArray
from sweeptree.prediction import forest_of


class DrawnLeaves:
    """Class probabilities for every leaf of every draw, from their Dirichlet."""

    def __init__(self, draws: Draws, rng: np.random.Generator) -> None:
        trees = draws.trees
        tree_of_draw = draws.tree_index.ravel()
        sizes = np.diff(trees.leaf_offsets)[tree_of_draw]
        self.starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        shift = np.repeat(trees.leaf_offsets[tree_of_draw] - self.starts, sizes)
        self.leaf = np.arange(sizes.sum()) + shift
        alpha = draws.alphas[draws.alpha_index.ravel()]
        parameters = np.repeat(alpha, sizes, axis=0)
        parameters += trees.leaf_counts[self.leaf]
        self.log_probabilities = draw_log_dirichlets(parameters, draws.alphas.any(), rng)

    def means(self, share_of_leaf: FloatArray) -> FloatArray:
        """(draw, class): mean over rows, of which so large a share falls into each leaf."""
        weighted = share_of_leaf[self.leaf, None] * np.exp(self.log_probabilities)
        means: FloatArray = np.add.reduceat(weighted, self.starts, axis=0)
        return means


def draw_log_dirichlets(
    parameters: FloatArray, is_spread: bool | np.bool_, rng: np.random.Generator
) -> FloatArray:
    """Draw the logarithm of each row's Dirichlet.

    Without spread, as in the plug-in likelihood, it is the logarithm of its mean.
    """
    if not is_spread:
        with np.errstate(divide="ignore"):
            of_mean: FloatArray = np.log(parameters / parameters.sum(axis=1, keepdims=True))
        return of_mean
    # A gamma variate with a shape near 0 underflows; its logarithm does not:
    # G(a) has the law of G(a + 1) U^(1/a).
    log_weights = np.log(rng.standard_gamma(parameters + 1))
    log_weights += np.log1p(-rng.random(parameters.shape)) / parameters
    log_total: FloatArray = np.logaddexp.reduce(log_weights, axis=1, keepdims=True)
    return log_weights - log_total


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
    rng: np.random.Generator,
) -> RowDraws:
    """Draw a class for each row from the drawn probabilities of its leaf, by every draw."""
    drawn = DrawnLeaves(draws, rng)
    leaf_of_row = forest_of(draws.trees, engine).apply(X)
    leaf_of_row -= draws.trees.leaf_offsets[:-1, None].astype(leaf_of_row.dtype)
    shape = (draws.n_chains, draws.n_draws, len(X))
    classes = np.empty(shape, dtype=np.int32)
    log_likelihood = None if labels is None else np.empty(shape)
    for place, start in zip(np.ndindex(shape[:2]), drawn.starts.tolist(), strict=True):
        of_row = drawn.log_probabilities[start + leaf_of_row[draws.tree_index[place]]]
        classes[place] = draw_classes(np.exp(of_row), rng)
        if log_likelihood is not None:
            log_likelihood[place] = of_row[np.arange(len(X)), labels]
    return RowDraws(classes, log_likelihood)


def draw_classes(probabilities: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw a class for each row of probabilities.

    Examples
    --------
    >>> draw_classes(np.array([[1.0, 0.0], [0.0, 1.0]]), np.random.default_rng(0)).tolist()
    [0, 1]
    """
    cumulated = probabilities.cumsum(axis=1)
    uniform = rng.random((len(cumulated), 1)) * cumulated[:, -1:]
    places: IntArray = (cumulated[:, :-1] <= uniform).sum(axis=1, dtype=np.int32)
    return places
