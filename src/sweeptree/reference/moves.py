"""What moves are made of: how nodes and rules are drawn, and their ratios.

Birth, death and the changes are the paper's; with graft, splice, swap, regraft, rotate and
transpose sweeping is exact. `leaf_moves`, `rule_moves` and `branch_moves` put them together.
Only `draw_*` functions take the generator. The ratios are the proposal-and-prior part R of the
acceptance probability (Eq. 5); the likelihood ratio comes on top.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from sweeptree.reference.data import Data
from sweeptree.reference.prior import log_or_minus_infinity, log_rule_prior
from sweeptree.reference.tree import NodeSet, Rule, Tree
from sweeptree.settings import MOVES, P_SAME_CUT


@dataclass(frozen=True)
class Proposal:
    """A move, where it is made, and with which rule. No node: impossible from this tree."""

    move: str
    node: int | None = None
    rule: Rule | None = None
    drawn: str = "prior"
    """How the rule was drawn: from its prior, by a Gaussian step, or by a step over ranks."""
    is_left: bool = False
    """Graft, regraft: the side of what is added; rotate: of what goes over; transpose: of what
    rises."""
    other: int | None = None
    """Regraft: the node above which the subtree goes; transpose: the child that gets the upper
    rule as it was."""
    log_choice: float = 0.0
    """Of a rule chosen among several: the log of the chance to choose the present one back, over
    the chance to choose this one."""


@dataclass(frozen=True)
class Evaluation:
    """The tree that a proposal leads to, and the proposal-and-prior part of its log ratio."""

    tree: Tree
    log_ratio: float
    is_swept: bool = False


def draw_below(random: np.random.Generator, n: int) -> int:
    """Draw one of 0 .. n - 1."""
    return int(random.random() * n)


def draw_normal(random: np.random.Generator) -> float:
    """Draw from N(0, 1) by Box and Muller.

    The second value is not kept, so that a draw depends on nothing before it.
    """
    radius = math.sqrt(-2.0 * math.log(1.0 - random.random()))
    return radius * math.cos(2.0 * math.pi * random.random())


def draw_move(random: np.random.Generator, p_move: Mapping[str, float]) -> str:
    """Draw the type of a move."""
    place = bisect_right(list(accumulate(p_move[move] for move in MOVES)), random.random())
    made = [i for i, move in enumerate(MOVES) if p_move[move] > 0.0]
    return MOVES[min(place, made[-1])]  # what rounding leaves over goes to the last


def draw_member(random: np.random.Generator, nodes: NodeSet) -> int | None:
    """Draw a node; None if there is none to draw from."""
    return nodes[draw_below(random, len(nodes))] if len(nodes) else None


def draw_node(random: np.random.Generator, tree: Tree) -> int:
    """Draw one of all 2k - 1 nodes."""
    k = tree.n_leaves
    place = draw_below(random, 2 * k - 1)
    return tree.leaves[place] if place < k else tree.splits[place - k]


def draw_lower_split(random: np.random.Generator, tree: Tree) -> int | None:
    """Draw a splitting node below another one; None if there is none."""
    splits = tree.splits
    if len(splits) < 2:
        return None
    place = draw_below(random, len(splits) - 1)
    return splits[place if place < splits.place_of(tree.root_name) else place + 1]


def draw_split_above_twins(random: np.random.Generator, tree: Tree) -> int | None:
    """Draw a splitting node whose two children ask about the same variable; None if none has."""
    splits = tree.splits_above_twins()
    return splits[draw_below(random, len(splits))] if splits else None


def draw_by_log_weight(random: np.random.Generator, log_weights: Sequence[float]) -> int:
    """Draw a place, each with a chance in proportion to its weight."""
    most = max(log_weights)
    cumulative = list(accumulate(math.exp(w - most) for w in log_weights))
    place = bisect_right(cumulative, random.random() * cumulative[-1])
    return min(place, len(log_weights) - 1)


def rule_at(data: Data, variable: int, cut: int, fraction: float) -> Rule:
    """Return one of a variable's rules, the fraction being the place inside its gap."""
    return Rule(variable, cut, data.variables[variable].threshold_of(cut, fraction))


