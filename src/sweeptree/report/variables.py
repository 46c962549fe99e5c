"""Which variables matter, where they are cut, and how predictions depend on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweeptree.frames import records_of
from sweeptree.interpretation.dependence import dependence_in_training
from sweeptree.interpretation.variables import cuts_of, variable_use
from sweeptree.interpretation.words import show_value
from sweeptree.report.evidence import Evidence
from sweeptree.report.headline import Z
from sweeptree.report.numbers import rounded

MOST_USES = 30
MOST_CURVES = 6
MOST_LEVELS = 30


def variables(evidence: Evidence) -> dict[str, Any]:
    """Gather the section on variables: the most used first."""
    uses = sorted(
        enumerate(records_of(variable_use(evidence.model))), key=lambda use: -use[1]["splits"]
    )
    shown = [column for column, use in uses if use["used"] > 0][:MOST_CURVES]
    return {
        "nColumns": len(uses),
        "uses": [_use(column, use) for column, use in uses[:MOST_USES]],
        "curves": [_curve(evidence, column) for column in shown] if evidence.has_training else [],
    }


def _use(column: int, use: dict[str, Any]) -> dict[str, Any]:
    record: dict[str, Any] = {"column": column}
    for name in ("used", "splits", "root"):
        half = Z * np.nan_to_num(use[f"{name}_error"])
        most = np.inf if name == "splits" else 1.0
        ends = [max(0.0, use[name] - half), min(most, use[name] + half)]
        record[name] = rounded([use[name], *ends])
    return record


def _curve(evidence: Evidence, column: int) -> dict[str, Any]:
    """Return the dependence curve of a column; of numbers and dates also where trees cut."""
    known = evidence.model.columns_[column]
    curve = dependence_in_training(evidence.quick_model, column)
    which = slice(MOST_LEVELS) if known.is_category else slice(None)
    record = {
        "column": column,
        **{name: rounded(getattr(curve, name)[which]) for name in ("mean", "lower", "upper")},
    }
    if known.is_category:
        levels = [str(level) for level in curve.grid[which].tolist()]
        return {**record, "levels": levels, "nLevels": len(known.levels)}
    words = [show_value(known, value, 4) for value in curve.values.tolist()]
    if known.kind == "boolean":
        return {**record, "levels": words, "nLevels": len(words)}
    cuts = cuts_of(evidence.model, column)
    return {
        **record,
        "grid": rounded(curve.values, 12),
        "words": words,
        "edges": rounded(cuts.edges, 12),
        "splits": rounded(cuts.splits),
    }
