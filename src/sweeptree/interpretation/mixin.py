"""What the estimator can tell of why it predicts so."""

from sweeptree.interpretation.dependence import individual_curves, partial_dependence
from sweeptree.interpretation.explanation import explain
from sweeptree.interpretation.representative import representative_tree
from sweeptree.interpretation.variables import (
    rule_density,
    variable_use,
    weak_variables,
    without_trees_using,
)


class InterpretationMixin:
    """The functions of `sweeptree.interpretation` as methods of a fitted model."""

    representative_tree = representative_tree
    variable_use = variable_use
    rule_density = rule_density
    weak_variables = weak_variables
    without_trees_using = without_trees_using
    explain = explain
    partial_dependence = partial_dependence
    individual_curves = individual_curves
