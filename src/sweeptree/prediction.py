"""Averaging over the sampled trees (Eq. 1 and 2)."""

from __future__ import annotations

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.engines import Forest, make_forest
from sweeptree.posterior import Draws, IntArray, Part, Trees


def leaf_probabilities(leaf_counts: IntArray, alpha: FloatArray) -> FloatArray:
    """Class probabilities of each leaf.

    The posterior mean of the Dirichlet, (m_ij + α_j) / (n_i + Σα); with α = 0, as under the
    plug-in likelihood, the leaf's frequencies.
    """
    weights = leaf_counts + alpha
    probabilities: FloatArray = weights / weights.sum(axis=-1, keepdims=True)
    return probabilities


def forest_of(trees: Trees, engine: str) -> Forest:
    """Lay trees out for sending rows down."""
    return make_forest(engine, trees.node_offsets, trees.variable, trees.threshold)


def mean_probabilities(draws: Draws, X: FloatArray, engine: str) -> FloatArray:
    """(row, class): class probabilities averaged over all draws."""
    return _average(draws, np.s_[:, :], forest_of(draws.trees, engine), X)


def spread_between_chains(draws: Draws, X: FloatArray, engine: str) -> float:
    """Tell how far apart the chains' mean probabilities are.

    The standard deviation between chains, averaged over rows and classes. A single chain is
    taken as two, its halves; NaN if it has no two draws.
    """
    parts: list[Part] = [np.s_[chain : chain + 1, :] for chain in range(draws.n_chains)]
    if draws.n_chains == 1:
        half = draws.n_draws // 2
        if half == 0:
            return np.nan
        parts = [np.s_[:, :half], np.s_[:, draws.n_draws - half :]]
    forest = forest_of(draws.trees, engine)
    means = np.stack([_average(draws, part, forest, X) for part in parts])
    return float(np.std(means, axis=0, ddof=1).mean())


def _average(draws: Draws, part: Part, forest: Forest, X: FloatArray) -> FloatArray:
    """(row, class): class probabilities averaged over a part of the draws."""
    shares = draws.shares(part)
    mean = forest.average(X, shares.sum(axis=1), _mixed_leaf_probabilities(draws, shares))
    mean /= mean.sum(axis=1, keepdims=True)  # the sum of thousands of weights is rounded
    return mean


def _mixed_leaf_probabilities(draws: Draws, shares: FloatArray) -> FloatArray:
    """(leaf, class): the values of α that a tree was drawn with, averaged over."""
    of_tree = shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    of_leaf = np.repeat(of_tree, np.diff(draws.trees.leaf_offsets), axis=0)
    mixed = np.zeros(draws.trees.leaf_counts.shape)
    for value in np.flatnonzero(shares.any(axis=0)):
        of_value = leaf_probabilities(draws.trees.leaf_counts, draws.alphas[value])
        mixed += of_leaf[:, value, None] * of_value
    return mixed


def probability_draws(draws: Draws, X: FloatArray, engine: str) -> FloatArray:
    """(chain, draw, row, class): class probabilities of every draw."""
    leaves = forest_of(draws.trees, engine).apply(X)
    leaf_counts = draws.trees.leaf_counts[leaves[draws.tree_index]]
    return leaf_probabilities(leaf_counts, draws.alpha[:, :, None, :])
