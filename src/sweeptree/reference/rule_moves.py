"""Changes of rules where they stand.

Of one splitting node, with the sweep that may follow; and the swap between a node and its parent.
"""

from __future__ import annotations

import numpy as np

from sweeptree.reference import moves, rule_choice
from sweeptree.reference.moves import Evaluation, Proposal
from sweeptree.reference.state import State
from sweeptree.reference.tree import Rule, Tree
from sweeptree.settings import P_ANYWHERE

# ---- changes -------------------------------------------------------------------------------------


def draw_change_split(state: State, random: np.random.Generator) -> Proposal:
    """Draw a splitting node, and a variable and rule from their priors."""
    changes_variable = state.strategy.changes_variable
    if changes_variable and state.data.n_variables < 2:
        return Proposal("change_split")
    node = moves.draw_member(random, state.tree.splits)
    if node is None:
        return Proposal("change_split")
    if rule_choice.is_offered_at(state, node):
        return rule_choice.draw(state, random, node)
    if changes_variable:
        present = state.rule_of(node).variable
        rule = moves.draw_other_rule(random, state.data, state.rule_prior, present)
    else:
        rule = moves.draw_rule(random, state.data, state.rule_prior)
    return Proposal("change_split", node, rule)


def draw_change_rule(state: State, random: np.random.Generator) -> Proposal:
    """Draw a splitting node, and another rule for its variable."""
    node = moves.draw_member(random, state.tree.splits)
    if node is None:
        return Proposal("change_rule")
    present = state.rule_of(node)
    drawn = state.strategy.rule_draw
    if drawn == "ranks" and random.random() < P_ANYWHERE:
        drawn = "prior"
    its = state.data.variables[present.variable]
    if its.kind != "ordered":
        drawn = "prior"  # levels have no neighbours
    if drawn == "gaussian" and its.asks_missing(present.cut):
        return Proposal("change_rule")  # there is no threshold to step from
    return Proposal("change_rule", node, draw_rule_again(state, random, present, drawn), drawn)


def draw_rule_again(state: State, random: np.random.Generator, present: Rule, drawn: str) -> Rule:
    """Draw another rule of the same variable."""
    if drawn == "gaussian":
        return moves.draw_gaussian_step(random, state.data, present, state.scale[present.variable])
    if drawn == "ranks":
        return moves.draw_rank_step(random, state.data, present)
    return moves.draw_rule_of(random, state.data, state.rule_prior, present.variable)


def evaluate_change(state: State, proposal: Proposal) -> Evaluation | None:
    """Give a splitting node another rule; the sweeping strategy mends one starved leaf."""
    assert proposal.node is not None
    assert proposal.rule is not None
    new = state.tree.copy()
    new.change_rule(proposal.node, proposal.rule)
    starved = state.starved(new)
    if len(starved) == 1 and state.strategy.sweeps:
        return evaluate_sweep(state, new, starved[0])
    if starved:
        return None
    old = state.rule_of(proposal.node)
    log_ratio = moves.rule_log_ratio(
        proposal.drawn, state.rule_prior, state.data, old, proposal.rule
    )
    return Evaluation(new, log_ratio + proposal.log_choice + state.log_shape_change(new))


def evaluate_sweep(state: State, new: Tree, leaf: int) -> Evaluation:
    """Remove the one starved leaf of a changed tree; accept as a death (section III)."""
    new.remove_leaf(leaf)
    return Evaluation(new, state.death_log_ratio(new), is_swept=True)


# ---- swap ----------------------------------------------------------------------------------------


def draw_swap(state: State, random: np.random.Generator) -> Proposal:
    """Draw a splitting node below another; a threshold for its sibling if it takes part."""
    node = moves.draw_lower_split(random, state.tree)
    if node is None or not state.tree.shares_cut_with_sibling(node):
        return Proposal("swap", node)
    upper = state.rule_of(state.tree.parent(node).name)
    again = moves.rule_at(state.data, upper.variable, upper.cut, random.random())
    return Proposal("swap", node, again)


def evaluate_swap(state: State, proposal: Proposal) -> Evaluation | None:
    """Exchange the rules of a node and its parent.

    Symmetric; where both children take part, the tree gains one of the parent's rules and loses
    one of theirs.
    """
    assert proposal.node is not None
    new = state.tree.copy()
    new.swap_rules(proposal.node, proposal.rule)
    if state.starved(new):
        return None
    log_ratio = state.log_shape_change(new)
    if proposal.rule is not None:
        log_ratio += state.log_prior_of(proposal.rule)
        log_ratio -= state.log_prior_of(state.rule_of(proposal.node))
    return Evaluation(new, log_ratio)
