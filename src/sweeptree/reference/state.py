"""What every move works on: the tree, what is sampled from, how the chain walks."""

from __future__ import annotations

import numpy as np

from sweeptree.reference import moves
from sweeptree.reference.prior import log_rule_prior
from sweeptree.reference.strategies import RuleScale
from sweeptree.reference.target import Target
from sweeptree.reference.tree import Rule, Tree
from sweeptree.settings import MOVES, StrategySettings


class State:
    """A tree that is a single terminal node at first, and the α under which it stands."""

    def __init__(self, target: Target, strategy: StrategySettings) -> None:
        self.target = target
        self.data = target.data
        self.strategy = strategy
        self.p_move = dict(zip(MOVES, strategy.p_move, strict=True))
        self.scale = RuleScale(strategy.rule_scale)
        self.alphas = target.settings.alphas
        self.alpha_index = len(self.alphas) // 2
        self.n_moves_made = 0
        self.share = 1.0
        """How much of the log likelihood counts at present."""
        self.stand_on(Tree(self.data, np.arange(self.data.n_rows)))

    def stand_on(self, tree: Tree) -> None:
        """Make a tree the present one."""
        self.tree = tree
        self.log_likelihood = self.log_likelihood_of(tree)

    def use_alpha(self, value: int) -> None:
        """Take another of the values that α may have."""
        self.alpha_index = value
        self.log_likelihood = self.log_likelihood_of(self.tree)

    @property
    def alpha(self) -> tuple[float, ...]:
        """The present one, a number for each class."""
        return self.alphas[self.alpha_index]

    @property
    def rule_prior(self) -> str:
        """The name of the prior of rules."""
        return self.target.settings.rule_prior

    def may_grow(self) -> bool:
        """Whether another leaf is allowed; the restricting strategy allows fewer at first."""
        most = self.target.settings.max_leaves
        if self.n_moves_made < self.strategy.restrict_moves:
            most = min(most, self.strategy.restrict_leaves)
        return self.tree.n_leaves < most and self.data.n_variables > 0

    def starved(self, tree: Tree) -> list[int]:
        """Return the leaves with fewer rows than p_min."""
        return tree.starved_leaves(self.target.settings.min_samples_leaf)

    def rule_of(self, node: int) -> Rule:
        """Return the rule of a splitting node."""
        rule = self.tree.nodes[node].rule
        assert rule is not None
        return rule

    def log_likelihood_of(self, tree: Tree) -> float:
        """Log likelihood of a tree with the present α."""
        return self.target.log_likelihood(tree, self.alpha)

    def log_prior_of(self, rule: Rule) -> float:
        """Log prior of one rule."""
        return log_rule_prior(self.rule_prior, self.data, rule.variable, rule.cut)

    def log_shape_change(self, new: Tree) -> float:
        """Log of the ratio of the shapes' priors."""
        return self.target.log_shape(new) - self.target.log_shape(self.tree)

    def death_log_ratio(self, new: Tree) -> float:
        """Log of R for losing a leaf (Eq. 11)."""
        return moves.death_log_ratio(
            self.tree.n_leaves, len(self.tree.prunable), self.p_move, self.log_shape_change(new)
        )
