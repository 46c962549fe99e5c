"""Which one of thousands of trees to show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.columns import Column
from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_fitted, check_option, check_share
from sweeptree.interpretation.tree import Tree, counts_of_nodes
from sweeptree.interpretation.words import show_threshold
from sweeptree.posterior import Posterior, Trees
from sweeptree.prediction import (
    ALL_DRAWS,
    forest_of,
    leaf_probabilities,
    leaf_votes,
    mean_leaf_value,
    mean_probabilities,
)
from sweeptree.settings import TESTS
from sweeptree.uncertainty.envelope import agreement_of_predicted, is_confident

KINDS = ("map", "confident", "central")
MOST_PLACES = 2_000_000
"""Trees times rows that are looked at together, to bound the memory."""


def representative_tree(
    model: FittedModel, kind: str = "central", confidence: float = 0.99
) -> Tree:
    """Pick one tree to show to an expert.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    kind : {"map", "confident", "central"}, default="central"
        "map": the draw of highest posterior probability. "confident": the tree that classifies
        most of the confident and correct training cases correctly; among those the one with
        fewest errors on all training cases; among those the smallest (after Schetinin et al.,
        2007). "central": the tree whose probabilities are closest to the ensemble's on the
        training cases, in squared distance.
    confidence : float, default=0.99
        Of "confident": share of the draws that must vote for a class, for a case to count as
        confident.

    Returns
    -------
    Tree
        `speaks_for` tells how much of the ensemble it stands for.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X, y)
    >>> model.representative_tree("confident").speaks_for > 0.9
    True
    """
    check_option("kind", kind, KINDS)
    check_share("confidence", confidence)
    check_fitted(model)
    posterior = model.posterior_
    candidates = _candidates(posterior)
    if kind == "map":
        keys = [-candidates.log_posterior]
    elif kind == "central":
        keys = [_distances_from_ensemble(model)[candidates.pair]]
    else:
        keys = _keys_of_confident(model, confidence, candidates)
    best = np.lexsort(keys[::-1])[0]
    tree, value_of_alpha = (int(index[best]) for index in candidates.pair)
    return _tree_of(model, tree, value_of_alpha, kind)


class _Candidates(NamedTuple):
    """The distinct draws: pairs of a tree and a value of α."""

    pair: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]
    log_posterior: FloatArray


def _candidates(posterior: Posterior) -> _Candidates:
    highest = np.full((len(posterior.trees), len(posterior.alphas)), -np.inf)
    np.maximum.at(highest, (posterior.tree_index, posterior.alpha_index), posterior.log_posterior)
    pair = np.nonzero(posterior.shares(ALL_DRAWS))
    return _Candidates((pair[0], pair[1]), highest[pair])


def _distances_from_ensemble(model: FittedModel) -> FloatArray:
    """(tree, value of α): squared distance from the ensemble on training rows, but a constant."""
    posterior = model.posterior_
    X = model.training_.X
    ensemble = mean_probabilities(posterior, X, model.engine)
    ensemble_in_leaf = _sum_by_leaf(posterior, X, model.engine, ensemble)
    n_in_leaf = posterior.trees.leaf_counts.sum(axis=1)
    distances = []
    for alpha in posterior.alphas:
        p = leaf_probabilities(posterior.trees.leaf_counts, alpha)
        of_leaf = n_in_leaf * (p**2).sum(axis=1) - 2 * (p * ensemble_in_leaf).sum(axis=1)
        distances.append(_sum_by_tree(posterior, of_leaf))
    return np.column_stack(distances)


def _keys_of_confident(
    model: FittedModel, confidence: float, candidates: _Candidates
) -> list[FloatArray]:
    """By what the candidates are ordered, least first: the first key counts most."""
    posterior, (X, labels) = model.posterior_, model.training_
    predicted, agreement = agreement_of_predicted(model, X)
    is_covered_case = is_confident(agreement, confidence) & (predicted == labels)
    cases = np.eye(len(model.classes_))[labels] * is_covered_case[:, None]
    cases_in_leaf = _sum_by_leaf(posterior, X, model.engine, cases)
    n_covered, n_correct = [], []
    leaves = np.arange(len(posterior.trees.leaf_counts))
    for alpha in posterior.alphas:
        says = (posterior.trees.leaf_counts + alpha).argmax(axis=1)
        n_covered.append(_sum_by_tree(posterior, cases_in_leaf[leaves, says]))
        n_correct.append(_sum_by_tree(posterior, posterior.trees.leaf_counts[leaves, says]))
    n_leaves = np.diff(posterior.trees.leaf_offsets)
    return [
        -np.column_stack(n_covered)[candidates.pair],
        -np.column_stack(n_correct)[candidates.pair].astype(float),
        n_leaves[candidates.pair[0]].astype(float),
        -candidates.log_posterior,
    ]


def _sum_by_leaf(
    posterior: Posterior, X: FloatArray, engine: str, values: FloatArray
) -> FloatArray:
    """(leaf, value): values of the rows that fall into each leaf, added up."""
    forest = forest_of(posterior.trees, engine)
    n_leaves = len(posterior.trees.leaf_counts)
    total = np.zeros((n_leaves, values.shape[1]))
    n_rows = max(1, MOST_PLACES // len(posterior.trees))
    for start in range(0, len(X), n_rows):
        rows = slice(start, start + n_rows)
        leaves = forest.apply(X[rows])
        for column in range(values.shape[1]):
            weights = np.broadcast_to(values[rows, column], leaves.shape)
            total[:, column] += np.bincount(leaves.ravel(), weights.ravel(), minlength=n_leaves)
    return total


def _sum_by_tree(posterior: Posterior, of_leaf: npt.NDArray[np.generic]) -> FloatArray:
    total: FloatArray = np.add.reduceat(of_leaf, posterior.trees.leaf_offsets[:-1])
    return total


def _tree_of(model: FittedModel, which: int, value_of_alpha: int, kind: str) -> Tree:
    posterior = model.posterior_
    one = posterior.trees.take(np.array([which]))
    tree = Tree(
        kind=kind,
        variable=one.variable,
        test=one.test,
        threshold=one.threshold,
        missing_left=one.missing_left,
        counts=counts_of_nodes(one),
        alpha=posterior.alphas[value_of_alpha],
        shown=tuple(_shown_thresholds(one, model.columns_, model.training_.X)),
        columns=model.columns_,
        classes=model.classes_,
        speaks_for=0.0,
        posterior_share=float(posterior.tree_weights[which]),
    )
    return replace(tree, speaks_for=_share_voting_alike(model, tree))


def _share_voting_alike(model: FittedModel, tree: Tree) -> float:
    """Share of the draws that vote as the tree does, averaged over training rows."""
    X = model.training_.X
    votes = mean_leaf_value(model.posterior_, X, model.engine, leaf_votes)
    says = tree.predict_encoded(X).argmax(axis=1)
    return float(votes[np.arange(len(X)), says].mean().clip(max=1))


def _shown_thresholds(tree: Trees, columns: Sequence[Column], X: FloatArray) -> Iterator[str]:
    for variable, test, threshold in zip(tree.variable, tree.test, tree.threshold, strict=True):
        if variable == -1 or TESTS[test] != "at most":
            yield ""
        else:
            yield show_threshold(columns[variable], float(threshold), X[:, variable])
