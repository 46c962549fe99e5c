"""Which one of thousands of trees to show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

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
    mean_probabilities,
    vote_shares,
)
from sweeptree.settings import TESTS
from sweeptree.spacing import ranges
from sweeptree.uncertainty.envelope import is_confident

KINDS = ("map", "confident", "central")
CONFIDENCE = 0.99
MOST_PLACES = 2_000_000
"""Trees times rows that are looked at together, to bound the memory."""


def representative_tree(
    model: FittedModel, kind: str = "central", confidence: float = CONFIDENCE
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
        `speaks_for` tells how many of the draws' votes are for the same class as its own.

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
    return _pick(_Ensemble(model), kind, confidence)


def representative_trees(model: FittedModel) -> Iterator[Tree]:
    """Yield the tree of each kind; what they have in common is worked out once."""
    ensemble = _Ensemble(model)
    for kind in KINDS:
        yield _pick(ensemble, kind, CONFIDENCE)


class _Ensemble:
    """All draws, and what they say of the training rows."""

    def __init__(self, model: FittedModel) -> None:
        self.model = model
        self.draws = model.posterior_
        self.X, self.labels = model.training_

    @cached_property
    def probabilities(self) -> FloatArray:
        """(row, class): averaged over the draws."""
        return mean_probabilities(self.draws, self.X, self.model.engine)

    @cached_property
    def votes(self) -> FloatArray:
        """(row, class): share of the draws that vote for the class."""
        return vote_shares(self.draws, self.X, self.model.engine)

    def share_voting_as(self, says: npt.NDArray[np.intp]) -> FloatArray:
        """Share of the draws that vote for a class of each row."""
        share: FloatArray = self.votes[np.arange(len(says)), says]
        return share


def _pick(ensemble: _Ensemble, kind: str, confidence: float) -> Tree:
    candidates = _Candidates(ensemble.draws)
    if kind == "map":
        keys = [-candidates.log_posterior]
    elif kind == "central":
        keys = [_distances_from_ensemble(ensemble, candidates)]
    else:
        keys = _keys_of_confident(ensemble, confidence, candidates)
    best = np.lexsort(keys[::-1])[0]
    tree, value_of_alpha = int(candidates.tree[best]), int(candidates.value_of_alpha[best])
    return _tree_of(ensemble, tree, value_of_alpha, kind)


class _Candidates:
    """The distinct draws: pairs of a tree and a value of α, and all leaves of each."""

    def __init__(self, posterior: Posterior) -> None:
        places = posterior.tree_index, posterior.alpha_index
        highest = np.full((len(posterior.trees), len(posterior.alphas)), -np.inf)
        np.maximum.at(highest, places, posterior.log_posterior)
        self.tree, self.value_of_alpha = np.nonzero(posterior.shares(ALL_DRAWS))
        self.log_posterior = highest[self.tree, self.value_of_alpha]
        offsets = posterior.trees.leaf_offsets
        self.n_leaves = np.diff(offsets)[self.tree]
        self._starts = np.cumsum(self.n_leaves) - self.n_leaves
        self.leaf = ranges(offsets[self.tree], self.n_leaves)
        self.counts = posterior.trees.leaf_counts[self.leaf]
        self.alpha = posterior.alphas[np.repeat(self.value_of_alpha, self.n_leaves)]

    def sum_over_leaves(self, values: npt.NDArray[Any]) -> FloatArray:
        """Add up the values of each candidate's leaves."""
        total: FloatArray = np.add.reduceat(values, self._starts).astype(float)
        return total


def _distances_from_ensemble(ensemble: _Ensemble, candidates: _Candidates) -> FloatArray:
    """Squared distance of each candidate from the ensemble on training rows, but a constant."""
    in_leaf = _sum_by_leaf(ensemble, ensemble.probabilities)[candidates.leaf]
    p = leaf_probabilities(candidates.counts, candidates.alpha)
    n_in_leaf = candidates.counts.sum(axis=1)
    of_leaf = n_in_leaf * (p**2).sum(axis=1) - 2 * (p * in_leaf).sum(axis=1)
    return candidates.sum_over_leaves(of_leaf)


def _keys_of_confident(
    ensemble: _Ensemble, confidence: float, candidates: _Candidates
) -> list[FloatArray]:
    """By what the candidates are ordered, least first: the first key counts most."""
    predicted, labels = ensemble.probabilities.argmax(axis=1), ensemble.labels
    agreement = ensemble.share_voting_as(predicted)
    is_covered_case = is_confident(agreement, confidence) & (predicted == labels)
    cases = np.eye(ensemble.votes.shape[1])[labels] * is_covered_case[:, None]
    says = (candidates.counts + candidates.alpha).argmax(axis=1)
    n_covered = _sum_by_leaf(ensemble, cases)[candidates.leaf, says]
    n_correct = candidates.counts[np.arange(len(says)), says]
    return [
        -candidates.sum_over_leaves(n_covered),
        -candidates.sum_over_leaves(n_correct),
        candidates.n_leaves.astype(float),
        -candidates.log_posterior,
    ]


def _sum_by_leaf(ensemble: _Ensemble, values: FloatArray) -> FloatArray:
    """(leaf, value): values of the rows that fall into each leaf, added up."""
    X, trees = ensemble.X, ensemble.draws.trees
    forest = forest_of(trees, ensemble.model.engine)
    n_leaves = len(trees.leaf_counts)
    total = np.zeros((n_leaves, values.shape[1]))
    n_rows = max(1, MOST_PLACES // len(trees))
    for start in range(0, len(X), n_rows):
        rows = slice(start, start + n_rows)
        leaves = forest.apply(X[rows])
        for column in range(values.shape[1]):
            weights = np.broadcast_to(values[rows, column], leaves.shape)
            total[:, column] += np.bincount(leaves.ravel(), weights.ravel(), minlength=n_leaves)
    return total


def _tree_of(ensemble: _Ensemble, which: int, value_of_alpha: int, kind: str) -> Tree:
    model, posterior = ensemble.model, ensemble.draws
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
    says = tree.predict_encoded(ensemble.X).argmax(axis=1)
    speaks_for = float(ensemble.share_voting_as(says).mean().clip(max=1))
    return replace(tree, speaks_for=speaks_for)


def _shown_thresholds(tree: Trees, columns: Sequence[Column], X: FloatArray) -> Iterator[str]:
    for variable, test, threshold in zip(tree.variable, tree.test, tree.threshold, strict=True):
        if variable == -1 or TESTS[test] != "at most":
            yield ""
        else:
            yield show_threshold(columns[variable], float(threshold), X[:, variable])
