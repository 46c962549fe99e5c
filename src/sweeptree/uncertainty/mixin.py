"""What the estimator can tell of its uncertainty."""

from sweeptree.uncertainty.abstaining import accuracy_coverage, reject_option
from sweeptree.uncertainty.chain_error import monte_carlo_error
from sweeptree.uncertainty.entropies import entropies
from sweeptree.uncertainty.envelope import envelope, envelope_curve
from sweeptree.uncertainty.intervals import predict_interval
from sweeptree.uncertainty.report import uncertainty


class UncertaintyMixin:
    """The functions of `sweeptree.uncertainty` as methods of a fitted model."""

    predict_interval = predict_interval
    uncertainty = uncertainty
    entropies = entropies
    monte_carlo_error = monte_carlo_error
    envelope = envelope
    envelope_curve = envelope_curve
    reject_option = reject_option
    accuracy_coverage = accuracy_coverage
