"""How far the predictions of test rows can be trusted."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweeptree.frames import records_of
from sweeptree.report.evidence import Evidence
from sweeptree.report.numbers import rounded
from sweeptree.scores import reliability_table
from sweeptree.spacing import evenly_spaced
from sweeptree.uncertainty.abstaining import curve_of_coverage
from sweeptree.uncertainty.envelope import ROUNDING

MOST_POINTS = 600
MOST_STEPS = 150
N_AGREEMENTS = 1000
"""Steps of the slider of confidence, from 0 to 1."""


def doubts(evidence: Evidence) -> dict[str, Any] | None:
    """Gather the section on uncertainty; None without test rows."""
    if evidence.test_rows is None:
        return None
    found: dict[str, Any] = {"entropies": _entropies(evidence)}
    if evidence.test_labels is not None:
        found |= {
            "calibration": _calibration(evidence),
            "coverage": _coverage(evidence),
            "envelope": _envelope(evidence),
        }
    return found


def _entropies(evidence: Evidence) -> dict[str, Any]:
    """Split the entropy of each row, and on average; of many rows some are shown."""
    found = evidence.entropies
    some = evenly_spaced(len(found.total), MOST_POINTS)
    return {
        "nRows": len(found.total),
        "means": {name: rounded(getattr(found, name).mean()) for name in found._fields},
        "aleatoric": rounded(found.aleatoric[some], 3),
        "epistemic": rounded(found.epistemic[some], 3),
        "isRight": _is_right(evidence)[some].tolist() if evidence.labels is not None else None,
    }


def _is_right(evidence: Evidence) -> Any:
    return evidence.probabilities.argmax(axis=1) == evidence.labels


def _calibration(evidence: Evidence) -> list[dict[str, Any]]:
    classes = np.arange(evidence.probabilities.shape[1])
    table = reliability_table(evidence.test_labels, evidence.probabilities, classes)
    return [
        {name: rounded(value) for name, value in record.items()} for record in records_of(table)
    ]


def _coverage(evidence: Evidence) -> dict[str, Any]:
    curve = curve_of_coverage(evidence.probabilities.max(axis=1), _is_right(evidence))
    some = evenly_spaced(len(curve.coverage), MOST_STEPS)
    return {name: rounded(values[some]) for name, values in curve._asdict().items()}


def _envelope(evidence: Evidence) -> list[list[int]]:
    """Count right and wrong predictions by agreement: [thousandths, right, wrong]."""
    step = np.floor((evidence.agreement + ROUNDING) * N_AGREEMENTS).astype(int)
    is_right = _is_right(evidence)
    return [
        [each, int((is_right & (step == each)).sum()), int((~is_right & (step == each)).sum())]
        for each in np.unique(step).tolist()
    ]
