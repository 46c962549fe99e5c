"""Trees as a file holds them: each distinct rule once, and for each node the place of its rule.

What follows from the rest is not stored: where trees begin, how many leaves they have, how deep
they are, and where a missing value goes if the column had none in training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.columns import Column
from sweeptree.files.archive import AnyArray
from sweeptree.files.errors import require
from sweeptree.posterior import NODE_ARRAYS, IntArray, Trees


def pack_trees(trees: Trees, columns: Sequence[Column]) -> dict[str, AnyArray]:
    """Turn trees into arrays of a file. A leaf has a rule too: variable -1, and zeros."""
    is_known = _had_missing(trees.variable, columns)
    of_nodes: dict[str, AnyArray] = {
        "variable": trees.variable,
        "threshold": trees.threshold,
        "test": trees.test,
        "missing_left": (trees.missing_left & is_known).astype(np.uint8),
    }
    first_node, rule_of_node = _distinct(list(of_nodes.values()))
    rules = {f"rule_{name}": array[first_node] for name, array in of_nodes.items()}
    return {**rules, "node_rule": rule_of_node, "leaf_counts": trees.leaf_counts}


def unpack_trees(arrays: Mapping[str, AnyArray], columns: Sequence[Column]) -> Trees:
    """Turn arrays of a file, whose numbers have been checked, into trees."""
    rule_of_node = arrays["node_rule"]
    n_rules = len(arrays["rule_variable"])
    require(rule_of_node.max() < n_rules, "a node has a rule that is not there")
    of_nodes = {name: arrays[f"rule_{name}"][rule_of_node] for name in NODE_ARRAYS}
    variable = of_nodes["variable"].astype(np.int32)
    is_leaf = variable == -1
    node_offsets = _where_trees_begin(is_leaf)
    leaf_counts = arrays["leaf_counts"].astype(np.int32)
    require(
        np.count_nonzero(is_leaf) == len(leaf_counts),
        "there are more or fewer leaves than counts of their rows",
    )
    missing_left = np.where(
        _had_missing(variable, columns),
        of_nodes["missing_left"],
        _has_most_rows_left(is_leaf, leaf_counts.sum(axis=1, dtype=np.int64)),
    )
    return Trees(
        node_offsets=node_offsets,
        variable=variable,
        test=of_nodes["test"].astype(np.uint8),
        threshold=of_nodes["threshold"].astype(np.float64),
        missing_left=missing_left.astype(np.bool_),
        leaf_counts=leaf_counts,
    )


def _had_missing(variable: IntArray, columns: Sequence[Column]) -> npt.NDArray[np.bool_]:
    """Whether the column that each node asks about had missing values in training."""
    had_missing = np.array([*(column.has_missing for column in columns), False])
    return had_missing[variable]  # -1, of a leaf, is the last


def _has_most_rows_left(
    is_leaf: npt.NDArray[np.bool_], rows_of_leaf: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Whether a node has at least as many rows on the left as on the right; no leaf has."""
    rows_at = np.zeros(len(is_leaf), dtype=np.int64)
    rows_at[is_leaf] = rows_of_leaf
    rows_before = np.concatenate(([0], np.cumsum(rows_at)))
    n_rows = rows_before[_last_below(is_leaf) + 1] - rows_before[:-1]
    n_left = np.append(n_rows[1:], 0)  # a left child follows its parent
    return ~is_leaf & (2 * n_left >= n_rows)


class Sizes(NamedTuple):
    """How large trees are."""

    n_leaves: IntArray
    depth: IntArray


def sizes_of(variable: IntArray) -> Sizes:
    """Count the leaves of each tree, and the splits on its longest way down.

    Parameters
    ----------
    variable : array of shape (n_nodes,)
        Of all nodes, tree after tree, each in preorder.

    Examples
    --------
    >>> sizes_of(np.array([-1, 0, -1, 0, -1, -1], dtype=np.int32))
    Sizes(n_leaves=array([1, 3], dtype=int32), depth=array([0, 2], dtype=int32))
    """
    is_leaf = variable == -1
    begins = _where_trees_begin(is_leaf)
    depths = np.maximum.reduceat(_depths_of_nodes(is_leaf), begins[:-1])
    n_leaves = (np.diff(begins) + 1) // 2
    return Sizes(n_leaves.astype(np.int32), depths.astype(np.int32))


def _distinct(fields: list[AnyArray]) -> tuple[npt.NDArray[np.intp], IntArray]:
    """Where each distinct combination stands first, and the number of the one at each place.

    They are told apart by their bits, and sorted by them, which puts like thresholds side by side.
    """
    bits = [field.view(np.int64) if field.dtype == np.float64 else field for field in fields]
    order = np.lexsort(bits[::-1])
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = np.any([field[order[1:]] != field[order[:-1]] for field in bits], axis=0)
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.cumsum(is_new) - 1
    return order[is_new], number


def _places_open(is_leaf: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Children still to come after each node in preorder: a split opens one, a leaf fills one.

    A tree ends where this first reaches one less than before the tree.
    """
    return np.cumsum(np.where(is_leaf, -1, 1), dtype=np.int64)


def _where_trees_begin(is_leaf: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Where each tree begins among nodes in preorder; one more at the end."""
    lowest = np.minimum.accumulate(np.concatenate(([0], _places_open(is_leaf))))
    ends = np.flatnonzero(np.diff(lowest)) + 1
    require(len(ends) and ends[-1] == len(is_leaf), "its last tree is not complete")
    return np.concatenate(([0], ends))


def _depths_of_nodes(is_leaf: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Count the splits above each node."""
    n_nodes = len(is_leaf)
    splits = np.flatnonzero(~is_leaf)
    begins = np.bincount(splits + 1, minlength=n_nodes + 1)
    ends = np.bincount(_last_below(is_leaf)[splits] + 1, minlength=n_nodes + 1)
    return np.cumsum(begins - ends)[:n_nodes]


def _last_below(is_leaf: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Where the last node below each node stands; of a leaf itself.

    The nodes below a split end where one place less is open than before it, for the first time.
    """
    n_nodes = len(is_leaf)
    places = _places_open(is_leaf) + n_nodes
    in_order_of_places = np.sort(places * n_nodes + np.arange(n_nodes))
    splits = np.flatnonzero(~is_leaf)
    wanted = (places[splits] - 2) * n_nodes + splits
    last = np.arange(n_nodes)
    last[splits] = in_order_of_places[np.searchsorted(in_order_of_places, wanted)] % n_nodes
    return last
