"""All that the future of a chain depends on, as numbers that can be kept: taken, checked, restored.

A tree is its nodes in preorder, and the sets from which moves pick are places in that order. The
names that nodes have inside a tree mean nothing, so they need not be kept; rows and counts follow
from the rules. The kernel's snapshots have the same layout.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from sweeptree.reference.record import Record
from sweeptree.reference.target import Target
from sweeptree.reference.tree import Node, NodeSet, Rule, Tree
from sweeptree.reference.walker import Walker
from sweeptree.settings import TESTS

if TYPE_CHECKING:
    from sweeptree.reference.chain import Chain

Snapshot = Mapping[str, Any]

Layout = Mapping[str, Any]
"""What a state holds by name: the type of a number, the dtype of an array, or another layout."""

PER_NODE: Layout = {
    "variable": np.int32,
    "test": np.uint8,
    "threshold": np.float64,
    "missing_left": np.uint8,
}
TREES: Layout = {"node_offsets": np.int64, **PER_NODE, "leaf_counts": np.int32}
TRACES: Layout = {
    "n_leaves": np.int32,
    "depth": np.int32,
    "log_likelihood": np.float64,
    "log_prior": np.float64,
    "alpha": np.int32,
    "tree": np.int32,
}
INTEGERS: Layout = {"moves_between_exchanges": int, "first_to_exchange": int, "n_since_draw": int}
CHAIN: Layout = {
    **INTEGERS,
    "walkers": list,
    "shares": np.float64,
    "has_changed": bool,
    "counts": np.int64,
    "draws": {**TRACES, "trees": TREES},
    "full_trace": {"n_leaves": np.int32, "log_likelihood": np.float64},
    "random": dict,
}
WALKER: Layout = {
    "variable": np.int32,
    "cut": np.int32,
    "threshold": np.float64,
    "leaves": np.int32,
    "splits": np.int32,
    "prunable": np.int32,
    "alpha": int,
    "log_likelihood": float,
    "n_moves_made": int,
    "rule_scale": np.float64,
    "n_tried": np.int64,
}


# ---- taking --------------------------------------------------------------------------------------


def take_chain(chain: Chain) -> dict[str, Any]:
    """Take down all that a chain's future depends on, its generator included."""
    n_leaves, log_likelihood = chain.full_trace
    return {
        **{name: getattr(chain, name) for name in INTEGERS},
        "walkers": [take_walker(walker) for walker in chain.walkers],
        "shares": np.array(chain.shares),
        "has_changed": chain.record.last is not chain.walkers[0].state.tree,
        "counts": chain.counts.ravel().copy(),
        "draws": take_record(chain.record),
        "full_trace": {"n_leaves": n_leaves, "log_likelihood": log_likelihood},
        "random": chain.random.bit_generator.state,
    }


def take_walker(walker: Walker) -> dict[str, Any]:
    """Take down one walker: its tree, its α, its steps."""
    its = walker.state
    tree = its.tree
    nodes = list(in_preorder(tree, tree.root))
    rules = [node.rule or Rule(-1, -1, 0.0) for node in nodes]
    place = {node.name: i for i, node in enumerate(nodes)}
    sets = {"leaves": tree.leaves, "splits": tree.splits, "prunable": tree.prunable}
    return {
        "variable": np.array([rule.variable for rule in rules], dtype=np.int32),
        "cut": np.array([rule.cut for rule in rules], dtype=np.int32),
        "threshold": np.array([rule.threshold for rule in rules], dtype=np.float64),
        **{
            name: np.array([place[node] for node in members], dtype=np.int32)
            for name, members in sets.items()
        },
        "alpha": its.alpha_index,
        "log_likelihood": float(its.log_likelihood),
        "n_moves_made": its.n_moves_made,
        "rule_scale": np.array(its.scale.scale, dtype=np.float64),
        "n_tried": np.array(its.scale.n_tried, dtype=np.int64),
    }


def in_preorder(tree: Tree, node: Node) -> Iterator[Node]:
    """Yield a node, then its left subtree, then its right one."""
    yield node
    if not node.is_leaf:
        for child in tree.children(node):
            yield from in_preorder(tree, child)


def take_record(record: Record) -> dict[str, Any]:
    """Take down the draws so far."""
    arrays = record.as_arrays()
    trees = dict(zip(TREES, arrays["trees"], strict=True))
    trees["leaf_counts"] = trees["leaf_counts"].ravel()
    return {**{name: arrays[name] for name in TRACES}, "trees": trees}


# ---- restoring -----------------------------------------------------------------------------------


