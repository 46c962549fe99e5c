"""One tree to show: as text, as a picture, as data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.columns import Column
from sweeptree.encoding import FloatArray
from sweeptree.interpretation.words import Question, levels_left, put_in_words
from sweeptree.names import counted, visible
from sweeptree.posterior import IntArray, Trees
from sweeptree.prediction import forest_of, leaf_probabilities
from sweeptree.settings import TESTS
from sweeptree.table import encode_rows

LEVEL = 0.95
"""Of the intervals that are shown with a leaf's probabilities."""


@dataclass(frozen=True)
class Tree:
    """A single tree out of the posterior.

    Nodes stand in preorder: the left child, where the answer is yes, follows its parent.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> data = load_wisconsin(as_frame=True)
    >>> model = BayesianTreeClassifier(leaf_penalty=2, n_draws=200, random_state=0)
    >>> tree = model.fit(data.data, data.target).representative_tree("map")
    >>> tree.predict_proba(data.data[:2]).shape
    (2, 2)
    >>> tree.predict(data.data[:2]).shape
    (2,)
    >>> tree.to_text().startswith("|--- ")
    True
    >>> sorted(tree.to_dict())
    ['alpha', 'classes', 'kind', 'n_leaves', 'posterior_share', 'root', 'speaks_for']
    >>> tree.to_dot().startswith("digraph Tree {"), tree.to_svg().startswith("<svg")
    (True, True)
    """

    kind: str
    """How it was chosen: "map", "confident" or "central"."""
    variable: IntArray
    """Column that each node asks about; -1 for a leaf."""
    test: npt.NDArray[np.uint8]
    """What each node asks, as the place in `TESTS`; if so, a row goes left."""
    threshold: FloatArray
    """What the value is held against; of a category the place of its level, or the group."""
    missing_left: npt.NDArray[np.bool_]
    """Whether a missing value goes left."""
    shown: tuple[str, ...]
    """Thresholds as they are written in texts and pictures: rounded as far as all training rows
    still go the same way; empty where there is none."""
    counts: IntArray
    """(node, class): training rows."""
    alpha: FloatArray
    """(class,): Dirichlet parameter of the class probabilities in a leaf."""
    columns: tuple[Column, ...]
    """What is known of the columns."""
    classes: npt.NDArray[Any]
    """Class labels."""
    speaks_for: float
    """Share of the draws' votes that are for the same class as its own, averaged over the
    training rows."""
    posterior_share: float
    """Share of the draws that are this very tree."""

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.variable == -1).sum())

    @cached_property
    def right(self) -> list[int]:
        """Where the right child of each node stands; -1 for a leaf."""
        right: list[int] = self.as_trees().right_children.tolist()
        return right

    @cached_property
    def probabilities(self) -> FloatArray:
        """(node, class): posterior mean of the class probabilities, were the node a leaf."""
        return leaf_probabilities(self.counts, self.alpha)

    @cached_property
    def intervals(self) -> FloatArray:
        """(node, class, 2): 95 % credible intervals of the class probabilities."""
        from scipy.special import betaincinv

        a = self.counts + self.alpha
        b = a.sum(axis=1, keepdims=True) - a
        tails = np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        is_spread = (a > 0) & (b > 0)  # otherwise, as in the plug-in likelihood, a single value
        solved = betaincinv(
            np.where(is_spread, a, 1.0)[..., None], np.where(is_spread, b, 1.0)[..., None], tails
        )
        single = (self.alpha.sum() == 0) | ~is_spread
        return np.where(single[..., None], self.probabilities[..., None], solved)

    def predict_proba(self, X: Any) -> FloatArray:
        """Predict class probabilities by this tree alone.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return self.predict_encoded(encode_rows(self.columns, X))

    def predict_encoded(self, rows: FloatArray) -> FloatArray:
        """(row, class): probabilities for rows that are numbers already."""
        leaves = forest_of(self.as_trees(), "kernel").apply(rows)[0]
        probabilities: FloatArray = self.probabilities[self.variable == -1][leaves]
        return probabilities

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the most probable class by this tree alone.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        """
        labels: npt.NDArray[Any] = self.classes[self.predict_proba(X).argmax(axis=1)]
        return labels

    def to_text(self) -> str:
        """Write the tree as text, in the manner of scikit-learn's `export_text`.

        A leaf shows its class, the probability of it with its 95 % interval, and the training
        rows by class.
        """
        return "\n".join(self._lines(0, "")) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as nested dictionaries of plain Python values."""
        return {
            "kind": self.kind,
            "n_leaves": self.n_leaves,
            "speaks_for": self.speaks_for,
            "posterior_share": self.posterior_share,
            "classes": self.classes.tolist(),
            "alpha": self.alpha.tolist(),
            "root": self._node_as_dict(0),
        }

    def to_dot(self) -> str:
        """Write the tree in Graphviz's language."""
        lines = ["digraph Tree {", 'node [shape=box, style=rounded, fontname="helvetica"];']
        for node in range(len(self.variable)):
            lines.append(f"{node} [label={_quoted(self._label(node))}];")
            if self.right[node] >= 0:
                lines.append(f'{node} -> {node + 1} [label="yes"];')
                lines.append(f'{node} -> {self.right[node]} [label="no"];')
        return "\n".join([*lines, "}"]) + "\n"

    def to_svg(self) -> str:
        """Draw the tree as a picture in SVG, from left to right."""
        from sweeptree.interpretation.drawing import draw_tree

        return draw_tree(self)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x: auto">{self.to_svg()}</div>'

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return (
            f"Tree({self.kind}, {counted(self.n_leaves, 'leaf', 'leaves')}, "
            f"gives the same class as {100 * self.speaks_for:.1f} % of the votes)"
        )

    def question(self, node: int) -> Question:
        """Return what a splitting node asks: the answers on the left and on the right."""
        return put_in_words(
            self.columns[self.variable[node]],
            int(self.test[node]),
            float(self.threshold[node]),
            bool(self.missing_left[node]),
            self.shown[node],
        )

    def answer(self, node: int) -> str:
        """Return what a leaf predicts, with the interval of its probability."""
        predicted = int(self.probabilities[node].argmax())
        low, high = self.intervals[node, predicted]
        return (
            f"{visible(str(self.classes[predicted]))} {self.probabilities[node, predicted]:.2f} "
            f"[{low:.2f}, {high:.2f}]"
        )

    def rows_in_words(self, node: int) -> str:
        """Training rows of a node by class; classes without any are left out."""
        rows = zip(self.classes.tolist(), self.counts[node].tolist(), strict=True)
        return ", ".join(f"{visible(str(label))}: {count}" for label, count in rows if count)

    def _label(self, node: int) -> str:
        if self.variable[node] >= 0:
            return self.question(node).yes
        return f"{self.answer(node)}\n{self.rows_in_words(node)}"

    def _lines(self, node: int, indent: str) -> list[str]:
        if self.variable[node] == -1:
            return [f"{indent}|--- class: {self.answer(node)} ({self.rows_in_words(node)})"]
        question = self.question(node)
        return [
            f"{indent}|--- {question.yes}",
            *self._lines(node + 1, indent + "|   "),
            f"{indent}|--- {question.no}",
            *self._lines(self.right[node], indent + "|   "),
        ]

    def _node_as_dict(self, node: int) -> dict[str, Any]:
        record: dict[str, Any] = {"counts": self.counts[node].tolist()}
        if self.variable[node] == -1:
            return record | {
                "class": self.classes[self.probabilities[node].argmax()].item(),
                "probabilities": self.probabilities[node].tolist(),
                "intervals": self.intervals[node].tolist(),
            }
        column = self.columns[self.variable[node]]
        test, threshold = int(self.test[node]), float(self.threshold[node])
        held_against: dict[str, Any] = {}
        if TESTS[test] == "at most":
            held_against["threshold"] = threshold
        elif TESTS[test] != "is missing":
            levels = levels_left(column, test, threshold)
            held_against["levels"] = [column.levels[level] for level in levels]
        return record | {
            "variable": column.name,
            "test": TESTS[test],
            **held_against,
            "missing": "left" if self.missing_left[node] else "right",
            "left": self._node_as_dict(node + 1),
            "right": self._node_as_dict(self.right[node]),
        }

    def as_trees(self) -> Trees:
        """Return the tree as a forest of one."""
        is_leaf = self.variable == -1
        return Trees(
            node_offsets=np.array([0, len(self.variable)]),
            variable=self.variable,
            test=self.test,
            threshold=self.threshold,
            missing_left=self.missing_left,
            leaf_counts=self.counts[is_leaf],
        )


def counts_of_nodes(trees: Trees) -> IntArray:
    """(node, class): training rows of every node, summed up from the leaves."""
    counts = np.zeros((len(trees.variable), trees.leaf_counts.shape[1]), dtype=np.int32)
    counts[trees.variable == -1] = trees.leaf_counts
    right = trees.right_children
    for node in np.flatnonzero(trees.variable >= 0)[::-1]:
        counts[node] = counts[node + 1] + counts[right[node]]
    return counts


def _quoted(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
