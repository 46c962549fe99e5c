"""How far predictions can be trusted, and when to give none.

Each function takes a fitted model first, and is a method of `BayesianTreeClassifier` too.
"""

from sweeptree.uncertainty.abstaining import (
    AbstainingClassifier,
    AccuracyCoverage,
    accuracy_coverage,
    reject_option,
)
from sweeptree.uncertainty.chain_error import monte_carlo_error
from sweeptree.uncertainty.entropies import Entropies, entropies
from sweeptree.uncertainty.envelope import Envelope, envelope, envelope_curve
from sweeptree.uncertainty.intervals import predict_interval
from sweeptree.uncertainty.report import uncertainty

__all__ = [
    "AbstainingClassifier",
    "AccuracyCoverage",
    "Entropies",
    "Envelope",
    "accuracy_coverage",
    "entropies",
    "envelope",
    "envelope_curve",
    "monte_carlo_error",
    "predict_interval",
    "reject_option",
    "uncertainty",
]
