"""Averaging over the sampled trees (Eq. 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.engines import Forest, make_forest
from sweeptree.posterior import Draws, IntArray, Part, Trees

LeafValue = Callable[[IntArray, FloatArray], FloatArray]
"""From the class counts of leaves and a Dirichlet parameter to (leaf, value)."""

ALL_DRAWS: Part = np.s_[:, :]


def leaf_probabilities(leaf_counts: IntArray, alpha: FloatArray) -> FloatArray:
    """Class probabilities of each leaf.

    The posterior mean of the Dirichlet, (m_ij + α_j) / (n_i + Σα); with α = 0, as under the
    plug-in likelihood, the leaf's frequencies.
    """
    weights = leaf_counts + alpha
    probabilities: FloatArray = weights / weights.sum(axis=-1, keepdims=True)
    return probabilities


def leaf_votes(leaf_counts: IntArray, alpha: FloatArray) -> FloatArray:
    """Vote of each leaf: 1 for its most probable class; classes that tie share it."""
    weights = leaf_counts + alpha
    is_most_probable = weights == weights.max(axis=-1, keepdims=True)
    votes: FloatArray = is_most_probable / is_most_probable.sum(axis=-1, keepdims=True)
    return votes


def forest_of(trees: Trees, engine: str) -> Forest:
    """Lay trees out for sending rows down."""
    return make_forest(
        engine, trees.node_offsets, trees.variable, trees.test, trees.threshold, trees.missing_left
    )


def mean_probabilities(draws: Draws, X: FloatArray, engine: str) -> FloatArray:
    """(row, class): class probabilities averaged over all draws."""
    return _mean_probabilities(draws, ALL_DRAWS, forest_of(draws.trees, engine), X)


def mean_leaf_value(draws: Draws, X: FloatArray, engine: str, leaf_value: LeafValue) -> FloatArray:
    """(row, value): what is known of each row's leaf, averaged over all draws."""
    return _average(draws, ALL_DRAWS, forest_of(draws.trees, engine), X, leaf_value)


def chain_means(draws: Draws, X: FloatArray, engine: str) -> FloatArray:
    """(chain, row, class): class probabilities averaged over each chain.

    A single chain is taken as two, its halves; if it has no two draws, there is nothing to
    compare, and there are no means.
    """
    forest = forest_of(draws.trees, engine)
    means = [_mean_probabilities(draws, part, forest, X) for part in _parts_to_compare(draws)]
    return np.array(means).reshape(-1, len(X), draws.alphas.shape[1])


def spread_between_chains(draws: Draws, X: FloatArray, engine: str) -> float:
    """Tell how far apart the chains' mean probabilities are.

    The standard deviation between chains, averaged over rows and classes. A single chain is
    taken as two, its halves; NaN if it has no two draws.
    """
    means = chain_means(draws, X, engine)
    return float(np.std(means, axis=0, ddof=1).mean()) if len(means) else np.nan


def _parts_to_compare(draws: Draws) -> list[Part]:
    if draws.n_chains > 1:
        return [np.s_[chain : chain + 1, :] for chain in range(draws.n_chains)]
    half = draws.n_draws // 2
    return [np.s_[:, :half], np.s_[:, draws.n_draws - half :]] if half else []


def _mean_probabilities(draws: Draws, part: Part, forest: Forest, X: FloatArray) -> FloatArray:
    """(row, class): class probabilities averaged over a part of the draws."""
    mean = _average(draws, part, forest, X, leaf_probabilities)
    mean /= mean.sum(axis=1, keepdims=True)  # the sum of thousands of weights is rounded
    return mean


def _average(
    draws: Draws, part: Part, forest: Forest, X: FloatArray, leaf_value: LeafValue
) -> FloatArray:
    """(row, value): what is known of each row's leaf, averaged over a part of the draws."""
    shares = draws.shares(part)
    return forest.average(X, shares.sum(axis=1), _mix_over_alpha(draws, shares, leaf_value))


def _mix_over_alpha(draws: Draws, shares: FloatArray, leaf_value: LeafValue) -> FloatArray:
    """(leaf, value): the values of α that a tree was drawn with, averaged over."""
    of_tree = shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    of_leaf = np.repeat(of_tree, np.diff(draws.trees.leaf_offsets), axis=0)
    mixed: FloatArray = np.zeros(())
    for value in np.flatnonzero(shares.any(axis=0)):
        of_value = leaf_value(draws.trees.leaf_counts, draws.alphas[value])
        mixed = mixed + of_leaf[:, value, None] * of_value
    return mixed


def probability_draws(draws: Draws, X: FloatArray, engine: str) -> FloatArray:
    """(chain, draw, row, class): class probabilities of every draw."""
    leaves = forest_of(draws.trees, engine).apply(X)
    leaf_counts = draws.trees.leaf_counts[leaves[draws.tree_index]]
    return leaf_probabilities(leaf_counts, draws.alpha[:, :, None, :])
