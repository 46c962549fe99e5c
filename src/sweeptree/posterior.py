"""The sampled trees and their traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.engines import Chain
from sweeptree.markup import table_in_html
from sweeptree.settings import MOVES, OUTCOMES, PHASES, TESTS
from sweeptree.spacing import ranges
from sweeptree.verdict import Verdict

IntArray = npt.NDArray[np.int32]
Part = tuple[slice, slice]
"""Some of the draws: which chains, and which draws of each."""

NODE_ARRAYS = ("variable", "test", "threshold", "missing_left")
"""The fields of `Trees` that have one value per node."""


@dataclass(frozen=True)
class Trees:
    """Distinct trees as flat arrays.

    The nodes of a tree stand in preorder: a left child follows its parent. Leaves are numbered
    through, tree after tree.
    """

    node_offsets: npt.NDArray[np.int64]
    """Where each tree starts among the nodes; one more at the end."""
    variable: IntArray
    """Column that each node asks about; -1 for a leaf."""
    test: npt.NDArray[np.uint8]
    """What it asks, as the place in `TESTS`: whether the value is at most the threshold, is a
    level, is in a group of levels, or is missing. If so the row goes left."""
    threshold: FloatArray
    """The threshold, the place of the level, or the group as the bits of its levels; else 0."""
    missing_left: npt.NDArray[np.bool_]
    """Whether a missing value goes left. Where training had none in the column, it goes to the
    side with the most training rows. A level that training did not have is no level that is
    asked for; where it is asked for a group it goes the way of a missing value."""
    leaf_counts: IntArray
    """(leaf, class): training rows."""

    @classmethod
    def from_engine(cls, *arrays: npt.NDArray[Any]) -> Trees:
        """Take over what an engine recorded."""
        node_offsets, variable, test, threshold, missing_left, leaf_counts = arrays
        return cls(node_offsets, variable, test, threshold, missing_left.astype(bool), leaf_counts)

    @classmethod
    def concatenate(cls, parts: Sequence[Trees]) -> Trees:
        """Put the trees of several records after each other."""
        sizes = np.concatenate([np.diff(part.node_offsets) for part in parts])
        arrays = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in (*NODE_ARRAYS, "leaf_counts")
        }
        return cls(node_offsets=_offsets_of(sizes), **arrays)

    def rules_as_bytes(self) -> list[bytes]:
        """All that makes each tree what it is; two that are the same have the same bytes."""
        types = [(name, getattr(self, name).dtype) for name in NODE_ARRAYS]
        nodes = np.empty(len(self.variable), dtype=types)
        for name in NODE_ARRAYS:
            nodes[name] = getattr(self, name)
        offsets = self.node_offsets * nodes.dtype.itemsize
        everything = nodes.tobytes()
        return [everything[start:end] for start, end in pairwise(offsets.tolist())]

    def __len__(self) -> int:
        return len(self.node_offsets) - 1

    @cached_property
    def leaf_offsets(self) -> npt.NDArray[np.int64]:
        """Where each tree starts among the leaves; one more at the end."""
        n_leaves_before = np.concatenate(([0], np.cumsum(self.variable == -1)))
        return n_leaves_before[self.node_offsets]

    def nodes_asking(self, column: int, test: str) -> npt.NDArray[np.bool_]:
        """Tell for each node whether it asks this of a column; the test is one of `TESTS`."""
        asks: npt.NDArray[np.bool_] = (self.variable == column) & (self.test == TESTS.index(test))
        return asks

    @cached_property
    def right_children(self) -> IntArray:
        """Where the right child of each node stands; -1 for a leaf."""
        right = np.full(len(self.variable), -1, dtype=np.int32)
        without_right: list[int] = []
        follows_leaf = False
        for node, variable in enumerate(self.variable.tolist()):
            if follows_leaf and without_right:
                right[without_right.pop()] = node
            follows_leaf = variable == -1
            if not follows_leaf:
                without_right.append(node)
        return right

    def take(self, which: npt.NDArray[np.integer[Any]]) -> Trees:
        """Return some of the trees, in the order given."""
        sizes = np.diff(self.node_offsets)[which]
        nodes = ranges(self.node_offsets[which], sizes)
        leaves = ranges(self.leaf_offsets[which], np.diff(self.leaf_offsets)[which])
        arrays = {name: getattr(self, name)[nodes] for name in NODE_ARRAYS}
        return Trees(
            node_offsets=_offsets_of(sizes), leaf_counts=self.leaf_counts[leaves], **arrays
        )

    def splits_by_column(self, n_columns: int) -> npt.NDArray[np.int64]:
        """(tree, column): number of splits that ask about each column."""
        tree_of_node = np.repeat(np.arange(len(self)), np.diff(self.node_offsets))
        is_split = self.variable >= 0
        place = tree_of_node[is_split] * n_columns + self.variable[is_split]
        return np.bincount(place, minlength=len(self) * n_columns).reshape(len(self), n_columns)


def _offsets_of(sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


class Legend(NamedTuple):
    """What the numbers in the engines' records stand for."""

    columns: IntArray
    """The column of the table that each variable is."""
    alphas: FloatArray
    """(value, class): the Dirichlet parameters that each value of α is."""