def restore_chain(chain: Chain, state: Snapshot) -> None:
    """Go back to where a chain on the same target was; refuse what makes no sense."""
    check_chain(chain, state)
    walkers = [restored_walker(chain, of_walker) for of_walker in state["walkers"]]
    check_distances(walkers, state["moves_between_exchanges"])
    record = restored_record(state["draws"], chain.target)
    demand(state["has_changed"] or len(record.tree) > 0, "there is no tree to share")
    restore_generator(chain, state["random"])
    chain.walkers = walkers
    chain.shares = state["shares"].tolist()
    for name in INTEGERS:
        setattr(chain, name, state[name])
    chain.counts = state["counts"].reshape(chain.counts.shape).copy()
    chain.record = record
    record.last = None if state["has_changed"] else walkers[0].state.tree
    chain.moves_n_leaves = state["full_trace"]["n_leaves"].tolist()
    chain.moves_log_likelihood = state["full_trace"]["log_likelihood"].tolist()


def restore_generator(chain: Chain, state: Snapshot) -> None:
    """Go back to where the generator was."""
    try:
        chain.random.bit_generator.state = state
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ValueError("the state of the generator is not as it should be") from None


def check_chain(chain: Chain, state: Snapshot) -> None:
    """Refuse what cannot be the state of a chain; walkers and draws are checked on their own."""
    check_layout(state, CHAIN)
    shares = state["shares"].tolist()
    demand(len(shares) == len(state["walkers"]) > 0, "every walker needs a share of the likelihood")
    falls = all(above >= below for above, below in pairwise(shares))
    falls = falls and shares[0] == 1.0 and shares[-1] > 0.0
    demand(falls, "the shares must fall, from 1 to above 0")
    demand(state["moves_between_exchanges"] > 0, "moves_between_exchanges must be positive")
    demand(state["first_to_exchange"] in (0, 1), "first_to_exchange must be 0 or 1")
    demand(is_count(state["n_since_draw"]), "n_since_draw is no number of moves")
    counts = state["counts"]
    is_right = counts.size == chain.counts.size and all(map(is_count, counts.tolist()))
    demand(is_right, "the counts of moves are not as they should be")
    lengths = {len(trace) for trace in state["full_trace"].values()}
    demand(len(lengths) == 1, "the full traces have different lengths")


def is_count(n: int) -> bool:
    """Whether it may be counted on from: neither below zero nor near the end of 64 bits."""
    return 0 <= n < 1 << 62


def check_distances(walkers: Sequence[Walker], moves_between_exchanges: int) -> None:
    """Refuse others that are further behind the first than from one exchange to the next."""
    n_made = [walker.state.n_moves_made for walker in walkers]
    is_near = all(0 <= n_made[0] - n < moves_between_exchanges for n in n_made)
    demand(is_near, "the walkers are too far apart")


def restored_walker(chain: Chain, state: Snapshot) -> Walker:
    """Make a walker that stands where another stood."""
    check_layout(state, WALKER)
    walker = Walker(chain.target, chain.strategy, chain.random)
    its = walker.state
    demand(0 <= state["alpha"] < len(its.alphas), "there is no such alpha")
    demand(is_count(state["n_moves_made"]), "a number of moves is none")
    demand(not math.isnan(state["log_likelihood"]), "a log likelihood is not a number")
    scale, n_tried = state["rule_scale"].tolist(), state["n_tried"].tolist()
    n_variables = chain.target.data.n_variables
    demand(len(scale) == len(n_tried) == n_variables, "rule_scale needs one value per variable")
    demand(all(0.0 < value < math.inf for value in scale), "a rule scale is not positive")
    demand(all(map(is_count, n_tried)), "a number of tries is none")
    its.tree = restored_tree(state, chain.target)
    its.alpha_index = state["alpha"]
    its.log_likelihood = state["log_likelihood"]
    its.n_moves_made = state["n_moves_made"]
    its.scale.scale, its.scale.n_tried = scale, n_tried
    return walker


