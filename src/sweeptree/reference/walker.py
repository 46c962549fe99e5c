"""A tree that walks: propose, evaluate, accept or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.reference import moves
from sweeptree.reference.prior import log_catalan, log_rule_prior
from sweeptree.reference.strategies import RuleScale
from sweeptree.reference.target import Target
from sweeptree.reference.tree import Rule, Tree
from sweeptree.settings import (
    MAX_REDRAWS,
    MOVES,
    MOVES_BETWEEN_ALPHAS,
    OUTCOMES,
    P_ANYWHERE,
    StrategySettings,
)

MoveCounts = npt.NDArray[np.int64]
"""(move, outcome)."""


class Heat(NamedTuple):
    """How much of the target counts."""

    share: float
    """Of the log likelihood."""
    hold_back: float
    """Of the penalty on large trees, while annealing."""


@dataclass(frozen=True)
class Proposal:
    """A move, where it is made, and with which rule. No node: impossible from this tree."""

    move: str
    node: int | None = None
    rule: Rule | None = None
    drawn: str = "prior"
    is_left: bool = False
    other: int | None = None


@dataclass(frozen=True)
class Evaluation:
    """The tree that a proposal leads to, and the proposal-and-prior part of its log ratio."""

    tree: Tree
    log_ratio: float
    is_swept: bool = False


class Walker:
    """Walks from a single terminal node; `step` makes it move."""

    def __init__(
        self, target: Target, strategy: StrategySettings, random: np.random.Generator
    ) -> None:
        self.target = target
        self.data = target.data
        self.strategy = strategy
        self.p_move = dict(zip(MOVES, strategy.p_move, strict=True))
        self.random = random
        self.scale = RuleScale(strategy.rule_scale)
        self.grown = Tree(self.data, np.arange(self.data.n_rows))
        self.alphas = target.settings.alphas
        self.alpha_index = len(self.alphas) // 2
        self.log_likelihood = self.log_likelihood_of(self.grown)
        self.n_moves_made = 0
        self.screens = strategy.screen_every > 1
        self.is_in_sample = self.data.every_nth(strategy.screen_every)

    def step(self, heat: Heat, is_burn_in: bool, counts: MoveCounts) -> None:
        """Make one iteration of the sampler."""
        u = 1.0 - self.random.random()  # never zero
        u_of_screen = 1.0 - self.random.random() if self.screens else 1.0
        for n_redraws in count():
            proposal = self.draw_proposal()
            evaluation = self.evaluate(proposal)
            if evaluation is None and self.strategy.redraws and n_redraws < MAX_REDRAWS:
                tally(counts, proposal.move, "redrawn")
                continue
            outcome = self.decide(u, heat, evaluation, u_of_screen)
            tally(counts, proposal.move, outcome)
            if self.strategy.tunes and is_burn_in:
                self.tune(proposal, outcome)
            break
        self.n_moves_made += 1
        if len(self.alphas) > 1 and self.n_moves_made % MOVES_BETWEEN_ALPHAS == 0:
            self.draw_alpha(heat.share)

    def follow(self, other: Walker) -> None:
        """Take the tree and the α of another, and its count of moves."""
        self.grown = other.grown.regrown()
        self.alpha_index = other.alpha_index
        self.log_likelihood = self.log_likelihood_of(self.grown)
        self.n_moves_made = other.n_moves_made

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
            case "change_rule":
                return self.draw_change_rule()
            case "graft":
                return self.draw_graft()
            case "splice":
                return self.draw_splice()
            case "swap":
                return self.draw_swap()
            case "regraft":
                return self.draw_regraft()
            case _:
                return self.draw_rotation()

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
        drawn = self.strategy.rule_draw
        if drawn == "ranks" and self.random.random() < P_ANYWHERE:
            drawn = "prior"
        its = self.data.variables[present.variable]
        if its.kind != "ordered":
            drawn = "prior"  # levels have no neighbours
        if drawn == "gaussian" and its.asks_missing(present.cut):
            return Proposal("change_rule")  # there is no threshold to step from
        if drawn == "gaussian":
            scale = self.scale[present.variable]
            rule = moves.draw_gaussian_step(self.random, self.data, present, scale)
        elif drawn == "ranks":
            rule = moves.draw_rank_step(self.random, self.data, present)
        else:
            rule_prior = self.target.settings.rule_prior
            rule = moves.draw_rule_of(self.random, self.data, rule_prior, present.variable)
        return Proposal("change_rule", node, rule, drawn)

    def draw_node(self) -> int:
        """Draw one of all 2k - 1 nodes."""
        k = self.grown.n_leaves
        place = moves.draw_below(self.random, 2 * k - 1)
        return self.grown.leaves[place] if place < k else self.grown.splits[place - k]

    def draw_lower_split(self) -> int | None:
        """Draw a splitting node below another one."""
        splits, root = self.grown.splits, self.grown.root_name
        if len(splits) < 2:
            return None
        place = moves.draw_below(self.random, len(splits) - 1)
        return splits[place if place < splits.place_of(root) else place + 1]

    def draw_graft(self) -> Proposal:
        """Draw any node, a side for the new leaf, and a rule."""
        if not self.may_grow():
            return Proposal("graft")
        node = self.draw_node()
        is_left = self.random.random() < 0.5
        rule = moves.draw_rule(self.random, self.data, self.target.settings.rule_prior)
        return Proposal("graft", node, rule, is_left=is_left)

    def draw_splice(self) -> Proposal:
        """Draw a leaf that is not the root."""
        if self.grown.n_leaves == 1:
            return Proposal("splice")
        return Proposal("splice", moves.draw_member(self.random, self.grown.leaves))

    def draw_swap(self) -> Proposal:
        """Draw a splitting node below another; a threshold for its sibling if it takes part."""
        node = self.draw_lower_split()
        if node is None or not self.grown.shares_cut_with_sibling(node):
            return Proposal("swap", node)
        upper = self.rule_at(self.grown.parent(node).name)
        again = moves.rule_at(self.data, upper.variable, upper.cut, self.random.random())
        return Proposal("swap", node, again)

    def draw_regraft(self) -> Proposal:
        """Draw a subtree to move, a node to put it above, and a side.

        Impossible where the node is in the subtree, or is the split that moves along.
        """
        moved, other = self.draw_node(), self.draw_node()
        is_left = self.random.random() < 0.5
        tree = self.grown
        is_possible = (
            moved != tree.root_name
            and other not in (moved, tree.nodes[moved].parent)
            and not tree.is_above(moved, other)
        )
        return Proposal("regraft", moved if is_possible else None, is_left=is_left, other=other)

    def draw_rotation(self) -> Proposal:
        """Draw a splitting node to take its parent's place, and which child of it goes over."""
        node = self.draw_lower_split()
        return Proposal("rotate", node, is_left=node is not None and self.random.random() < 0.5)

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
            case "graft":
                return self.evaluate_graft(proposal.node, proposal.rule, proposal.is_left)
            case "splice":
                return self.evaluate_splice(proposal.node)
            case "swap":
                return self.evaluate_swap(proposal.node, proposal.rule)
            case "regraft":
                return self.evaluate_regraft(proposal.node, proposal.other, proposal.is_left)
            case "rotate":
                return self.evaluate_rotation(proposal.node, proposal.is_left)
            case _:
                return self.evaluate_change(proposal.node, proposal.rule, proposal.drawn)

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
        return Evaluation(new, log_ratio)

    def evaluate_death(self, node: int) -> Evaluation:
        """Unite the two terminal children of a node."""
        new = self.grown.copy()
        new.merge_leaves(node)
        return Evaluation(new, self.death_log_ratio(new))

    def evaluate_graft(self, node: int, rule: Rule | None, is_left: bool) -> Evaluation | None:
        """Insert a split and a leaf above any node: a sweep undone."""
        assert rule is not None
        new = self.grown.copy()
        new.graft_leaf(node, rule, is_left)
        if self.starved(new):
            return None
        log_shape = self.log_shape_change(new)
        return Evaluation(new, moves.graft_log_ratio(self.grown.n_leaves, self.p_move, log_shape))

    def evaluate_splice(self, leaf: int) -> Evaluation:
        """Remove a leaf with its parent, wherever it is: the reversible sweep."""
        new = self.grown.copy()
        new.remove_leaf(leaf)
        log_shape = self.log_shape_change(new)
        return Evaluation(new, moves.splice_log_ratio(self.grown.n_leaves, self.p_move, log_shape))

    def evaluate_swap(self, child: int, rule_of_sibling: Rule | None) -> Evaluation | None:
        """Exchange the rules of a node and its parent.

        Symmetric; where both children take part, the tree gains one of the parent's rules and
        loses one of theirs.
        """
        new = self.grown.copy()
        new.swap_rules(child, rule_of_sibling)
        if self.starved(new):
            return None
        log_ratio = self.log_shape_change(new)
        if rule_of_sibling is not None:
            log_ratio += self.log_rule_prior(rule_of_sibling)
            log_ratio -= self.log_rule_prior(self.rule_at(child))
        return Evaluation(new, log_ratio)

    def evaluate_regraft(self, moved: int, other: int | None, is_left: bool) -> Evaluation | None:
        """Move a subtree and the split above it elsewhere. Symmetric."""
        assert other is not None
        new = self.grown.copy()
        new.regraft(moved, other, is_left)
        if self.starved(new):
            return None
        return Evaluation(new, self.log_shape_change(new))

    def evaluate_rotation(self, riser: int, is_left: bool) -> Evaluation | None:
        """Let a splitting node and its parent change places; one of its children goes over.

        The parent, with what is on its other side, moves to the place above that child.
        """
        tree = self.grown
        left, right = tree.children(tree.nodes[riser])
        is_right_of_parent = tree.parent(riser).right == riser
        goes_over = left if is_left else right
        return self.evaluate_regraft(
            tree.sibling(riser).name, goes_over.name, is_left=is_right_of_parent
        )

    def log_rule_prior(self, rule: Rule) -> float:
        """Log prior of one rule."""
        kind = self.target.settings.rule_prior
        return log_rule_prior(kind, self.data, rule.variable, rule.cut)

    def evaluate_change(self, node: int, rule: Rule | None, drawn: str) -> Evaluation | None:
        """Give a splitting node another rule; the sweeping strategy mends one starved leaf."""
        assert rule is not None
        new = self.grown.copy()
        new.change_rule(node, rule)
        starved = self.starved(new)
        if len(starved) == 1 and self.strategy.sweeps:
            return self.evaluate_sweep(new, starved[0])
        if starved:
            return None
        log_ratio = moves.rule_log_ratio(
            drawn, self.target.settings.rule_prior, self.data, self.rule_at(node), rule
        )
        return Evaluation(new, log_ratio + self.log_shape_change(new))

    def evaluate_sweep(self, new: Tree, leaf: int) -> Evaluation:
        """Remove the one starved leaf of a changed tree; accept as a death (section III)."""
        new.remove_leaf(leaf)
        return Evaluation(new, self.death_log_ratio(new), is_swept=True)

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
        self.grown = evaluation.tree
        self.log_likelihood = self.log_likelihood_of(self.grown)
        return "swept" if evaluation.is_swept else "accepted"

    def tune(self, proposal: Proposal, outcome: str) -> None:
        """Tune the step of the variable whose rule was to change."""
        if proposal.drawn == "gaussian" and proposal.rule is not None:
            self.scale.tune(proposal.rule.variable, outcome != "rejected")

    @staticmethod
    def lets_pass(u: float, log_ratio: float) -> bool:
        """Tell whether a uniform lets a proposal with this ratio pass."""
        return log_ratio >= 0.0 or math.log(u) < log_ratio

    def heated_log_ratio(self, heat: Heat, evaluation: Evaluation) -> float:
        """Log acceptance ratio, likelihood included.

        While annealing large trees are held back: under a flat prior there are Catalan(k - 1) of
        them, and half a likelihood does not outweigh that.
        """
        change = self.log_likelihood_of(evaluation.tree) - self.log_likelihood
        log_ratio = evaluation.log_ratio + heat.share * change
        if heat.hold_back == 0.0:
            return log_ratio
        k, k_new = self.grown.n_leaves, evaluation.tree.n_leaves
        penalty = log_catalan(k_new - 1) - log_catalan(k - 1) + (k_new - k)
        return log_ratio - heat.hold_back * penalty

    def log_likelihood_of(self, tree: Tree) -> float:
        """Log likelihood of a tree with the present α."""
        return self.target.log_likelihood(tree, self.alphas[self.alpha_index])

    def change_on_sample(self, new: Tree) -> float:
        """Return by how much the log likelihood of the sample changes."""
        return self.log_likelihood_on_sample(new) - self.log_likelihood_on_sample(self.grown)

    def log_likelihood_on_sample(self, tree: Tree) -> float:
        """Log likelihood of the rows that are in the sample."""
        alpha = self.alphas[self.alpha_index]
        of_leaves = (tree.nodes[leaf].rows for leaf in tree.leaves)
        in_sample = (rows[self.is_in_sample[rows]] for rows in of_leaves)
        return sum(self.target.log_leaf(self.data.class_counts(rows), alpha) for rows in in_sample)

    def draw_alpha(self, share: float) -> None:
        """Draw α given the tree: all values are equally likely a priori."""
        logs = [share * self.target.log_likelihood(self.grown, alpha) for alpha in self.alphas]
        self.alpha_index = moves.draw_by_log_weight(self.random, logs)
        self.log_likelihood = self.log_likelihood_of(self.grown)


def tally(counts: MoveCounts, move: str, outcome: str) -> None:
    """Count what happened."""
    counts[MOVES.index(move), OUTCOMES.index(outcome)] += 1
