"""Birth and death: a leaf is split, or two leaves become one."""

from __future__ import annotations

import numpy as np

from sweeptree.reference import moves
from sweeptree.reference.moves import Evaluation, Proposal
from sweeptree.reference.state import State


def draw_birth(state: State, random: np.random.Generator) -> Proposal:
    """Draw a terminal node, and a rule from its prior."""
    if not state.may_grow():
        return Proposal("birth")
    node = moves.draw_member(random, state.tree.leaves)
    rule = moves.draw_rule(random, state.data, state.rule_prior)
    return Proposal("birth", node, rule)


def evaluate_birth(state: State, proposal: Proposal) -> Evaluation | None:
    """Split a terminal node."""
    assert proposal.node is not None
    assert proposal.rule is not None
    new = state.tree.copy()
    new.split_leaf(proposal.node, proposal.rule)
    if state.starved(new):
        return None
    log_ratio = moves.birth_log_ratio(
        state.tree.n_leaves, len(new.prunable), state.p_move, state.log_shape_change(new)
    )
    return Evaluation(new, log_ratio)


def draw_death(state: State, random: np.random.Generator) -> Proposal:
    """Draw a splitting node whose two children are both terminal."""
    return Proposal("death", moves.draw_member(random, state.tree.prunable))


def evaluate_death(state: State, proposal: Proposal) -> Evaluation:
    """Unite the two terminal children of a node."""
    assert proposal.node is not None
    new = state.tree.copy()
    new.merge_leaves(proposal.node)
    return Evaluation(new, state.death_log_ratio(new))
