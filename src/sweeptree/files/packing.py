"""Trees as a file holds them: each distinct rule once, and for each node the place of its rule.

What is known from the order of the nodes is not stored: where trees begin, how many leaves they
have, and how deep they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.files.archive import AnyArray
from sweeptree.files.errors import require
from sweeptree.posterior import IntArray, Trees

RULE_FIELDS: dict[str, type[np.generic]] = {
    "variable": np.int32,
    "threshold": np.float64,
    "test": np.uint8,
    "missing_left": np.bool_,
}
"""Arrays of `Trees` with one value per node, and their types. A leaf has a rule too: variable -1,
and zeros."""


def pack_trees(trees: Trees) -> dict[str, AnyArray]:
    """Turn trees into arrays of a file."""
    of_nodes = {name: _of_nodes(trees, name) for name in RULE_FIELDS}
    first_node, rule_of_node = _distinct(list(of_nodes.values()))
    rules = {f"rule_{name}": array[first_node] for name, array in of_nodes.items()}
    return {**rules, "node_rule": rule_of_node, "leaf_counts": trees.leaf_counts}


def unpack_trees(arrays: Mapping[str, AnyArray]) -> Trees:
    """Turn arrays of a file, whose numbers have been checked, into trees."""
    rule_of_node = arrays["node_rule"]
    n_rules = len(arrays["rule_variable"])
    require(rule_of_node.max() < n_rules, "a node has a rule that is not there")
    of_nodes: dict[str, Any] = {
        name: arrays[f"rule_{name}"].astype(dtype)[rule_of_node]
        for name, dtype in RULE_FIELDS.items()
        if name in Trees.__dataclass_fields__
    }
    trees = Trees(
        node_offsets=_where_trees_begin(of_nodes["variable"] == -1),
        leaf_counts=arrays["leaf_counts"].copy(),
        **of_nodes,
    )
    require(
        trees.leaf_offsets[-1] == len(trees.leaf_counts),
        "there are more or fewer leaves than counts of their rows",
    )
    return trees


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


def _of_nodes(trees: Trees, name: str) -> AnyArray:
    none = np.zeros(len(trees.variable), RULE_FIELDS[name])
    values: AnyArray = getattr(trees, name, none)
    return values.astype(np.uint8) if values.dtype == np.bool_ else values


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
    """Count the splits above each node.

    The nodes below a split end where one place less is open than before it, for the first time.
    """
    n_nodes = len(is_leaf)
    places = _places_open(is_leaf) + n_nodes
    splits = np.flatnonzero(~is_leaf)
    in_order_of_places = np.sort(places * n_nodes + np.arange(n_nodes))
    wanted = (places[splits] - 2) * n_nodes + splits
    last_below = in_order_of_places[np.searchsorted(in_order_of_places, wanted)] % n_nodes
    begins = np.bincount(splits + 1, minlength=n_nodes + 1)
    ends = np.bincount(last_below + 1, minlength=n_nodes + 1)
    return np.cumsum(begins - ends)[:n_nodes]
