"""States of chains without what the receiver need not know.

A chain needs its draws only to add to them, so that a state can travel without them. The layout is
that of `Chain.state`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sweeptree.posterior import NODE_ARRAYS

State = Mapping[str, Any]


def without_draws(state: State) -> dict[str, Any]:
    """Leave out the draws, but for the last if the next one may share its tree."""
    draws, full_trace = state["draws"], state["full_trace"]
    trees = draws["trees"]
    offsets = trees["node_offsets"]
    n_kept = 0 if state["has_changed"] else 1
    n_nodes = int(offsets[-1] - offsets[-1 - n_kept])
    per_node = {name: _last(trees[name], n_nodes) for name in NODE_ARRAYS}
    return {
        **state,
        "draws": {
            **{name: _last(trace, n_kept) for name, trace in draws.items() if name != "trees"},
            "tree": np.zeros(n_kept, dtype=draws["tree"].dtype),
            "trees": {
                "node_offsets": offsets[len(offsets) - 1 - n_kept :] - offsets[-1 - n_kept],
                **per_node,
                "leaf_counts": _last(trees["leaf_counts"], _n_counts(trees, n_nodes, n_kept)),
            },
        },
        "full_trace": {name: _last(trace, 0) for name, trace in full_trace.items()},
    }


def with_draws(known: State, sent: State, returned: State) -> dict[str, Any]:
    """Put what a chain has drawn behind the draws that are known.

    Parameters
    ----------
    known : mapping
        The state of a chain, with all of its draws.
    sent : mapping
        The same `without_draws`: what the chain set out from.
    returned : mapping
        Where it is now.
    """
    draws = _extended(known["draws"], sent["draws"], returned["draws"])
    trees = [state["draws"]["trees"]["node_offsets"] for state in (known, sent)]
    n_known = len(known["draws"]["tree"])
    draws["tree"][n_known:] += len(trees[0]) - len(trees[1])
    return {
        **returned,
        "draws": draws,
        "full_trace": _extended(known["full_trace"], sent["full_trace"], returned["full_trace"]),
    }


def _last(array: Any, n: int) -> Any:
    return array[len(array) - n :]


def _n_counts(trees: State, n_nodes: int, n_kept: int) -> int:
    """How many counts the leaves of the last tree have; n leaves make a tree of 2n - 1 nodes."""
    n_all_leaves = (len(trees["variable"]) + len(trees["node_offsets"]) - 1) // 2
    n_leaves = (n_nodes + n_kept) // 2
    return n_leaves * len(trees["leaf_counts"]) // max(n_all_leaves, 1)


def _extended(known: State, sent: State, returned: State) -> dict[str, Any]:
    """Add to each array what came back beyond what was sent."""
    extended: dict[str, Any] = {}
    for name, array in known.items():
        if name == "trees":
            extended[name] = _extended(array, sent[name], returned[name])
            continue
        added = returned[name][len(sent[name]) :]
        if name == "node_offsets":
            added = added + (array[-1] - sent[name][-1])
        extended[name] = np.concatenate((array, added))
    return extended
