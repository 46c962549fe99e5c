"""Whether the numbers of a model file make sense together.

A file may be hostile and carry the right checksum. What passes here can be predicted from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.columns import Column
from sweeptree.encoding import FloatArray
from sweeptree.files.archive import AnyArray
from sweeptree.files.errors import require
from sweeptree.fitted import TrainingRows
from sweeptree.posterior import Draws, Trees
from sweeptree.settings import LEARNED_ALPHA_SUMS, MOST_MOVES, MOST_RUNGS, TESTS
from sweeptree.stopping import WHAT_TO_DO

AT_MOST, IS_LEVEL, IN_GROUP, IS_MISSING = range(len(TESTS))

ENDINGS = ("converged", *WHAT_TO_DO)


def check_rules(arrays: Mapping[str, AnyArray], columns: Sequence[Column]) -> None:
    """Check that every rule asks something that its column can answer."""
    variable, threshold = arrays["rule_variable"], arrays["rule_threshold"]
    test, missing_left = arrays["rule_test"], arrays["rule_missing_left"]
    require((variable < len(columns)).all(), "a rule asks about a column that is not there")
    is_leaf = variable == -1
    asked_by_leaves = threshold[is_leaf].view(np.int64) | test[is_leaf] | missing_left[is_leaf]
    require(not asked_by_leaves.any(), "a leaf asks something")
    column = variable[~is_leaf]
    require(
        _can_be_asked(
            test[~is_leaf],
            threshold[~is_leaf],
            missing_left[~is_leaf] == 1,
            np.array([len(each.levels) for each in columns])[column],
            np.array([each.kind == "category" for each in columns])[column],
            np.array([each.has_missing for each in columns])[column],
        ).all(),
        "a rule asks something that its column cannot answer",
    )


def _can_be_asked(
    test: npt.NDArray[np.uint8],
    threshold: FloatArray,
    missing_left: npt.NDArray[np.bool_],
    n_levels: npt.NDArray[np.int64],
    is_category: npt.NDArray[np.bool_],
    has_missing: npt.NDArray[np.bool_],
) -> npt.NDArray[np.bool_]:
    is_whole = threshold == np.floor(threshold)
    all_levels = np.exp2(np.minimum(n_levels, 53)) - 1
    can_be_asked: npt.NDArray[np.bool_] = np.select(
        [test == AT_MOST, test == IS_LEVEL, test == IN_GROUP, test == IS_MISSING],
        [
            ~is_category,
            is_category & is_whole & (threshold >= 0) & (threshold < n_levels),
            is_category & is_whole & (threshold >= 1) & (threshold <= all_levels),
            has_missing & (threshold == 0) & missing_left,
        ],
    )
    return can_be_asked & (has_missing | ~missing_left)


def check_draws(draws: Draws) -> None:
    """Check that draws, trees and values of α fit, and that all trees sort the same rows."""
    trees, alphas = draws.trees, draws.alphas
    require(draws.alpha_index.max() < len(alphas), "a draw has an α that is not there")
    require(len(alphas) <= len(LEARNED_ALPHA_SUMS), "it has too many values of α")
    n_draws = np.bincount(draws.tree_index.ravel(), minlength=len(trees))
    require(n_draws.all(), "it has a tree that no draw is")
    is_plug_in = len(alphas) == 1 and not alphas.any()
    require(is_plug_in or (alphas > 0).all(), "an α is zero")
    n_rows = trees.leaf_counts.sum(axis=1)
    require(not is_plug_in or n_rows.all(), "a leaf has neither rows nor an α")
    of_trees = class_counts(trees)
    require((of_trees == of_trees[0]).all(), "its trees were not made of the same rows")
    require(0 < of_trees[0].sum() < 2**31, "its trees were made of no rows, or of too many")


def class_counts(trees: Trees) -> npt.NDArray[np.int64]:
    """(tree, class): training rows."""
    counts: npt.NDArray[np.int64] = np.add.reduceat(
        trees.leaf_counts, trees.leaf_offsets[:-1], axis=0, dtype=np.int64
    )
    return counts


def check_training_rows(rows: TrainingRows, columns: Sequence[Column], trees: Trees) -> None:
    """Check that the rows are those that the trees were made of, as far as can be told."""
    n_classes = trees.leaf_counts.shape[1]
    require(rows.labels.max() < n_classes, "a training row has a class that is not there")
    of_rows = np.bincount(rows.labels, minlength=n_classes)
    require(
        (class_counts(trees)[0] == of_rows).all(), "its training rows are not those of its trees"
    )
    for column, values in zip(columns, rows.X.T, strict=True):
        known = values[~np.isnan(values)]
        require(
            column.has_missing or len(known) == len(values),
            f"its column {column.name!r} has missing values, but is said to have none",
        )
        is_level = (known >= 0) & (known < len(column.levels)) & (known == np.floor(known))
        require(
            column.kind != "category" or is_level.all(),
            f"its column {column.name!r} has a level that is not there",
        )


def check_run(run: Mapping[str, Any]) -> None:
    """Check the facts of how the chains ran."""
    require(run["stopped_by"] in ENDINGS, f"its run was ended by {run['stopped_by']!r}")
    require(0 <= run["n_moves"] <= MOST_MOVES, "its number of moves cannot be")
    require(1 <= run["thin"] <= MOST_MOVES, "its number of moves between draws cannot be")
    require(1 <= run["n_rungs"] <= MOST_RUNGS, "its number of rungs cannot be")
