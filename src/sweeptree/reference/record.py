"""What is kept of a chain."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweeptree.reference.target import Target
from sweeptree.reference.tree import Node, Tree


class Record:
    """What is kept of a chain: one entry per draw, and the trees wherever they changed.

    A tree is its nodes in preorder: the variable (-1 for a terminal node) and the threshold.
    """

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self.n_leaves: list[int] = []
        self.depth: list[int] = []
        self.log_likelihood: list[float] = []
        self.log_prior: list[float] = []
        self.tree: list[int] = []
        self.last: Tree | None = None
        self.node_offsets = [0]
        self.variable: list[int] = []
        self.threshold: list[float] = []
        self.leaf_counts: list[tuple[int, ...]] = []

    def add(self, tree: Tree, log_likelihood: float, target: Target) -> None:
        """Record a draw."""
        if tree is not self.last:
            self.add_subtree(tree, tree.root)
            self.node_offsets.append(len(self.variable))
            self.last = tree
        self.n_leaves.append(tree.n_leaves)
        self.depth.append(tree.depth_below(tree.root))
        self.log_likelihood.append(log_likelihood)
        self.log_prior.append(target.log_prior(tree))
        self.tree.append(len(self.node_offsets) - 2)

    def add_subtree(self, tree: Tree, node: Node) -> None:
        """Append nodes in preorder."""
        if node.rule is None:
            self.variable.append(-1)
            self.threshold.append(0.0)
            self.leaf_counts.append(node.counts)
            return
        self.variable.append(node.rule.variable)
        self.threshold.append(node.rule.threshold)
        for child in tree.children(node):
            self.add_subtree(tree, child)

    def as_arrays(self) -> dict[str, Any]:
        """Return the traces and the trees in the kernel's form."""
        return {
            "n_leaves": np.array(self.n_leaves, dtype=np.int32),
            "depth": np.array(self.depth, dtype=np.int32),
            "log_likelihood": np.array(self.log_likelihood, dtype=np.float64),
            "log_prior": np.array(self.log_prior, dtype=np.float64),
            "tree": np.array(self.tree, dtype=np.int32),
            "trees": (
                np.array(self.node_offsets, dtype=np.int64),
                np.array(self.variable, dtype=np.int32),
                np.array(self.threshold, dtype=np.float64),
                np.array(self.leaf_counts, dtype=np.int32).reshape(-1, self.n_classes),
            ),
        }
