"""Trees as the page holds them: to be looked at, and to predict from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from sweeptree.columns import Column
from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel
from sweeptree.interpretation.representative import representative_trees
from sweeptree.interpretation.words import put_in_words, show_threshold, show_value
from sweeptree.posterior import Trees
from sweeptree.prediction import ALL_DRAWS
from sweeptree.settings import TESTS

N_HEAVIEST = 10
"""Trees with the most draws that are shown in any case."""
PLACE_OF_THRESHOLD = "#"


class ForestRecord:
    """Collects trees, and the questions that they ask, each question once.

    Parameters
    ----------
    model : FittedModel
    has_training : bool
        Whether the training rows are there, by which thresholds are rounded.
    """

    def __init__(self, model: FittedModel, has_training: bool) -> None:
        self.columns = model.columns_
        self.training = _distinct_values(model.training_.X) if has_training else None
        self.questions: list[dict[str, Any]] = []
        self.place_of: dict[tuple[int, int, float, bool], int] = {}

    def tree(self, one: Trees) -> dict[str, Any]:
        """Return the record of a single tree: its nodes in preorder, -1 being a leaf."""
        nodes, thresholds, shown = [], [], []
        splits = zip(one.variable, one.test, one.threshold, one.missing_left, strict=True)
        for variable, test, threshold, missing_left in splits:
            if variable == -1:
                nodes.append(-1)
                continue
            nodes.append(self._question(int(variable), int(test), threshold, bool(missing_left)))
            if TESTS[test] == "at most":
                thresholds.append(float(threshold))
                shown.append(self._shown(int(variable), float(threshold)))
        counts = one.leaf_counts.ravel().tolist()
        return {"nodes": nodes, "thresholds": thresholds, "shown": shown, "counts": counts}

    def _question(self, variable: int, test: int, threshold: float, missing_left: bool) -> int:
        """Return the number of a question; a threshold is no part of it, a level is."""
        level = 0.0 if TESTS[test] == "at most" else float(threshold)
        key = (variable, test, level, missing_left)
        if key not in self.place_of:
            self.place_of[key] = len(self.questions)
            self.questions.append(_question_record(self.columns[variable], *key))
        return self.place_of[key]

    def _shown(self, variable: int, threshold: float) -> str:
        column = self.columns[variable]
        if column.kind == "boolean":
            return ""
        if self.training is None:
            return show_value(column, threshold, 4)
        return show_threshold(column, threshold, self.training[variable])


def _question_record(
    column: Column, variable: int, test: int, level: float, missing_left: bool
) -> dict[str, Any]:
    nameless = replace(column, name="")  # its name could hold anything
    words = put_in_words(nameless, test, level, missing_left, PLACE_OF_THRESHOLD)
    has_threshold = TESTS[test] == "at most" and column.kind != "boolean"
    return {
        "column": variable,
        "test": TESTS[test],
        "level": level,
        "missingLeft": missing_left,
        "yes": words.yes.split(PLACE_OF_THRESHOLD) if has_threshold else [words.yes],
        "no": words.no.split(PLACE_OF_THRESHOLD) if has_threshold else [words.no],
    }


def _distinct_values(X: FloatArray) -> list[FloatArray]:
    return [np.unique(column[~np.isnan(column)]) for column in X.T]


def forest_record(model: FittedModel, subset: FittedModel, has_training: bool) -> dict[str, Any]:
    """Gather the trees of a page.

    Parameters
    ----------
    model : FittedModel
        All draws: they say how heavy a tree is.
    subset : FittedModel
        The draws that the page predicts from.
    has_training : bool
        Whether the training rows are there, on which representative trees are chosen.
    """
    record = ForestRecord(model, has_training)
    representative = list(_representatives(model, record)) if has_training else []
    trees = [*_trees_to_predict_from(model, subset, record), *_heaviest(model, subset, record)]
    trees.sort(key=lambda tree: -tree["share"])
    return {
        "alphas": model.posterior_.alphas.tolist(),
        "trees": trees,
        "representative": representative,
        "questions": record.questions,
        "nDraws": model.posterior_.tree_index.size,
        "nDrawsHere": subset.posterior_.tree_index.size,
        "nTrees": len(model.posterior_.trees),
    }


def _trees_to_predict_from(
    model: FittedModel, subset: FittedModel, record: ForestRecord
) -> Iterator[dict[str, Any]]:
    """Yield the subset's trees, with the values of α that each was drawn with and their shares."""
    draws = subset.posterior_
    shares = draws.shares(ALL_DRAWS)
    share_in_all = _shares_by_rules(model)
    for tree, rules in enumerate(draws.trees.rules_as_bytes()):
        alphas = [[int(i), float(shares[tree, i])] for i in np.flatnonzero(shares[tree])]
        yield {
            **record.tree(draws.trees.take(np.array([tree]))),
            "alphas": alphas,
            "share": share_in_all[rules],
        }


def _heaviest(
    model: FittedModel, subset: FittedModel, record: ForestRecord
) -> Iterator[dict[str, Any]]:
    """Yield the heaviest trees that the subset has missed; they are shown, not predicted from."""
    posterior = model.posterior_
    rules, there = posterior.trees.rules_as_bytes(), set(subset.posterior_.trees.rules_as_bytes())
    weights, shares = posterior.tree_weights, posterior.shares(ALL_DRAWS)
    for tree in np.argsort(-weights, kind="stable")[:N_HEAVIEST]:
        if rules[tree] not in there:
            yield {
                **record.tree(posterior.trees.take(np.array([tree]))),
                "alphas": [[int(shares[tree].argmax()), 0.0]],
                "share": float(weights[tree]),
            }


def _shares_by_rules(model: FittedModel) -> dict[bytes, float]:
    posterior = model.posterior_
    weights = posterior.tree_weights.tolist()
    return dict(zip(posterior.trees.rules_as_bytes(), weights, strict=True))


def _representatives(model: FittedModel, record: ForestRecord) -> Iterator[dict[str, Any]]:
    alphas = model.posterior_.alphas
    for tree in representative_trees(model):
        value_of_alpha = int(np.flatnonzero((alphas == tree.alpha).all(axis=1))[0])
        yield {
            **record.tree(tree.as_trees()),
            "kind": tree.kind,
            "alphas": [[value_of_alpha, 0.0]],
            "share": tree.posterior_share,
            "speaksFor": tree.speaks_for,
        }
