"""What most draws ask on the way of one case through their trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from sweeptree.columns import Column
from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel
from sweeptree.frames import make_frame, records_of
from sweeptree.interpretation.words import is_missing, relation, show_beside, show_value
from sweeptree.prediction import SHARE_DECIMALS, forest_of


class Condition(NamedTuple):
    """What is asked of a column; thresholds on one side of the case count as one condition."""

    column: int
    relation: str


def find_conditions(model: FittedModel, row: FloatArray, min_share: float) -> Any:
    """Find the conditions that most draws have, the tightest of each kind in each tree."""
    found: dict[Condition, dict[int, float]] = {}
    for tree, path in enumerate(_paths(model, row)):
        for condition, threshold in path:
            of_trees = found.setdefault(condition, {})
            tighter = min if condition.relation == "<=" else max
            of_trees[tree] = tighter(of_trees.get(tree, threshold), threshold)
    weights = model.posterior_.tree_weights
    rows = []
    for condition, of_trees in found.items():
        weight = weights[list(of_trees)]
        share = round(float(weight.sum()), SHARE_DECIMALS)
        if share >= min_share:
            thresholds = np.array(list(of_trees.values()))
            quantiles = weighted_quantiles(thresholds, weight, np.array([0.5, 0.05, 0.95]))
            rows.append((share, condition, quantiles))
    rows.sort(key=lambda found: -found[0])
    return _as_table(model.columns_, row, rows)


def _as_table(
    columns: tuple[Column, ...],
    row: FloatArray,
    rows: list[tuple[float, Condition, FloatArray]],
) -> Any:
    conditions = [condition for _, condition, _ in rows]
    quantiles = np.array([each for _, _, each in rows], dtype=float).reshape(-1, 3)
    return make_frame(
        {
            "variable": np.array([columns[c.column].name for c in conditions], dtype=object),
            "value": as_users_values(columns, row, [c.column for c in conditions]),
            "relation": np.array([c.relation for c in conditions], dtype=object),
            "share": np.array([share for share, _, _ in rows], dtype=float),
            "threshold": quantiles[:, 0],
            "lower": quantiles[:, 1],
            "upper": quantiles[:, 2],
        }
    )


def as_users_values(columns: tuple[Column, ...], row: FloatArray, places: list[int]) -> Any:
    """Return values of a row as they were in the user's table; numbers if all of them are."""
    if all(columns[place].kind == "number" for place in places):
        return row[places]
    return np.array([columns[place].show(row[place]) for place in places] + [None])[:-1]


def _paths(model: FittedModel, row: FloatArray) -> Iterator[list[tuple[Condition, float]]]:
    """Yield the conditions that lead to the row's leaf, tree by tree."""
    trees = model.posterior_.trees
    leaves = forest_of(trees, model.engine).apply(row[None])[:, 0]
    node_of_leaf = np.flatnonzero(trees.variable == -1)
    variable, right = trees.variable.tolist(), trees.right_children.tolist()
    test, threshold = trees.test.tolist(), trees.threshold.tolist()
    missing = np.isnan(row).tolist()
    for node, end in zip(trees.node_offsets[:-1].tolist(), node_of_leaf[leaves], strict=True):
        path = []
        while node != end:
            place, is_left = variable[node], bool(end < right[node])
            words = relation(model.columns_[place], test[node], threshold[node], is_left)
            if missing[place] and model.columns_[place].has_missing:
                words = "is missing"
            path.append(
                (Condition(place, words), threshold[node] if words in ("<=", ">") else np.nan)
            )
            node = node + 1 if is_left else right[node]
        yield path


def weighted_quantiles(values: FloatArray, weights: FloatArray, shares: FloatArray) -> FloatArray:
    """Quantiles of weighted values: the least value that has at least the share at or below it.

    Examples
    --------
    >>> values, weights = np.array([3.0, 1.0, 2.0]), np.array([0.1, 0.6, 0.3])
    >>> weighted_quantiles(values, weights, np.array([0.5, 0.8])).tolist()
    [1.0, 2.0]
    """
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    place = np.searchsorted(below, shares * below[-1] * (1 - 1e-12))
    quantiles: FloatArray = values[order][place.clip(max=len(values) - 1)]
    return quantiles


def conditions_in_words(table: Any, columns: tuple[Column, ...]) -> list[str]:
    """Write each condition on a line."""
    column_of = {column.name: column for column in columns}
    return [
        _in_words(condition, column_of[condition["variable"]]) for condition in records_of(table)
    ]


def _in_words(condition: dict[str, Any], column: Column) -> str:
    words = f"{column.name} {condition['relation']}"
    value = np.nan if is_missing(condition["value"]) else condition["value"]
    if condition["relation"] in ("<=", ">"):
        middle, low, high = (
            show_beside(column, condition[name], value) for name in ("threshold", "lower", "upper")
        )
        words += f" {middle} ({low} to {high})"
    words += f", in {100 * condition['share']:.0f} % of the draws"
    if condition["relation"] != "is missing" and is_missing(value):
        return f"{words}; it is missing, and goes with most training rows"
    if column.kind == "number" and condition["relation"] in ("<=", ">"):
        words += f"; it is {show_value(column, value)}"
    elif condition["relation"] != "is missing":
        words += f"; it is {value}"
    return words
