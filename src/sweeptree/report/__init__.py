"""All about a fitted model in one HTML file that needs nothing else."""

from sweeptree.report.writing import report

__all__ = ["report"]
