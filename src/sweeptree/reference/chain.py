"""One Markov chain over trees: propose, evaluate, accept or not, record."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.reference import moves
from sweeptree.reference.strategies import RuleScale
from sweeptree.reference.target import Target
from sweeptree.reference.tree import Node, Rule, Tree
from sweeptree.settings import MAX_REDRAWS, MOVES, OUTCOMES, PHASES, StrategySettings


@dataclass(frozen=True)
class Proposal:
    """A move, where it is made, and with which rule. No node: impossible from this tree."""

    move: str
    node: int | None = None
    rule: Rule | None = None


@dataclass(frozen=True)
class Evaluation:
    """The tree that a proposal leads to and its log acceptance ratio, likelihood included."""

    tree: Tree
    log_ratio: float
    is_swept: bool = False


class Chain:
    """A chain from a single terminal node; `run` makes it move."""

    def __init__(
        self,
        target: Target,
        strategy: StrategySettings,
        bit_generator: np.random.BitGenerator,
        keeps_full_trace: bool = False,
    ) -> None:
        self.target = target
        self.data = target.data
        self.strategy = strategy
        self.p_move = dict(zip(MOVES, strategy.p_move, strict=True))
        self.random = np.random.Generator(bit_generator)
        self.scale = RuleScale(strategy.rule_scale)
        self.grown = Tree(self.data, np.arange(self.data.n_rows))
        self.log_likelihood = target.log_likelihood(self.grown)
        self.phase = "burn_in"
        self.n_moves_made = 0
        self.n_since_draw = 0
        self.counts = np.zeros((len(PHASES), len(MOVES), len(OUTCOMES)), dtype=np.int64)
        self.keeps_full_trace = keeps_full_trace
        self.moves_n_leaves: list[int] = []
        self.moves_log_likelihood: list[float] = []
        self.record = Record(self.data.n_classes)

    def run(self, n: int, is_burn_in: bool, thin: int = 1, seconds: float = math.inf) -> int:
        """Make moves until `n` are made or `seconds` have passed; return how many were made.

        In the sampling phase every `thin`-th move is recorded.
        """
        end = time.monotonic() + seconds
        self.phase = PHASES[0] if is_burn_in else PHASES[1]
        for i in range(1, n + 1):
            self.step()
            self.n_since_draw += not is_burn_in
            if self.n_since_draw >= thin:
                self.n_since_draw = 0
                self.record.add(self.grown, self.log_likelihood, self.target)
            if self.keeps_full_trace:
                self.moves_n_leaves.append(self.grown.n_leaves)
                self.moves_log_likelihood.append(self.log_likelihood)
            if time.monotonic() >= end:
                return i
        return n

    def step(self) -> None:
        """Make one iteration of the sampler."""
        for n_redraws in count():
            proposal = self.draw_proposal()
            evaluation = self.evaluate(proposal)
            if evaluation is None and self.strategy.redraws and n_redraws < MAX_REDRAWS:
                self.tally(proposal.move, "redrawn")
                continue
            self.decide(proposal, evaluation)
            break
        self.n_moves_made += 1

    # ---- drawing ---------------------------------------------------------------------------

    def draw_proposal(self) -> Proposal:
        """Draw a move, a node and a rule."""
        match moves.draw_move(self.random, self.p_move):
            case "birth":
                return self.draw_birth()
            case "death":
                node = moves.draw_member(self.random, self.grown.prunable)
                return Proposal("death", node)
            case "change_split":
                return self.draw_change_split()
            case _:
                return self.draw_change_rule()

    def may_grow(self) -> bool:
        """Whether another leaf is allowed; the restricting strategy allows fewer at first."""
        most = self.target.settings.max_leaves
        if self.n_moves_made < self.strategy.restrict_moves:
            most = min(most, self.strategy.restrict_leaves)
        return self.grown.n_leaves < most and self.data.n_variables > 0

    def draw_birth(self) -> Proposal:
        """Draw a terminal node, and a rule from its prior."""
        if not self.may_grow():
            return Proposal("birth")
        node = moves.draw_member(self.random, self.grown.leaves)
        rule = moves.draw_rule(self.random, self.data, self.target.settings.rule_prior)
        return Proposal("birth", node, rule)

    def draw_change_split(self) -> Proposal:
        """Draw a splitting node, and a variable and rule from their priors."""
        if self.strategy.changes_variable and self.data.n_variables < 2:
            return Proposal("change_split")
        node = moves.draw_member(self.random, self.grown.splits)
        if node is None:
            return Proposal("change_split")
        rule_prior = self.target.settings.rule_prior
        if not self.strategy.changes_variable:
            return Proposal(
                "change_split", node, moves.draw_rule(self.random, self.data, rule_prior)
            )
        present = self.rule_at(node).variable
        rule = moves.draw_other_rule(self.random, self.data, rule_prior, present)
        return Proposal("change_split", node, rule)

    def draw_change_rule(self) -> Proposal:
        """Draw a splitting node, and another rule for its variable."""
        node = moves.draw_member(self.random, self.grown.splits)
        if node is None:
            return Proposal("change_rule")
        present = self.rule_at(node)
        if self.strategy.steps:
            scale = self.scale[present.variable]
            return Proposal(
                "change_rule", node, moves.draw_rule_step(self.random, self.data, present, scale)
            )
        rule_prior = self.target.settings.rule_prior
        rule = moves.draw_rule_of(self.random, self.data, rule_prior, present.variable)
        return Proposal("change_rule", node, rule)

    def rule_at(self, node: int) -> Rule:
        """Return the rule of a splitting node."""
        rule = self.grown.nodes[node].rule
        assert rule is not None
        return rule

    # ---- evaluating ------------------------------------------------------------------------

    def evaluate(self, proposal: Proposal) -> Evaluation | None:
        """Work out what a proposal leads to. Deterministic; None if it is unavailable."""
        if proposal.node is None:
            return None
        match proposal.move:
            case "birth":
                return self.evaluate_birth(proposal.node, proposal.rule)
            case "death":
                return self.evaluate_death(proposal.node)
            case _:
                return self.evaluate_change(proposal.move, proposal.node, proposal.rule)

    def evaluate_birth(self, leaf: int, rule: Rule | None) -> Evaluation | None:
        """Split a terminal node."""
        assert rule is not None
        new = self.grown.copy()
        new.split_leaf(leaf, rule)
        if self.starved(new):
            return None
        log_ratio = moves.birth_log_ratio(
            self.grown.n_leaves, len(new.prunable), self.p_move, self.log_shape_change(new)
        )
        return Evaluation(new, log_ratio + self.log_likelihood_change(new))

    def evaluate_death(self, node: int) -> Evaluation:
        """Unite the two terminal children of a node."""
        new = self.grown.copy()
        new.merge_leaves(node)
        return Evaluation(new, self.death_log_ratio(new) + self.log_likelihood_change(new))

    def evaluate_change(self, move: str, node: int, rule: Rule | None) -> Evaluation | None:
        """Give a splitting node another rule; the sweeping strategy mends one starved leaf."""
        assert rule is not None
        new = self.grown.copy()
        new.change_rule(node, rule)
        starved = self.starved(new)
        if len(starved) == 1 and self.strategy.sweeps:
            return self.evaluate_sweep(new, starved[0])
        if starved:
            return None
        log_ratio = 0.0
        if move == "change_rule" and self.strategy.steps:
            log_ratio = moves.rule_step_log_ratio(
                self.target.settings.rule_prior, self.data, self.rule_at(node), rule
            )
        return Evaluation(new, log_ratio + self.log_likelihood_change(new))

    def evaluate_sweep(self, new: Tree, leaf: int) -> Evaluation:
        """Remove the one starved leaf of a changed tree; accept as a death (section III)."""
        new.remove_leaf(leaf)
        log_ratio = self.death_log_ratio(new) + self.log_likelihood_change(new)
        return Evaluation(new, log_ratio, is_swept=True)

    def starved(self, tree: Tree) -> list[int]:
        """Return the leaves with fewer rows than p_min."""
        return tree.starved_leaves(self.target.settings.min_samples_leaf)

    def death_log_ratio(self, new: Tree) -> float:
        """Log of R for losing a leaf (Eq. 11)."""
        return moves.death_log_ratio(
            self.grown.n_leaves, len(self.grown.prunable), self.p_move, self.log_shape_change(new)
        )

    def log_shape_change(self, new: Tree) -> float:
        """Log of the ratio of the shapes' priors."""
        return self.target.log_shape(new) - self.target.log_shape(self.grown)

    def log_likelihood_change(self, new: Tree) -> float:
        """Log of the likelihood ratio."""
        return self.target.log_likelihood(new) - self.log_likelihood

    # ---- deciding --------------------------------------------------------------------------

    def decide(self, proposal: Proposal, evaluation: Evaluation | None) -> None:
        """Accept with probability min(1, ratio); stay otherwise."""
        is_accepted = evaluation is not None and self.draw_acceptance(evaluation.log_ratio)
        if evaluation is not None and is_accepted:
            self.grown = evaluation.tree
            self.log_likelihood = self.target.log_likelihood(self.grown)
            self.tally(proposal.move, "swept" if evaluation.is_swept else "accepted")
        else:
            self.tally(proposal.move, "rejected")
        is_tuned = self.strategy.tunes and self.phase == "burn_in"
        if is_tuned and proposal.move == "change_rule" and proposal.rule is not None:
            self.scale.tune(proposal.rule.variable, is_accepted)

    def draw_acceptance(self, log_ratio: float) -> bool:
        """Draw whether a proposal is accepted.

        The uniform is drawn even where it cannot matter: a ratio of one is sometimes rounded down.
        """
        u = 1.0 - self.random.random()  # never zero
        return log_ratio >= 0.0 or math.log(u) < log_ratio

    def tally(self, move: str, outcome: str) -> None:
        """Count what happened."""
        self.counts[PHASES.index(self.phase), MOVES.index(move), OUTCOMES.index(outcome)] += 1

    # ---- what the kernel's chain offers too ------------------------------------------------

    @property
    def n_leaves(self) -> int:
        """K of the present tree."""
        return self.grown.n_leaves

    @property
    def log_prior(self) -> float:
        """Log prior of the present tree."""
        return self.target.log_prior(self.grown)

    @property
    def rule_scale(self) -> list[float]:
        """The step sizes as tuned so far."""
        return self.scale.scale

    @property
    def draws(self) -> dict[str, Any]:
        """What was recorded, as arrays."""
        return self.record.as_arrays()

    @property
    def full_trace(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Number of leaves and log likelihood after every move."""
        return (
            np.array(self.moves_n_leaves, dtype=np.int32),
            np.array(self.moves_log_likelihood, dtype=np.float64),
        )


class Record:
    """What is kept of a chain: one entry per draw, and the trees wherever they changed.

    A tree is its nodes in preorder: the variable (-1 for a terminal node) and the threshold.
    """

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self.n_leaves: list[int] = []
        self.depth: list[int] = []
        self.log_likelihood: list[float] = []
        self.log_prior: list[float] = []
        self.tree: list[int] = []
        self.last: Tree | None = None
        self.node_offsets = [0]
        self.variable: list[int] = []
        self.threshold: list[float] = []
        self.leaf_counts: list[tuple[int, ...]] = []

    def add(self, tree: Tree, log_likelihood: float, target: Target) -> None:
        """Record a draw."""
        if tree is not self.last:
            self.add_subtree(tree, tree.root)
            self.node_offsets.append(len(self.variable))
            self.last = tree
        self.n_leaves.append(tree.n_leaves)
        self.depth.append(tree.depth_below(tree.root))
        self.log_likelihood.append(log_likelihood)
        self.log_prior.append(target.log_prior(tree))
        self.tree.append(len(self.node_offsets) - 2)

    def add_subtree(self, tree: Tree, node: Node) -> None:
        """Append nodes in preorder."""
        if node.rule is None:
            self.variable.append(-1)
            self.threshold.append(0.0)
            self.leaf_counts.append(node.counts)
            return
        self.variable.append(node.rule.variable)
        self.threshold.append(node.rule.threshold)
        for child in tree.children(node):
            self.add_subtree(tree, child)

    def as_arrays(self) -> dict[str, Any]:
        """Return the traces and the trees in the kernel's form."""
        return {
            "n_leaves": np.array(self.n_leaves, dtype=np.int32),
            "depth": np.array(self.depth, dtype=np.int32),
            "log_likelihood": np.array(self.log_likelihood, dtype=np.float64),
            "log_prior": np.array(self.log_prior, dtype=np.float64),
            "tree": np.array(self.tree, dtype=np.int32),
            "trees": (
                np.array(self.node_offsets, dtype=np.int64),
                np.array(self.variable, dtype=np.int32),
                np.array(self.threshold, dtype=np.float64),
                np.array(self.leaf_counts, dtype=np.int32).reshape(-1, self.n_classes),
            ),
        }