def draw_observed_rule(random: np.random.Generator, data: Data, variable: int) -> Rule:
    """Draw any rule of a variable; one uniform gives it and its threshold's place in the gap."""
    place = random.random() * data.variables[variable].n_cuts
    cut = int(place)
    return rule_at(data, variable, cut, place - cut)


def draw_threshold(
    random: np.random.Generator, data: Data, variable: int, missing_left: bool
) -> Rule:
    """Draw a threshold over the variable's range (Eq. 14), below its highest value if rounded."""
    its = data.variables[variable]
    drawn = its.values[0] + random.random() * its.range
    threshold = min(drawn, math.nextafter(its.values[-1], -math.inf))
    return Rule(variable, its.cut_of(threshold, missing_left), threshold)


def draw_rule_of(random: np.random.Generator, data: Data, rule_prior: str, variable: int) -> Rule:
    """Draw a rule of one variable from its prior.

    Uniform over its rules; or, for thresholds, over its range.
    """
    its = data.variables[variable]
    if rule_prior == "observed" or its.kind != "ordered":
        return draw_observed_rule(random, data, variable)
    if not its.has_missing:
        return draw_threshold(random, data, variable, False)
    cut = draw_below(random, its.n_cuts)  # whether missing values are asked for, or their side
    if its.asks_missing(cut):
        return rule_at(data, variable, cut, 0.0)
    return draw_threshold(random, data, variable, its.sends_missing_left(cut))


def draw_rule(random: np.random.Generator, data: Data, rule_prior: str) -> Rule:
    """Draw a variable uniformly, then its rule: the prior of section II-A."""
    variable = draw_below(random, data.n_variables)
    return draw_rule_of(random, data, rule_prior, variable)


def draw_other_rule(
    random: np.random.Generator, data: Data, rule_prior: str, variable: int
) -> Rule:
    """Draw a rule of a variable other than the present one (Eq. 15)."""
    other = draw_below(random, data.n_variables - 1)
    return draw_rule_of(random, data, rule_prior, other if other < variable else other + 1)


def draw_rank_step(random: np.random.Generator, data: Data, rule: Rule) -> Rule:
    """Draw a step by 1 to 2^j cuts with j uniform; it may leave the range."""
    n_cuts = data.variables[rule.variable].n_cuts
    reach = 1 << draw_below(random, n_cuts.bit_length())
    size = 1 + draw_below(random, reach)
    cut = rule.cut - size if random.random() < 0.5 else rule.cut + size
    fraction = random.random()
    if not 0 <= cut < n_cuts:
        return Rule(rule.variable, cut, rule.threshold)
    return rule_at(data, rule.variable, cut, fraction)


def draw_twin_rule(random: np.random.Generator, data: Data, rule: Rule) -> Rule:
    """Draw the same cut, its threshold anew; else a step over cuts, whatever these are."""
    if random.random() < P_SAME_CUT:
        return rule_at(data, rule.variable, rule.cut, random.random())
    return draw_rank_step(random, data, rule)


def draw_gaussian_step(random: np.random.Generator, data: Data, rule: Rule, scale: float) -> Rule:
    """Draw a Gaussian step from the present threshold (Eq. 16), and a side for missing values.

    It may leave the range.
    """
    its = data.variables[rule.variable]
    threshold = rule.threshold + scale * its.range * draw_normal(random)
    missing_left = its.has_missing and random.random() < 0.5
    return Rule(rule.variable, its.cut_of(threshold, missing_left), threshold)


