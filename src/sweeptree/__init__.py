"""Bayesian decision-tree classification whose uncertainty can be trusted."""

from importlib.metadata import version

from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.loading import ModelFileError, load

__all__ = ["BayesianTreeClassifier", "ModelFileError", "load"]
__version__ = version("sweeptree")
