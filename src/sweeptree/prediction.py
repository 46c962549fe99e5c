"""Averaging over the sampled trees (Eq. 1 and 2)."""

from __future__ import annotations

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.engines import Forest, make_forest
from sweeptree.posterior import IntArray, Posterior, Trees
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
    posterior: Posterior, target: TargetSettings, X: FloatArray, engine: str
) -> FloatArray:
    """(row, class): class probabilities averaged over all draws."""
    values = leaf_probabilities(posterior.trees.leaf_counts, target)
    forest = forest_of(posterior.trees, engine)
    mean = forest.average(X, posterior.tree_weights, values)
    mean /= mean.sum(axis=1, keepdims=True)  # the sum of thousands of weights is rounded
    return mean


def probability_draws(
    posterior: Posterior, target: TargetSettings, X: FloatArray, engine: str
) -> FloatArray:
    """(chain, draw, row, class): class probabilities of every draw."""
    values = leaf_probabilities(posterior.trees.leaf_counts, target)
    leaves = forest_of(posterior.trees, engine).apply(X)
    draws: FloatArray = values[leaves[posterior.tree_index]]
    return draws