class FullTrace(NamedTuple):
    """Every move of every chain, burn-in included."""

    n_leaves: IntArray
    """(chain, move)"""
    log_likelihood: FloatArray
    """(chain, move)"""


@dataclass(frozen=True)
class Traces:
    """What is known of the chains' draws without their trees: a value per chain and draw."""

    n_leaves: IntArray
    depth: IntArray
    """Number of splits on the longest way down."""
    log_likelihood: FloatArray
    log_prior: FloatArray
    alpha_index: IntArray
    """Which of the values that the Dirichlet parameter may take each draw has."""

    @property
    def n_chains(self) -> int:
        """Number of chains."""
        return len(self.n_leaves)

    @property
    def n_draws(self) -> int:
        """Number of draws of each chain."""
        return int(self.n_leaves.shape[1])

    @property
    def log_posterior(self) -> FloatArray:
        """(chain, draw): log likelihood plus log prior; a constant is left out."""
        return self.log_likelihood + self.log_prior


@dataclass(frozen=True)
class Draws(Traces):
    """What the chains drew; several draws may share a tree."""

    alphas: FloatArray
    """(value, class): what the Dirichlet parameter may be; one value unless it is learned."""
    tree_index: IntArray
    """Which of `trees` each draw is."""
    trees: Trees

    @property
    def is_plug_in(self) -> bool:
        """Whether a leaf's class probabilities are its frequencies: then there is no α."""
        return not self.alphas.any()

    @property
    def tree_weights(self) -> FloatArray:
        """Share of all draws that each distinct tree has."""
        weights: FloatArray = self.shares(np.s_[:, :]).sum(axis=1)
        return weights

    def shares(self, part: Part) -> FloatArray:
        """(tree, value of α): share that each pair has in a part of the draws."""
        shape = len(self.trees), len(self.alphas)
        pair = self.tree_index[part] * shape[1] + self.alpha_index[part]
        n_draws = np.bincount(pair.ravel(), minlength=shape[0] * shape[1])
        return n_draws.reshape(shape) / pair.size

    def take(self, is_kept: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Return the fields of those draws that are kept, as one chain.

        Parameters
        ----------
        is_kept : array of bool of shape (n_chains, n_draws)
        """
        which, tree_index = np.unique(self.tree_index[is_kept], return_inverse=True)
        return {
            **{trace.name: getattr(self, trace.name)[is_kept][None] for trace in fields(Traces)},
            "alphas": self.alphas,
            "tree_index": tree_index.astype(np.int32).reshape(1, -1),
            "trees": self.trees.take(which),
        }

    @property
    def alpha(self) -> FloatArray:
        """(chain, draw, class): Dirichlet parameter of the class probabilities in a leaf."""
        return self.alphas[self.alpha_index]

    def split_shares(self, n_columns: int) -> FloatArray:
        """Share of a tree's splits that ask about each column, averaged over the draws.

        Draws without a split have no shares and are left out; if no draw has one, all are zero.
        """
        sizes = np.diff(self.trees.node_offsets)
        n_splits = (sizes - 1) // 2
        weights = np.where(n_splits > 0, self.tree_weights, 0.0)
        is_split = self.trees.variable >= 0
        share_of_node = np.repeat(weights / np.maximum(n_splits, 1), sizes)
        shares = np.bincount(
            self.trees.variable[is_split], share_of_node[is_split], minlength=n_columns
        )
        mean: FloatArray = shares / max(weights.sum(), np.finfo(float).tiny)
        return mean


@dataclass(frozen=True)
class Posterior(Draws):
    """What the chains drew, how they came there, and whether they have converged."""

    moves: npt.NDArray[np.int64]
    """(chain, phase, move, outcome) counts, in the order of `phase_names`, `move_names` and
    `outcome_names`."""
    rule_scale: FloatArray
    """(chain, variable): step size of change-rule after burn-in, as a share of the range."""
    n_moves: int
    """Moves of each chain, burn-in included; of the shortest, if time ran out or the run was
    interrupted."""
    thin: int
    """Moves from one draw to the next."""
    n_rungs: int
    """Walkers of each chain at the end: one samples, the others take a smaller share of the
    likelihood each and help it from mode to mode."""
    stopped_by: str
    """What ended the run: "converged", "max_moves", "max_seconds", "interrupted" (by Ctrl-C), or
    "n_draws" where their number was given. The draws depend on the seed alone unless it is
    "max_seconds" or "interrupted"."""
    verdict: Verdict
    """The figures that tell whether the chains have converged."""
    full_trace: FullTrace | None = None

    phase_names = PHASES
    move_names = MOVES
    outcome_names = OUTCOMES

    @property
    def converged(self) -> bool:
        """Whether the chains agree: all that `verdict` is about is as wanted."""
        return self.verdict.is_converged

    def __repr__(self) -> str:
        return (
            f"Posterior({self.n_chains} chains x {self.n_draws} draws, "
            f"{len(self.trees)} distinct trees, {self.n_leaves.mean():.1f} leaves on average)"
        )

    def _repr_html_(self) -> str:
        low, high = np.quantile(self.n_leaves, (0.05, 0.95)).tolist()
        missing = ", ".join(self.verdict.missing())
        rows = {
            "chains": f"{self.n_chains}",
            "draws of each": f"{self.n_draws:,}, every {self.thin:,} moves",
            "distinct trees": f"{len(self.trees):,}",
            "leaves": f"{self.n_leaves.mean():.1f} on average, mostly {low:.0f} to {high:.0f}",
            **self.verdict.by_name(),
            "converged": "yes" if self.converged else f"no: {missing}",
            "stopped by": self.stopped_by,
        }
        return table_in_html("Posterior", rows)


def pool_traces(chains: Sequence[Chain], used: slice) -> Traces:
    """Pool what the chains recorded, without the trees.

    Parameters
    ----------
    chains : sequence of Chain
    used : slice
        Which draws of each chain.
    """
    return _stack_traces([chain.draws for chain in chains], used)


def pool_draws(chains: Sequence[Chain], legend: Legend, used: slice) -> Draws:
    """Pool all that the chains recorded.

    Parameters
    ----------
    chains : sequence of Chain
    legend : Legend
    used : slice
        Which draws of each chain.
    """
    records = [chain.draws for chain in chains]
    trees, tree_index = _pool_trees(records, legend.columns, used)
    traces = _stack_traces(records, used)
    return Draws(**vars(traces), alphas=legend.alphas, tree_index=tree_index, trees=trees)


def collect(
    draws: Draws,
    chains: Sequence[Chain],
    *,
    n_moves: int,
    thin: int,
    n_rungs: int,
    stopped_by: str,
    verdict: Verdict,
    keeps_full_trace: bool,
) -> Posterior:
    """Add to the draws what else is known of the chains that made them."""
    return Posterior(
        **vars(draws),
        moves=np.stack([chain.counts for chain in chains]),
        rule_scale=np.array([chain.rule_scale for chain in chains]),
        n_moves=n_moves,
        thin=thin,
        n_rungs=n_rungs,
        stopped_by=stopped_by,
        verdict=verdict,
        full_trace=_stack_full_traces(chains, n_moves) if keeps_full_trace else None,
    )


def _stack_full_traces(chains: Sequence[Chain], n_moves: int) -> FullTrace:
    traces = [chain.full_trace for chain in chains]
    return FullTrace(
        np.stack([t[0][:n_moves] for t in traces]), np.stack([t[1][:n_moves] for t in traces])
    )


def _stack_traces(records: Sequence[dict[str, Any]], used: slice) -> Traces:
    names = ("n_leaves", "depth", "log_likelihood", "log_prior", "alpha")
    return Traces(*(np.stack([record[name][used] for record in records]) for name in names))


def _pool_trees(
    records: list[dict[str, Any]], columns: IntArray, used: slice
) -> tuple[Trees, IntArray]:
    """Unite the trees of the draws used, each distinct one once, and renumber the draws."""
    recorded = [Trees.from_engine(*record["trees"]) for record in records]
    everything = Trees.concatenate(recorded)
    n_before = np.concatenate(([0], np.cumsum([len(trees) for trees in recorded])))
    rules = everything.rules_as_bytes()
    number_of: dict[bytes, int] = {}
    kept: list[int] = []
    tree_index = []
    for record, first in zip(records, n_before.tolist(), strict=False):
        trees_used, place = np.unique(record["tree"][used], return_inverse=True)
        numbers = []
        for tree in (trees_used + first).tolist():
            number = number_of.setdefault(rules[tree], len(kept))
            if number == len(kept):
                kept.append(tree)
            numbers.append(number)
        tree_index.append(np.array(numbers, dtype=np.int32)[place])
    pooled = everything.take(np.array(kept))
    is_split = pooled.variable >= 0
    pooled.variable[is_split] = columns[pooled.variable[is_split]]
    return pooled, np.stack(tree_index)
