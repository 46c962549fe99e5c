"""How probable the class of each row is by every draw, the row itself left out of account.

A draw is a tree and α; the class probabilities of its leaves are integrated out. Given a draw, the
rows of a leaf are not independent, so that what leave-one-out estimates ask for is the probability
of a row's class given the draw and all *other* rows,

    (m − 1 + α_j) / (n − 1 + Σα)

for a training row of class j in a leaf of n rows, m of that class. With it the importance weights
1/p of leave-one-out are exact. With (m + α_j) / (n + Σα), in which every row vouches for itself,
they are not, and models look far better than they are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.posterior import Draws, IntArray, Trees


def log_likelihood(draws: Draws, leaf_of_row: IntArray, labels: npt.NDArray[np.intp]) -> FloatArray:
    """(chain, draw, row): log probability of each row's class given the draw and other rows.

    Rows that are the training rows are each left out of their leaf. Under the plug-in likelihood,
    which has no such probability, it is the leaf's own frequency.

    Parameters
    ----------
    draws : Draws
    leaf_of_row : array of shape (n_trees, n_rows)
    labels : array of shape (n_rows,)
        Places of the classes.
    """
    counts = draws.trees.leaf_counts
    n_rows_of_leaf = counts.sum(axis=1)
    leaves_out = not draws.is_plug_in and are_training_rows(draws.trees, leaf_of_row, labels)
    found = np.empty((*draws.tree_index.shape, len(labels)))
    for place in np.ndindex(draws.tree_index.shape):
        leaf = leaf_of_row[draws.tree_index[place]]
        alpha = draws.alphas[draws.alpha_index[place]]
        of_class = counts[leaf, labels] - int(leaves_out) + alpha[labels]
        found[place] = of_class / (n_rows_of_leaf[leaf] - int(leaves_out) + alpha.sum())
    with np.errstate(divide="ignore"):  # the plug-in likelihood gives probabilities of zero
        return np.log(found, out=found)


def are_training_rows(trees: Trees, leaf_of_row: IntArray, labels: npt.NDArray[np.intp]) -> bool:
    """Whether rows fill the leaves of all trees just as the training rows did."""
    n_classes = trees.leaf_counts.shape[1]
    place = (leaf_of_row.astype(np.int64) * n_classes + labels).ravel()
    counts = np.bincount(place, minlength=trees.leaf_counts.size)
    return bool(np.array_equal(counts, trees.leaf_counts.ravel()))
