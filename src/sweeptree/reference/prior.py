"""The prior of a tree: its shape and its rules."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.reference.data import Data, Rows
from sweeptree.reference.tree import Node, Tree


def log_or_minus_infinity(ratio: float) -> float:
    """Log of a number that may be zero."""
    return math.log(ratio) if ratio > 0.0 else -math.inf


def log_catalan(n: int) -> float:
    """Log of Catalan(n) = binom(2n, n) / (n + 1)."""
    return math.lgamma(2 * n + 1) - math.lgamma(n + 1) - math.lgamma(n + 2)


def log_uniform(tree: Tree) -> float:
    """1/S_k (Eq. 6, corrected): trees with k terminal nodes number S_k = Catalan(k - 1)."""
    return -log_catalan(tree.n_leaves - 1)


def log_paper(tree: Tree) -> float:
    """1/S_k with Eq. 7 as printed, Catalan(k)."""
    return -log_catalan(tree.n_leaves)


def log_flat(tree: Tree) -> float:
    """Every shape alike."""
    return 0.0


def log_geometric(tree: Tree, leaf_penalty: float) -> float:
    """Each leaf more makes a tree exp(leaf_penalty) times less likely."""
    return -leaf_penalty * (tree.n_leaves - 1)


def p_split(depth: int, gamma: float, delta: float) -> float:
    """Chance that a node with so many splits above it is split (Eq. 12)."""
    return gamma * math.pow(1.0 + depth, -delta)


def log_depth(tree: Tree, gamma: float, delta: float) -> float:
    """Chipman's prior: each node splits, or stops, with the chance of Eq. 12 at its depth."""

    def log_of_subtree(node: Node, depth: int) -> float:
        p = p_split(depth, gamma, delta)
        if node.is_leaf:
            return log_or_minus_infinity(1.0 - p)
        below = sum(log_of_subtree(child, depth + 1) for child in tree.children(node))
        return log_or_minus_infinity(p) + below

    return log_of_subtree(tree.root, 0)


def p_splittable(
    data: Data, rows: Rows, min_samples_leaf: int, p_rules: Sequence[FloatArray]
) -> float:
    """P_s of Eq. 13: the prior probability that a rule leaves both sides of a node enough rows.

    With thresholds, continuous rules and one row per leaf this is, for each variable, the range
    of the node's rows over the range of all rows; the variables are averaged.
    """
    total = 0.0
    for its, p_rule in zip(data.variables, p_rules, strict=True):
        n_left = np.count_nonzero(its.goes_left[:, rows], axis=1)
        n_fewer = np.minimum(n_left, len(rows) - n_left)
        splits = n_fewer >= min_samples_leaf
        total += 1.0 if splits.all() else float(p_rule[splits].sum())
    return total / max(data.n_variables, 1)


def log_range(
    tree: Tree, split_chance: float, min_samples_leaf: int, p_rules: Sequence[FloatArray]
) -> float:
    """Eq. 13 as a proper prior.

    A rule is drawn from its prior with chance g; if it leaves both sides enough rows the node is
    split, otherwise, or without a rule, it stays terminal. So a splitting node has the factor g
    (its rule's prior comes on top), a terminal node 1 - g P_s.
    """
    total = len(tree.splits) * math.log(split_chance)
    for leaf in tree.leaves:
        rows = tree.nodes[leaf].rows
        p = p_splittable(tree.data, rows, min_samples_leaf, p_rules)
        total += log_or_minus_infinity(1.0 - split_chance * p)
    return total


def rule_probabilities(kind: str, data: Data) -> list[FloatArray]:
    """Of each variable: the prior probability of every rule, given the variable."""
    p_variable = 1.0 / max(data.n_variables, 1)
    return [
        np.exp([log_rule_prior(kind, data, variable, cut) for cut in range(its.n_cuts)])
        / p_variable
        for variable, its in enumerate(data.variables)
    ]


def log_rule_prior(kind: str, data: Data, variable: int, cut: int) -> float:
    """Log probability of a variable and a rule (the rule factors of Eq. 6).

    The rules of a variable are equally likely, but for thresholds under continuous rules: these
    have the mass of their whole gap, so that it does not depend on the variable's units.
    """
    its = data.variables[variable]
    log_variable = -math.log(data.n_variables)
    if kind == "observed" or its.test_of(cut) != "at most":
        return log_variable - math.log(its.n_cuts)
    share = its.n_questions / its.n_cuts
    return log_variable + log_or_minus_infinity(its.gap(cut) / its.range * share)
