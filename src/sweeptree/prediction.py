"""Averaging over the sampled trees (Eq. 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.engines import Forest, make_forest
from sweeptree.posterior import Draws, IntArray, Part, Trees

LeafValue = Callable[[IntArray, FloatArray], FloatArray]
"""From the class counts of leaves and a Dirichlet parameter to (leaf, value)."""

Predictor = Callable[[FloatArray], FloatArray]
"""From rows to (row, value)."""

ALL_DRAWS: Part = np.s_[:, :]

SHARE_DECIMALS = 12
"""To which shares of draws are rounded."""


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


def forest_of(trees: Trees, engine: str, n_threads: int = 1) -> Forest:
    """Lay trees out for sending rows down."""
    return make_forest(
        engine,
        trees.node_offsets,
        trees.variable,
        trees.test,
        trees.threshold,
        trees.missing_left,
        n_threads,
    )


def mean_probabilities(draws: Draws, X: FloatArray, engine: str, n_threads: int = 1) -> FloatArray:
    """(row, class): class probabilities averaged over all draws."""
    return predictor_of(draws, engine, n_threads)(X)


def predictor_of(draws: Draws, engine: str, n_threads: int = 1) -> Predictor:
    """Lay all draws out once, to predict the class probabilities of one table after another."""
    return _predictor(draws, ALL_DRAWS, forest_of(draws.trees, engine, n_threads))


def mean_leaf_value(draws: Draws, X: FloatArray, engine: str, leaf_value: LeafValue) -> FloatArray:
    """(row, value): what is known of each row's leaf, averaged over all draws."""
    return _averager(draws, ALL_DRAWS, forest_of(draws.trees, engine), leaf_value)(X)


def vote_shares(draws: Draws, X: FloatArray, engine: str) -> FloatArray:
    """(row, class): share of the draws that vote for the class.

    Sums of thousands of weights are rounded, so that all of the draws are 1 and 15 of 16 .9375.
    """
    return mean_leaf_value(draws, X, engine, leaf_votes).round(SHARE_DECIMALS)


def chain_means(draws: Draws, X: FloatArray, engine: str, n_threads: int = 1) -> FloatArray:
    """(chain, row, class): class probabilities averaged over each chain.

    A single chain is taken as two, its halves; if it has no two draws, there is nothing to
    compare, and there are no means.
    """
    forest = forest_of(draws.trees, engine, n_threads)
    means = [_predictor(draws, part, forest)(X) for part in _parts_to_compare(draws)]
    return np.array(means).reshape(-1, len(X), draws.alphas.shape[1])


def spread_between_chains(draws: Draws, X: FloatArray, engine: str, n_threads: int = 1) -> float:
    """Tell how far apart the chains' mean probabilities are.

    The standard deviation between chains, averaged over rows and classes. A single chain is
    taken as two, its halves; NaN if it has no two draws.
    """
    means = chain_means(draws, X, engine, n_threads)
    return float(np.std(means, axis=0, ddof=1).mean()) if len(means) else np.nan


def _parts_to_compare(draws: Draws) -> list[Part]:
    if draws.n_chains > 1:
        return [np.s_[chain : chain + 1, :] for chain in range(draws.n_chains)]
    half = draws.n_draws // 2
    return [np.s_[:, :half], np.s_[:, draws.n_draws - half :]] if half else []


def _predictor(draws: Draws, part: Part, forest: Forest) -> Predictor:
    """Predict by a part of the draws."""
    average = _averager(draws, part, forest, leaf_probabilities)

    def predict(X: FloatArray) -> FloatArray:
        mean = average(X)
        mean /= mean.sum(axis=1, keepdims=True)  # the sum of thousands of weights is rounded
        return mean

    return predict


def _averager(draws: Draws, part: Part, forest: Forest, leaf_value: LeafValue) -> Predictor:
    """Average what is known of each row's leaf over a part of the draws."""
    shares = draws.shares(part)
    weights, values = shares.sum(axis=1), _mix_over_alpha(draws, shares, leaf_value)
    return lambda X: forest.average(X, weights, values)


def _mix_over_alpha(draws: Draws, shares: FloatArray, leaf_value: LeafValue) -> FloatArray:
    """(leaf, value): the values of α that a tree was drawn with, averaged over."""
    of_tree = shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    n_leaves = np.diff(draws.trees.leaf_offsets)
    mixed: FloatArray | None = None
    for value in np.flatnonzero(shares.any(axis=0)):
        of_leaf = np.repeat(of_tree[:, value], n_leaves)
        leaves = np.flatnonzero(of_leaf)  # of most trees all other values have no share
        of_value = leaf_value(draws.trees.leaf_counts[leaves], draws.alphas[value])
        if mixed is None:
            mixed = np.zeros((len(of_leaf), of_value.shape[1]))
        mixed[leaves] += of_leaf[leaves, None] * of_value
    assert mixed is not None
    return mixed


def probability_draws(draws: Draws, X: FloatArray, engine: str) -> FloatArray:
    """(chain, draw, row, class): class probabilities of every draw."""
    leaves = forest_of(draws.trees, engine).apply(X)
    leaf_counts = draws.trees.leaf_counts[leaves[draws.tree_index]]
    return leaf_probabilities(leaf_counts, draws.alpha[:, :, None, :])
