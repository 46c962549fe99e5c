"""Averaging over trees (Eq. 2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweeptree.settings import TESTS

FloatArray = npt.NDArray[np.float64]


class Forest:
    """Trees as flat arrays. Leaves are numbered through, tree after tree."""

    def __init__(
        self,
        node_offsets: npt.NDArray[np.int64],
        variable: npt.NDArray[np.int32],
        test: npt.NDArray[np.uint8],
        threshold: FloatArray,
        missing_left: npt.NDArray[np.uint8],
    ) -> None:
        self.variable = variable.tolist()
        self.test = [TESTS[t] for t in test]
        self.threshold = threshold.tolist()
        self.missing_left = missing_left.astype(bool).tolist()
        self.roots = node_offsets[:-1].tolist()
        self.n_trees = len(self.roots)
        self.leaf_number = np.cumsum(variable == -1) - 1
        self.n_leaves = int(np.sum(variable == -1))

    def apply(self, x: FloatArray) -> npt.NDArray[np.int32]:
        """Return (tree, row): the leaf that each row falls into."""
        leaves = np.empty((self.n_trees, len(x)), dtype=np.int32)
        for t, root in enumerate(self.roots):
            self.send_down(root, x, np.arange(len(x)), leaves[t])
        return leaves

    def send_down(
        self, node: int, x: FloatArray, rows: npt.NDArray[np.intp], leaves: npt.NDArray[np.int32]
    ) -> int:
        """Send rows down from a node; return the node after its subtree in preorder."""
        variable = self.variable[node]
        if variable == -1:
            leaves[rows] = self.leaf_number[node]
            return node + 1
        goes_left = self.goes_left(node, x[rows, variable])
        right = self.send_down(node + 1, x, rows[goes_left], leaves)
        return self.send_down(right, x, rows[~goes_left], leaves)

    def goes_left(self, node: int, values: FloatArray) -> npt.NDArray[np.bool_]:
        """Which values a node sends left."""
        is_missing = np.isnan(values)
        match self.test[node]:
            case "at most":
                answer = values <= self.threshold[node]
            case "is level":
                answer = values == self.threshold[node]
            case "in group":
                is_missing |= values < 0  # a level that training did not have
                level = np.where(is_missing, 0, values).astype(np.int64)
                answer = int(self.threshold[node]) >> level & 1 == 1
            case _:
                answer = is_missing
        goes_left: npt.NDArray[np.bool_] = np.where(is_missing, self.missing_left[node], answer)
        return goes_left

    def average(self, x: FloatArray, weight: FloatArray, leaf_value: FloatArray) -> FloatArray:
        """Return (row, class): the weighted sum over trees of each row's leaf value."""
        total = np.zeros((len(x), leaf_value.shape[1]))
        leaves = np.empty(len(x), dtype=np.int32)
        for w, root in zip(weight, self.roots, strict=True):
            if w != 0.0:
                self.send_down(root, x, np.arange(len(x)), leaves)
                total += w * leaf_value[leaves]
        return total
