"""Graft, splice, regraft, rotate and transpose.

A split comes, goes or moves in the tree, together with what is on one side of it.
"""

from __future__ import annotations

import math

import numpy as np

from sweeptree.reference import moves
from sweeptree.reference.moves import Evaluation, Proposal
from sweeptree.reference.prior import log_or_minus_infinity
from sweeptree.reference.state import State
from sweeptree.reference.tree import Rule

# ---- graft ---------------------------------------------------------------------------------------


def draw_graft(state: State, random: np.random.Generator) -> Proposal:
    """Draw any node, a side for the new leaf, and a rule."""
    if not state.may_grow():
        return Proposal("graft")
    node = moves.draw_node(random, state.tree)
    is_left = random.random() < 0.5
    rule = moves.draw_rule(random, state.data, state.rule_prior)
    return Proposal("graft", node, rule, is_left=is_left)


def evaluate_graft(state: State, proposal: Proposal) -> Evaluation | None:
    """Insert a split and a leaf above any node: a sweep undone."""
    assert proposal.node is not None
    assert proposal.rule is not None
    new = state.tree.copy()
    new.graft_leaf(proposal.node, proposal.rule, proposal.is_left)
    if state.starved(new):
        return None
    log_shape = state.log_shape_change(new)
    return Evaluation(new, moves.graft_log_ratio(state.tree.n_leaves, state.p_move, log_shape))


# ---- splice --------------------------------------------------------------------------------------


def draw_splice(state: State, random: np.random.Generator) -> Proposal:
    """Draw a leaf that is not the root."""
    if state.tree.n_leaves == 1:
        return Proposal("splice")
    return Proposal("splice", moves.draw_member(random, state.tree.leaves))


def evaluate_splice(state: State, proposal: Proposal) -> Evaluation:
    """Remove a leaf with its parent, wherever it is: the reversible sweep."""
    assert proposal.node is not None
    new = state.tree.copy()
    new.remove_leaf(proposal.node)
    log_shape = state.log_shape_change(new)
    return Evaluation(new, moves.splice_log_ratio(state.tree.n_leaves, state.p_move, log_shape))


# ---- regraft -------------------------------------------------------------------------------------


def draw_regraft(state: State, random: np.random.Generator) -> Proposal:
    """Draw a subtree to move, a node to put it above, and a side."""
    moved = moves.draw_node(random, state.tree)
    other = moves.draw_node(random, state.tree)
    is_left = random.random() < 0.5
    node = moved if may_regraft(state, moved, other) else None
    return Proposal("regraft", node, is_left=is_left, other=other)


def may_regraft(state: State, moved: int, other: int) -> bool:
    """Not if the node is in the subtree, or is the split that moves along."""
    tree = state.tree
    return (
        moved != tree.root_name
        and other not in (moved, tree.nodes[moved].parent)
        and not tree.is_above(moved, other)
    )


def evaluate_regraft(state: State, proposal: Proposal) -> Evaluation | None:
    """Move a subtree and the split above it elsewhere."""
    assert proposal.node is not None
    assert proposal.other is not None
    return evaluate_transfer(state, proposal.node, proposal.other, proposal.is_left)


# ---- rotate --------------------------------------------------------------------------------------


def draw_rotation(state: State, random: np.random.Generator) -> Proposal:
    """Draw a splitting node to take its parent's place, and which child of it goes over."""
    node = moves.draw_lower_split(random, state.tree)
    return Proposal("rotate", node, is_left=node is not None and random.random() < 0.5)


def evaluate_rotation(state: State, proposal: Proposal) -> Evaluation | None:
    """Let a splitting node and its parent change places; one of its children goes over.

    The parent, with what is on its other side, moves to the place above that child.
    """
    assert proposal.node is not None
    tree, riser = state.tree, proposal.node
    left, right = tree.children(tree.nodes[riser])
    goes_over = left if proposal.is_left else right
    is_right_of_parent = tree.parent(riser).right == riser
    return evaluate_transfer(state, tree.sibling(riser).name, goes_over.name, is_right_of_parent)


def evaluate_transfer(state: State, moved: int, other: int, is_left: bool) -> Evaluation | None:
    """Put a subtree, with the split above it, above another node. Symmetric."""
    new = state.tree.copy()
    new.regraft(moved, other, is_left)
    if state.starved(new):
        return None
    return Evaluation(new, state.log_shape_change(new))


# ---- transpose -----------------------------------------------------------------------------------


def draw_transposition(state: State, random: np.random.Generator) -> Proposal:
    """Draw a split above two that ask about the same variable.

    And which of these rises, which of them gets the upper rule as it is, and what the other gets.
    """
    split = moves.draw_split_above_twins(random, state.tree)
    if split is None:
        return Proposal("transpose")
    left, right = state.tree.children(state.tree.nodes[split])
    is_left = random.random() < 0.5
    other = left.name if random.random() < 0.5 else right.name
    rule = moves.draw_twin_rule(random, state.data, state.rule_of(split))
    return Proposal("transpose", split, rule, is_left=is_left, other=other)


def evaluate_transposition(state: State, proposal: Proposal) -> Evaluation | None:
    """Let a split and the two below it change places; so do two of the four subtrees."""
    assert proposal.node is not None
    assert proposal.rule is not None
    if not 0 <= proposal.rule.cut < state.data.variables[proposal.rule.variable].n_cuts:
        return None
    left, right = state.tree.children(state.tree.nodes[proposal.node])
    riser, loser = (left, right) if proposal.is_left else (right, left)
    upper, rising, lost = (state.rule_of(node) for node in (proposal.node, riser.name, loser.name))
    rules = [upper if proposal.other == child.name else proposal.rule for child in (left, right)]
    new = state.tree.copy()
    new.transpose(proposal.node, rising, *rules)
    if state.starved(new):
        return None
    n_before, n_after = (len(tree.splits_above_twins()) for tree in (state.tree, new))
    log_ratio = math.log(n_before / n_after) + log_ratio_of_twins(state, rising, lost)
    log_ratio -= log_ratio_of_twins(state, upper, proposal.rule)
    return Evaluation(new, log_ratio + state.log_shape_change(new))


def log_ratio_of_twins(state: State, rule: Rule, second: Rule) -> float:
    """Log chance that a second rule is drawn beside a rule, over that which the prior gives it."""
    n_cuts = state.data.variables[rule.variable].n_cuts
    p_second = moves.p_twin_cut(n_cuts, rule.cut, second.cut)
    return log_or_minus_infinity(p_second) - state.log_prior_of(second)
