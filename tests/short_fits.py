"""Estimators that are fitted in no time."""

from sweeptree import BayesianTreeClassifier

SHORT = {"n_burn_in": 2000, "n_draws": 100, "thin": 10, "n_chains": 2, "random_state": 0}
STRATEGIES = ["sweeping", "standard", "restricting"]
ENGINES = ["kernel", "reference"]


def short(**parameters):
    return BayesianTreeClassifier(**{**SHORT, **parameters})
