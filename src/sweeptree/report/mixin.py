"""What the estimator can write about itself."""

from sweeptree.report.writing import report


class ReportMixin:
    """The report as a method of a fitted model."""

    report = report
