"""The distribution that is sampled: p(θ) p(D | θ)."""

from __future__ import annotations

from sweeptree.encoding import EncodedTable
from sweeptree.reference import likelihood, prior
from sweeptree.reference.data import Data
from sweeptree.reference.tree import Tree
from sweeptree.settings import TargetSettings


class Target:
    """The posterior of a tree, up to a constant, on one table."""

    def __init__(self, table: EncodedTable, settings: TargetSettings) -> None:
        self.data = Data(table)
        self.settings = settings
        self.p_rules = prior.rule_probabilities(settings.rule_prior, self.data)

    def log_leaf(self, counts: tuple[int, ...], alpha: tuple[float, ...]) -> float:
        """Log likelihood of the rows in one terminal node."""
        if self.settings.likelihood == "plug-in":
            return likelihood.log_plug_in(counts)
        return likelihood.log_marginal(counts, alpha)

    def log_likelihood(self, tree: Tree, alpha: tuple[float, ...]) -> float:
        """Log p(D | θ): the sum over terminal nodes."""
        return sum(self.log_leaf(tree.nodes[leaf].counts, alpha) for leaf in tree.leaves)

    def log_shape(self, tree: Tree) -> float:
        """Log prior of the tree's shape."""
        match self.settings.tree_prior:
            case "uniform":
                return prior.log_uniform(tree)
            case "paper":
                return prior.log_paper(tree)
            case "flat":
                return prior.log_flat(tree)
            case "geometric":
                return prior.log_geometric(tree, self.settings.leaf_penalty)
            case "depth":
                return prior.log_depth(tree, self.settings.gamma, self.settings.delta)
            case _:
                return prior.log_range(
                    tree,
                    self.settings.split_chance,
                    self.settings.min_samples_leaf,
                    self.p_rules,
                )

    def log_prior(self, tree: Tree) -> float:
        """Log p(θ) (Eq. 3): shape and rules."""
        total = self.log_shape(tree)
        for name in tree.splits:
            rule = tree.nodes[name].rule
            assert rule is not None
            total += prior.log_rule_prior(
                self.settings.rule_prior, self.data, rule.variable, rule.cut
            )
        return total