def birth_log_ratio(
    k: int, n_prunable_after: int, p_move: Mapping[str, float], log_shape: float
) -> float:
    """Log of R for a birth, k -> k + 1 terminal nodes (Eq. 10).

    The rule is drawn from its prior, so those factors cancel. `n_prunable_after` is counted on
    the proposed tree: it does not grow when the sibling of the split node is terminal, which the
    paper's D_Q + 1 overlooks. `log_shape` is the log factor by which the prior of the shape
    changes, log(S_k / S_k+1) for the uniform prior.
    """
    return math.log(p_move["death"] * k / (p_move["birth"] * n_prunable_after)) + log_shape


def death_log_ratio(
    k: int, n_prunable: int, p_move: Mapping[str, float], log_shape: float
) -> float:
    """Log of R for a death, k -> k - 1: the inverse of the birth that undoes it (Eq. 11).

    Printed with b_k / d_k-1; it is b_k-1 / d_k.
    """
    return math.log(p_move["birth"] * n_prunable / (p_move["death"] * (k - 1))) + log_shape


def rule_log_ratio(drawn: str, rule_prior: str, data: Data, old: Rule, new: Rule) -> float:
    """Log of R for a new rule of the same variable.

    A rule drawn from its prior needs no factor. A Gaussian step is symmetric between thresholds,
    whose density under observed cuts is 1 / (N gap) inside a gap. A step over ranks is symmetric
    between cuts, which under continuous rules differ in mass.
    """
    if (drawn, rule_prior) == ("gaussian", "observed"):
        its = data.variables[old.variable]
        return log_or_minus_infinity(its.gap(old.cut) / its.gap(new.cut))
    if (drawn, rule_prior) == ("ranks", "continuous"):
        log_new = log_rule_prior(rule_prior, data, new.variable, new.cut)
        return log_new - log_rule_prior(rule_prior, data, old.variable, old.cut)
    return 0.0


def choice_log_ratio(log_weights: Sequence[float], chosen: int, log_present: float) -> float:
    """Log of R for a rule chosen among several, each with a chance in proportion to its weight.

    On the way back the present one is chosen among it and the others in the same way.
    """
    log_chosen = log_weights[chosen]
    most = max(log_present, *log_weights)
    others = sum(math.exp(w - most) for i, w in enumerate(log_weights) if i != chosen)
    forth = others + math.exp(log_chosen - most)
    back = others + math.exp(log_present - most)
    log_odds = log_or_minus_infinity(forth) - log_or_minus_infinity(back)
    return log_odds + log_present - log_chosen


def p_twin_cut(n_cuts: int, old: int, new: int) -> float:
    """Return the chance that `draw_twin_rule` makes one cut of another. Symmetric."""
    size = abs(new - old)
    if size == 0:
        return P_SAME_CUT
    reaches = [1 << j for j in range(n_cuts.bit_length())]
    p_size = sum(1.0 / (len(reaches) * reach) for reach in reaches if size <= reach)
    return (1.0 - P_SAME_CUT) * 0.5 * p_size


def graft_log_ratio(k: int, p_move: Mapping[str, float], log_shape: float) -> float:
    """Log of R for a graft, k -> k + 1.

    One of 2k - 1 nodes, one of two sides, a rule from its prior; undone by the splice of the one
    leaf that it adds. Under 1/S_k the shape's factor is (k + 1) / (2 (2k - 1)): at equal rates
    everything cancels, and a graft is accepted by the likelihood ratio alone.
    """
    sites = 2.0 * (2.0 * k - 1.0) / (p_move["graft"] * (k + 1.0))
    return math.log(p_move["splice"] * sites) + log_shape


def splice_log_ratio(k: int, p_move: Mapping[str, float], log_shape: float) -> float:
    """Log of R for a splice, k -> k - 1: the inverse of the graft that undoes it."""
    sites = k / (p_move["splice"] * 2.0 * (2.0 * k - 3.0))
    return math.log(p_move["graft"] * sites) + log_shape