def restored_tree(state: Snapshot, target: Target) -> Tree:
    """Make a tree of nodes in preorder, and send the rows down."""
    data = target.data
    fields = [state[name].tolist() for name in Rule._fields]
    demand(len(set(map(len, fields))) == 1, "the arrays of a tree do not fit together")
    rules = [None if of_node[0] == -1 else Rule(*of_node) for of_node in zip(*fields, strict=True)]
    demand((len(rules) + 1) // 2 <= target.settings.max_leaves, "too many leaves")
    for rule in filter(None, rules):
        is_inside = 0 <= rule.variable < data.n_variables
        is_inside = is_inside and 0 <= rule.cut < data.variables[rule.variable].n_cuts
        demand(is_inside and math.isfinite(rule.threshold), "a rule is outside the table")
    tree = Tree(data, np.arange(data.n_rows))
    every_row = tree.root.rows
    tree.nodes = linked_in_preorder(rules, tree.root)
    tree.n_names = len(rules)
    tree.refill(tree.root_name, every_row)
    tree.leaves = restored_set(state["leaves"].tolist(), tree, lambda node: node.is_leaf)
    tree.splits = restored_set(state["splits"].tolist(), tree, lambda node: not node.is_leaf)
    tree.prunable = restored_set(state["prunable"].tolist(), tree, lambda n: is_prunable(tree, n))
    fewest = target.settings.min_samples_leaf
    is_fed = len(rules) == 1 or not tree.starved_leaves(fewest)
    demand(is_fed, "a leaf has too few rows")
    return tree


def linked_in_preorder(rules: list[Rule | None], root: Node) -> dict[int, Node]:
    """Link nodes by their rules; a node has its place as its name."""
    demand(len(rules) > 0, "a tree has no nodes")
    links: dict[int, list[int]] = {}
    parents: list[int | None] = []
    incomplete: list[int] = []
    for name, rule in enumerate(rules):
        demand(name == 0 or bool(incomplete), "a tree has too many nodes")
        parents.append(incomplete[-1] if incomplete else None)
        if incomplete:
            links[incomplete[-1]].append(name)
            if len(links[incomplete[-1]]) == 2:
                incomplete.pop()
        if rule is not None:
            links[name] = []
            incomplete.append(name)
    demand(not incomplete, "a tree has too few nodes")
    return {
        name: Node(name, parents[name], root.rows, (), rule, *links.get(name, ()))
        for name, rule in enumerate(rules)
    }


def restored_set(members: list[int], tree: Tree, belongs: Callable[[Node], bool]) -> NodeSet:
    """Put the members into their order; they must be all nodes that belong, once each."""
    wanted = [name for name, node in tree.nodes.items() if belongs(node)]
    demand(sorted(members) == wanted, "a set of nodes has the wrong members")
    return NodeSet(members)


def is_prunable(tree: Tree, node: Node) -> bool:
    """Whether a node splits into two terminal ones."""
    return not node.is_leaf and all(child.is_leaf for child in tree.children(node))


def restored_record(state: Snapshot, target: Target) -> Record:
    """Make a record of the draws so far."""
    record = Record(target.data.n_classes)
    for name in TRACES:
        setattr(record, name, state[name].tolist())
    for name in TREES:
        setattr(record, name, state["trees"][name].tolist())
    check_trees(record, target)
    demand(len({len(getattr(record, name)) for name in TRACES}) == 1, "the traces differ in length")
    n_trees, n_alphas = len(record.node_offsets) - 1, len(target.settings.alphas)
    demand(all(0 <= tree < n_trees for tree in record.tree), "there is no such tree")
    demand(all(0 <= alpha < n_alphas for alpha in record.alpha), "there is no such alpha")
    counts = np.reshape(record.leaf_counts, (-1, record.n_classes))
    record.leaf_counts = [tuple(of_leaf) for of_leaf in counts.tolist()]
    return record


def check_trees(record: Record, target: Target) -> None:
    """Refuse trees that are not whole."""
    offsets, variable = record.node_offsets, record.variable
    is_whole = offsets[:1] == [0] and offsets == sorted(offsets)
    is_whole = is_whole and {len(getattr(record, name)) for name in PER_NODE} == {offsets[-1]}
    demand(is_whole, "the arrays of the trees do not fit together")
    demand(all(-1 <= v < target.data.n_variables for v in variable), "no such variable")
    demand(all(test < len(TESTS) for test in record.test), "no such test")
    for start, end in pairwise(offsets):
        n_missing = 1
        for node in variable[start:end]:
            demand(n_missing > 0, "a tree has too many nodes")
            n_missing += -1 if node == -1 else 1
        demand(n_missing == 0, "a tree is not complete")
    n_leaves = variable.count(-1)
    is_counted = len(record.leaf_counts) == n_leaves * record.n_classes
    demand(is_counted, "every leaf needs a count of each class")


def check_layout(state: Any, layout: Layout) -> None:
    """Refuse what does not hold all that a layout names, in its type."""
    for name, kind in layout.items():
        value = state.get(name) if isinstance(state, dict) else None
        if isinstance(kind, Mapping):
            check_layout(value, kind)
        elif kind in (int, float, bool, list, dict):
            demand(type(value) is kind, f"the state has no {name!r} as it should be")
        else:
            is_right = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == kind
            demand(is_right, f"the state has no {name!r} as it should be")


def demand(condition: bool, message: str) -> None:
    """Refuse a state that does not meet a condition."""
    if not condition:
        raise ValueError(message)
