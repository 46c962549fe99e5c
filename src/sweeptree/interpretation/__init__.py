"""Why the model predicts what it predicts: one tree, its variables, one case, one curve.

Each function takes a fitted model first, and is a method of `BayesianTreeClassifier` too.
"""

from sweeptree.interpretation.dependence import (
    DependenceCurve,
    individual_curves,
    partial_dependence,
)
from sweeptree.interpretation.explanation import Explanation, explain
from sweeptree.interpretation.representative import representative_tree
from sweeptree.interpretation.tree import Tree
from sweeptree.interpretation.variables import (
    rule_density,
    variable_use,
    weak_variables,
    without_trees_using,
)

__all__ = [
    "DependenceCurve",
    "Explanation",
    "Tree",
    "explain",
    "individual_curves",
    "partial_dependence",
    "representative_tree",
    "rule_density",
    "variable_use",
    "weak_variables",
    "without_trees_using",
]
