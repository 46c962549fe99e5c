"""One of several rules for a split of two leaves.

Chosen by the likelihood of the leaves that it would make; to look at a rule there takes one count
of the node's rows. Where these are many, one rule is so much better than nearly all others that
looking at several is in vain.
"""

from __future__ import annotations

import math

import numpy as np

from sweeptree.reference import moves
from sweeptree.reference.moves import Proposal
from sweeptree.reference.state import State
from sweeptree.reference.tree import Rule
from sweeptree.settings import MOST_ROWS_CHOSEN_FOR


def is_offered_at(state: State, node: int) -> bool:
    """Whether change-split chooses among several rules at this node."""
    is_small = len(state.tree.nodes[node].rows) <= MOST_ROWS_CHOSEN_FOR
    return state.strategy.n_tries > 1 and is_small and node in state.tree.prunable


def draw(state: State, random: np.random.Generator, node: int) -> Proposal:
    """Draw several rules from their prior, and one of them in proportion to its weight.

    Impossible if none of them leaves both sides enough rows.
    """
    n_tries = state.strategy.n_tries
    rules = [moves.draw_rule(random, state.data, state.rule_prior) for _ in range(n_tries)]
    log_weights = [log_weight(state, node, rule) for rule in rules]
    if max(log_weights) == -math.inf:
        return Proposal("change_split")
    chosen = moves.draw_by_log_weight(random, log_weights)
    log_present = log_weight(state, node, state.rule_of(node))
    log_choice = moves.choice_log_ratio(log_weights, chosen, log_present)
    return Proposal("change_split", node, rules[chosen], log_choice=log_choice)


def log_weight(state: State, node: int, rule: Rule) -> float:
    """Log likelihood of the two leaves that a rule makes, as much of it as counts at present."""
    target, data = state.target, state.data
    halves = data.split(state.tree.nodes[node].rows, rule.variable, rule.cut)
    if min(map(len, halves)) < target.settings.min_samples_leaf:
        return -math.inf
    logs = (target.log_leaf(data.class_counts(rows), state.alpha) for rows in halves)
    return state.share * sum(logs)
