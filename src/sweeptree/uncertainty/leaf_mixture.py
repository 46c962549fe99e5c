"""Which leaves a row falls into over the posterior, and in which shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.engines import Forest
from sweeptree.posterior import Draws, IntArray
from sweeptree.prediction import ALL_DRAWS, forest_of

MOST_PLACES = 1_000_000
"""Draws times rows that are looked at together: bounds the memory, about 50 bytes for each."""

LARGEST_KEY = 2**62


class LeafMixture(NamedTuple):
    """The posterior of the class probabilities of some rows: Dirichlets, and their shares.

    Leaves with the same class counts and the same α are one kind, in whatever tree they are.
    """

    rows: slice
    parameters: FloatArray
    """(kind, class): parameters of the Dirichlet of each kind of leaf."""
    shares: Any
    """(row, kind), a sparse matrix (CSR): posterior share with which the row is in such a leaf."""
    is_spread: bool
    """Whether these are Dirichlets; of the plug-in likelihood they are class counts, of which the
    shares are the probabilities."""


def leaf_mixtures(draws: Draws, X: FloatArray, engine: str) -> Iterator[LeafMixture]:
    """Yield the mixtures of all rows, block by block."""
    if len(X) == 0:
        return
    forest = forest_of(draws.trees, engine)
    shares = draws.shares(ALL_DRAWS)
    trees, values_of_alpha = np.nonzero(shares)
    counts, kind_of_leaf = _distinct_rows(draws.trees.leaf_counts)
    kinds = _Kinds(
        trees=trees,
        offset=values_of_alpha * len(counts),
        of_leaf=kind_of_leaf,
        weight=shares[trees, values_of_alpha],
    )
    parameters = (draws.alphas[:, None, :] + counts).reshape(-1, counts.shape[1])
    n_rows = max(1, MOST_PLACES // len(trees))
    for start in range(0, len(X), n_rows):
        rows = slice(start, min(start + n_rows, len(X)))
        shares_of_kinds = _shares_of_kinds(X[rows], forest, kinds, len(parameters))
        yield _mixture_of_used(rows, parameters, shares_of_kinds, is_spread=not draws.is_plug_in)


def _distinct_rows(counts: IntArray) -> tuple[IntArray, npt.NDArray[np.intp]]:
    """Return the distinct rows of counts, and the place of each row among them."""
    base = int(counts.max()) + 1
    if base ** counts.shape[1] > LARGEST_KEY:
        distinct, place = np.unique(counts, axis=0, return_inverse=True)
        return distinct, place.ravel()
    keys = np.zeros(len(counts), dtype=np.int64)  # much faster to sort than rows
    for column in counts.T:
        keys = keys * base + column
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return counts[first], place


class _Kinds(NamedTuple):
    """Each pair of a tree and a value of α that was drawn, and how to number its leaves' kinds."""

    trees: npt.NDArray[np.intp]
    offset: npt.NDArray[np.intp]
    """Added to a leaf's kind, for the value of α."""
    of_leaf: npt.NDArray[np.intp]
    weight: FloatArray


def _shares_of_kinds(X: FloatArray, forest: Forest, kinds: _Kinds, n_kinds: int) -> Any:
    from scipy.sparse import coo_array

    kind = kinds.of_leaf[forest.apply(X)[kinds.trees]] + kinds.offset[:, None]
    row = np.broadcast_to(np.arange(len(X)), kind.shape)
    weight = np.broadcast_to(kinds.weight[:, None], kind.shape)
    places = (weight.ravel(), (row.ravel(), kind.ravel()))
    return coo_array(places, shape=(len(X), n_kinds)).tocsr()


def _mixture_of_used(
    rows: slice, parameters: FloatArray, shares: Any, *, is_spread: bool
) -> LeafMixture:
    """Leave out the kinds that no row is in."""
    from scipy.sparse import csr_array

    used, place = np.unique(shares.indices, return_inverse=True)
    shares = csr_array((shares.data, place, shares.indptr), shape=(shares.shape[0], len(used)))
    return LeafMixture(rows, parameters[used], shares, is_spread)
