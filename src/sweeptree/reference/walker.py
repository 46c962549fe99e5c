"""A tree that walks: propose, evaluate, accept or not."""

from __future__ import annotations

import math
from copy import deepcopy
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.reference import branch_moves, leaf_moves, moves, rule_moves
from sweeptree.reference.moves import Evaluation, Proposal
from sweeptree.reference.prior import log_catalan
from sweeptree.reference.state import State
from sweeptree.reference.target import Target
from sweeptree.reference.tree import Tree
from sweeptree.settings import (
    MAX_REDRAWS,
    MOVES,
    MOVES_BETWEEN_ALPHAS,
    OUTCOMES,
    StrategySettings,
)

MoveCounts = npt.NDArray[np.int64]
"""(move, outcome)."""

DRAWS = {
    "birth": leaf_moves.draw_birth,
    "death": leaf_moves.draw_death,
    "change_split": rule_moves.draw_change_split,
    "change_rule": rule_moves.draw_change_rule,
    "graft": branch_moves.draw_graft,
    "splice": branch_moves.draw_splice,
    "swap": rule_moves.draw_swap,
    "regraft": branch_moves.draw_regraft,
    "rotate": branch_moves.draw_rotation,
    "transpose": branch_moves.draw_transposition,
}
EVALUATIONS = {
    "birth": leaf_moves.evaluate_birth,
    "death": leaf_moves.evaluate_death,
    "change_split": rule_moves.evaluate_change,
    "change_rule": rule_moves.evaluate_change,
    "graft": branch_moves.evaluate_graft,
    "splice": branch_moves.evaluate_splice,
    "swap": rule_moves.evaluate_swap,
    "regraft": branch_moves.evaluate_regraft,
    "rotate": branch_moves.evaluate_rotation,
    "transpose": branch_moves.evaluate_transposition,
}


class Heat(NamedTuple):
    """How much of the target counts."""

    share: float
    """Of the log likelihood."""
    hold_back: float
    """Of the penalty on large trees, while annealing."""


class Walker:
    """Walks from a single terminal node; `step` makes it move."""

    def __init__(
        self, target: Target, strategy: StrategySettings, random: np.random.Generator
    ) -> None:
        self.state = State(target, strategy)
        self.random = random
        self.screens = strategy.screen_every > 1
        self.is_in_sample = target.data.every_nth(strategy.screen_every)

    def step(self, heat: Heat, is_burn_in: bool, counts: MoveCounts) -> None:
        """Make one iteration of the sampler."""
        strategy = self.state.strategy
        self.state.share = heat.share
        u = 1.0 - self.random.random()  # never zero
        u_of_screen = 1.0 - self.random.random() if self.screens else 1.0
        for n_redraws in count():
            proposal = self.draw_proposal()
            evaluation = self.evaluate(proposal)
            if evaluation is None and strategy.redraws and n_redraws < MAX_REDRAWS:
                tally(counts, proposal.move, "redrawn")
                continue
            outcome = self.decide(u, heat, evaluation, u_of_screen)
            tally(counts, proposal.move, outcome)
            if strategy.tunes and is_burn_in:
                self.tune(proposal, outcome)
            break
        self.state.n_moves_made += 1
        if len(self.state.alphas) > 1 and self.state.n_moves_made % MOVES_BETWEEN_ALPHAS == 0:
            self.draw_alpha(heat.share)

    def follow(self, other: Walker) -> None:
        """Take the tree and the α of another, its steps and its count of moves."""
        self.state.alpha_index = other.state.alpha_index
        self.state.scale = deepcopy(other.state.scale)
        self.state.n_moves_made = other.state.n_moves_made
        self.state.stand_on(other.state.tree.regrown())

    def draw_proposal(self) -> Proposal:
        """Draw a move, a node and a rule."""
        move = moves.draw_move(self.random, self.state.p_move)
        return DRAWS[move](self.state, self.random)

    def evaluate(self, proposal: Proposal) -> Evaluation | None:
        """Work out what a proposal leads to. Deterministic; None if it is unavailable."""
        if proposal.node is None:
            return None
        return EVALUATIONS[proposal.move](self.state, proposal)

    # ---- deciding --------------------------------------------------------------------------

    def decide(
        self, u: float, heat: Heat, evaluation: Evaluation | None, u_of_screen: float = 1.0
    ) -> str:
        """Accept with probability min(1, ratio), stay otherwise; return what came of it.

        Where proposals are screened, one must pass by the likelihood of a sample of the rows
        first, and this is taken off its ratio.
        """
        if evaluation is None:
            return "rejected"
        seen = heat.share * self.change_on_sample(evaluation.tree) if self.screens else 0.0
        if not self.lets_pass(u_of_screen, seen):
            return "rejected"
        if not self.lets_pass(u, self.heated_log_ratio(heat, evaluation) - seen):
            return "rejected"
        self.state.stand_on(evaluation.tree)
        return "swept" if evaluation.is_swept else "accepted"

    def tune(self, proposal: Proposal, outcome: str) -> None:
        """Tune the step of the variable whose rule was to change."""
        if proposal.drawn == "gaussian" and proposal.rule is not None:
            self.state.scale.tune(proposal.rule.variable, outcome != "rejected")

    @staticmethod
    def lets_pass(u: float, log_ratio: float) -> bool:
        """Tell whether a uniform lets a proposal with this ratio pass."""
        return log_ratio >= 0.0 or math.log(u) < log_ratio

    def heated_log_ratio(self, heat: Heat, evaluation: Evaluation) -> float:
        """Log acceptance ratio, likelihood included.

        While annealing large trees are held back: under a flat prior there are Catalan(k - 1) of
        them, and half a likelihood does not outweigh that.
        """
        change = self.state.log_likelihood_of(evaluation.tree) - self.state.log_likelihood
        log_ratio = evaluation.log_ratio + heat.share * change
        if heat.hold_back == 0.0:
            return log_ratio
        k, k_new = self.state.tree.n_leaves, evaluation.tree.n_leaves
        penalty = log_catalan(k_new - 1) - log_catalan(k - 1) + (k_new - k)
        return log_ratio - heat.hold_back * penalty

    def change_on_sample(self, new: Tree) -> float:
        """Return by how much the log likelihood of the sample changes."""
        return self.log_likelihood_on_sample(new) - self.log_likelihood_on_sample(self.state.tree)

    def log_likelihood_on_sample(self, tree: Tree) -> float:
        """Log likelihood of the rows that are in the sample."""
        target, alpha = self.state.target, self.state.alpha
        of_leaves = (tree.nodes[leaf].rows for leaf in tree.leaves)
        in_sample = (rows[self.is_in_sample[rows]] for rows in of_leaves)
        return sum(target.log_leaf(target.data.class_counts(rows), alpha) for rows in in_sample)

    def draw_alpha(self, share: float) -> None:
        """Draw α given the tree: all values are equally likely a priori."""
        target, tree = self.state.target, self.state.tree
        logs = [share * target.log_likelihood(tree, alpha) for alpha in self.state.alphas]
        self.state.use_alpha(moves.draw_by_log_weight(self.random, logs))


def tally(counts: MoveCounts, move: str, outcome: str) -> None:
    """Count what happened."""
    counts[MOVES.index(move), OUTCOMES.index(outcome)] += 1
