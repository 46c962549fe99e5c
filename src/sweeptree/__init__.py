"""Bayesian decision-tree classification whose uncertainty can be trusted."""

from importlib.metadata import version

from sweeptree.estimator import BayesianTreeClassifier

__all__ = ["BayesianTreeClassifier"]
__version__ = version("sweeptree")
