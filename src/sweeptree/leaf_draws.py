"""Class probabilities of leaves, drawn, and classes of rows drawn from them."""

from __future__ import annotations

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.posterior import Draws, IntArray
from sweeptree.spacing import ranges


class DrawnLeaves:
    """Class probabilities for every leaf of every draw, from their Dirichlet."""

    def __init__(self, draws: Draws, rng: np.random.Generator) -> None:
        trees = draws.trees
        tree_of_draw = draws.tree_index.ravel()
        sizes = np.diff(trees.leaf_offsets)[tree_of_draw]
        self.starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        self.leaf = ranges(trees.leaf_offsets[tree_of_draw], sizes)
        alpha = draws.alphas[draws.alpha_index.ravel()]
        parameters = np.repeat(alpha, sizes, axis=0)
        parameters += trees.leaf_counts[self.leaf]
        self.probabilities = draw_dirichlets(parameters, not draws.is_plug_in, rng)

    def means(self, share_of_leaf: FloatArray) -> FloatArray:
        """(draw, class): mean over rows, of which so large a share falls into each leaf."""
        weighted = share_of_leaf[self.leaf, None] * self.probabilities
        means: FloatArray = np.add.reduceat(weighted, self.starts, axis=0)
        return means


def draw_dirichlets(
    parameters: FloatArray, is_spread: bool, rng: np.random.Generator
) -> FloatArray:
    """Draw from each row's Dirichlet; without spread, as in the plug-in likelihood, its mean."""
    weights = parameters
    if is_spread:
        # A gamma variate with a shape near 0 underflows; its logarithm does not:
        # G(a) has the law of G(a + 1) U^(1/a).
        log_weights = np.log(rng.standard_gamma(parameters + 1))
        log_weights += np.log1p(-rng.random(parameters.shape)) / parameters
        weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    probabilities: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return probabilities


def draw_classes(draws: Draws, leaf_of_row: IntArray, rng: np.random.Generator) -> IntArray:
    """(chain, draw, row): a class for each row, by every draw, as its place.

    The class probabilities of a leaf are drawn first: rows that share a leaf share what is not
    known of it.

    Parameters
    ----------
    draws : Draws
    leaf_of_row : array of shape (n_trees, n_rows)
    rng : Generator
    """
    drawn = DrawnLeaves(draws, rng)
    place_of_row = leaf_of_row - draws.trees.leaf_offsets[:-1, None]
    classes = np.empty((*draws.tree_index.shape, leaf_of_row.shape[1]), dtype=np.int32)
    for place, start in zip(np.ndindex(draws.tree_index.shape), drawn.starts, strict=True):
        of_row = drawn.probabilities[start + place_of_row[draws.tree_index[place]]]
        classes[place] = _pick(of_row, rng)
    return classes


def _pick(probabilities: FloatArray, rng: np.random.Generator) -> IntArray:
    cumulated = probabilities.cumsum(axis=1)
    uniform = rng.random((len(cumulated), 1)) * cumulated[:, -1:]
    places: IntArray = (cumulated[:, :-1] <= uniform).sum(axis=1, dtype=np.int32)
    return places
