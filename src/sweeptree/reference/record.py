"""What is kept of a chain."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from sweeptree.reference.target import Target
from sweeptree.reference.tree import Node, Tree
from sweeptree.settings import TESTS


class Record:
    """What is kept of a chain: one entry per draw, and the trees wherever they changed.

    A tree is its nodes in preorder: the variable (-1 for a terminal node), the test, the threshold,
    and whether a missing value goes left.
    """

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self.n_leaves: list[int] = []
        self.depth: list[int] = []
        self.log_likelihood: list[float] = []
        self.log_prior: list[float] = []
        self.alpha: list[int] = []
        self.tree: list[int] = []
        self.last: Tree | None = None
        self.node_offsets = [0]
        self.variable: list[int] = []
        self.test: list[int] = []
        self.threshold: list[float] = []
        self.missing_left: list[bool] = []
        self.leaf_counts: list[tuple[int, ...]] = []

    def add(self, tree: Tree, log_likelihood: float, alpha_index: int, target: Target) -> None:
        """Record a draw."""
        if tree is not self.last:
            self.add_subtree(tree, tree.root)
            self.node_offsets.append(len(self.variable))
            self.last = tree
        self.n_leaves.append(tree.n_leaves)
        self.depth.append(tree.depth_below(tree.root))
        self.log_likelihood.append(log_likelihood)
        self.log_prior.append(target.log_prior(tree))
        self.alpha.append(alpha_index)
        self.tree.append(len(self.node_offsets) - 2)

    def forget_last(self) -> None:
        """Write out the next tree even if it is the last one again."""
        self.last = None

    def add_subtree(self, tree: Tree, node: Node) -> None:
        """Append nodes in preorder."""
        if node.rule is None:
            self.add_node(-1, "at most", 0.0, False)
            self.leaf_counts.append(node.counts)
            return
        variable, cut, threshold = node.rule
        test = tree.data.variables[variable].test_of(cut)
        self.add_node(variable, test, threshold, sends_missing_left(tree, node))
        for child in tree.children(node):
            self.add_subtree(tree, child)

    def add_node(self, variable: int, test: str, threshold: float, missing_left: bool) -> None:
        """Append one node."""
        self.variable.append(variable)
        self.test.append(TESTS.index(test))
        self.threshold.append(threshold)
        self.missing_left.append(missing_left)

    def halve(self) -> None:
        """Keep the second draw, the fourth and so on, and the trees that these use.

        The number of draws must be even: the tree of the last one is kept, so that the next draw
        may share it.
        """
        if len(self.tree) % 2:
            raise ValueError("only an even number of draws can be halved")
        del self.n_leaves[::2], self.depth[::2], self.tree[::2]
        del self.log_likelihood[::2], self.log_prior[::2], self.alpha[::2]
        self.drop_unused_trees()

    def drop_unused_trees(self) -> None:
        """Keep the trees that some draw uses, and renumber them.

        A tree of m nodes has (m + 1) / 2 leaves.
        """
        used = sorted(set(self.tree))
        nodes = [slice(*self.node_offsets[t : t + 2]) for t in used]
        leaves = [
            slice((of_tree.start + t) // 2, (of_tree.stop + t + 1) // 2)
            for t, of_tree in zip(used, nodes, strict=True)
        ]
        self.variable = [v for of_tree in nodes for v in self.variable[of_tree]]
        self.test = [v for of_tree in nodes for v in self.test[of_tree]]
        self.threshold = [v for of_tree in nodes for v in self.threshold[of_tree]]
        self.missing_left = [v for of_tree in nodes for v in self.missing_left[of_tree]]
        self.leaf_counts = [counts for of_tree in leaves for counts in self.leaf_counts[of_tree]]
        self.node_offsets = [0, *accumulate(of_tree.stop - of_tree.start for of_tree in nodes)]
        new_number = {t: i for i, t in enumerate(used)}
        self.tree = [new_number[t] for t in self.tree]

    def as_arrays(self) -> dict[str, Any]:
        """Return the traces and the trees in the kernel's form."""
        return {
            "n_leaves": np.array(self.n_leaves, dtype=np.int32),
            "depth": np.array(self.depth, dtype=np.int32),
            "log_likelihood": np.array(self.log_likelihood, dtype=np.float64),
            "log_prior": np.array(self.log_prior, dtype=np.float64),
            "alpha": np.array(self.alpha, dtype=np.int32),
            "tree": np.array(self.tree, dtype=np.int32),
            "trees": (
                np.array(self.node_offsets, dtype=np.int64),
                np.array(self.variable, dtype=np.int32),
                np.array(self.test, dtype=np.uint8),
                np.array(self.threshold, dtype=np.float64),
                np.array(self.missing_left, dtype=np.uint8),
                np.array(self.leaf_counts, dtype=np.int32).reshape(-1, self.n_classes),
            ),
        }


def sends_missing_left(tree: Tree, node: Node) -> bool:
    """Whether a splitting node sends a missing value left.

    Where training had none, one that comes up later goes with the most rows.
    """
    assert node.rule is not None
    its = tree.data.variables[node.rule.variable]
    if its.has_missing:
        return its.sends_missing_left(node.rule.cut)
    left, right = tree.children(node)
    return len(left.rows) >= len(right.rows)
