"""Averaging over the sampled trees (Eq. 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.engines import Forest, make_forest
from sweeptree.posterior import Draws, IntArray, Trees
from sweeptree.settings import TargetSettings


def leaf_probabilities(leaf_counts: IntArray, target: TargetSettings) -> FloatArray:
    """Class probabilities of each leaf.

    The posterior mean of the Dirichlet, (m_ij + α_j) / (n_i + Σα), or the leaf's frequencies
    under the plug-in likelihood.
    """
    alpha = np.array(target.alpha) if target.likelihood == "marginal" else 0.0
    weights = leaf_counts + alpha
    probabilities: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return probabilities


def forest_of(trees: Trees, engine: str) -> Forest:
    """Lay trees out for sending rows down."""
    return make_forest(engine, trees.node_offsets, trees.variable, trees.threshold)


def mean_probabilities(
    draws: Draws, target: TargetSettings, X: FloatArray, engine: str
) -> FloatArray:
    """(row, class): class probabilities averaged over all draws."""
    mean: FloatArray = _averages(draws, [draws.tree_index], target, X, engine)[0]
    return mean


def spread_between_chains(
    draws: Draws, target: TargetSettings, X: FloatArray, engine: str
) -> float:
    """Tell how far apart the chains' mean probabilities are.

    The standard deviation between chains, averaged over rows and classes. A single chain is
    taken as two, its halves; NaN if it has no two draws.
    """
    groups = list(draws.tree_index)
    if len(groups) == 1:
        half = draws.n_draws // 2
        groups = [groups[0][:half], groups[0][draws.n_draws - half :]]
    if not groups[0].size:
        return np.nan
    means = _averages(draws, groups, target, X, engine)
    return float(np.std(means, axis=0, ddof=1).mean())


def _averages(
    draws: Draws, groups: Sequence[IntArray], target: TargetSettings, X: FloatArray, engine: str
) -> FloatArray:
    """(group, row, class): class probabilities averaged over groups of draws, each by its trees."""
    values = leaf_probabilities(draws.trees.leaf_counts, target)
    forest = forest_of(draws.trees, engine)
    means = np.stack([forest.average(X, draws.tree_shares(group), values) for group in groups])
    means /= means.sum(axis=-1, keepdims=True)  # the sum of thousands of weights is rounded
    return means


def probability_draws(
    draws: Draws, target: TargetSettings, X: FloatArray, engine: str
) -> FloatArray:
    """(chain, draw, row, class): class probabilities of every draw."""
    values = leaf_probabilities(draws.trees.leaf_counts, target)
    leaves = forest_of(draws.trees, engine).apply(X)
    probabilities: FloatArray = values[leaves[draws.tree_index]]
    return probabilities
