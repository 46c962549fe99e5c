"""Single cases: the most uncertain first, each explained, and what to ask of others."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.columns import DAY, Column
from sweeptree.encoding import FloatArray
from sweeptree.fitted import column_names
from sweeptree.interpretation.changes import changes_in_words, find_changes
from sweeptree.interpretation.conditions import conditions_in_words, find_conditions
from sweeptree.interpretation.explanation import similar_in_words, similar_rows
from sweeptree.report.evidence import Evidence
from sweeptree.report.isolation import with_isolated_names
from sweeptree.report.numbers import rounded
from sweeptree.report.subset import error_of_subset
from sweeptree.uncertainty.intervals import probability_quantiles
from sweeptree.uncertainty.report import names_where, outside_training

MOST_CASES = 60
MOST_LINES = 6
N_SIMILAR = 5
TAILS = np.array([0.025, 0.975])


def cases(evidence: Evidence) -> dict[str, Any]:
    """Gather the section on cases."""
    rows = evidence.rows
    record: dict[str, Any] = {
        "inputs": _inputs(evidence),
        "areTraining": evidence.test_rows is None,
        "nRows": 0 if rows is None else len(rows),
        "shown": [],
        "error": None,
    }
    if rows is None:
        return record
    error = error_of_subset(evidence.model, evidence.page_model, rows)
    return {
        **record,
        "shown": _shown(evidence, rows),
        "error": {"mean": rounded(error.mean(), 2), "largest": rounded(error.max(), 2)},
    }


def _shown(evidence: Evidence, all_rows: FloatArray) -> list[dict[str, Any]]:
    model, entropies = evidence.model, evidence.entropies
    places = np.argsort(-entropies.total, kind="stable")[:MOST_CASES]
    rows = all_rows[places]
    ends = probability_quantiles(model.posterior_, rows, model.engine, TAILS)
    outside = _outside(evidence, rows)
    return [
        {
            "row": int(place),
            "truth": None if evidence.labels is None else int(evidence.labels[place]),
            "values": rounded(row, 17),
            "mean": rounded(evidence.probabilities[place]),
            "lower": rounded(ends[each, :, 0]),
            "upper": rounded(ends[each, :, 1]),
            "agreement": rounded(evidence.agreement[place]),
            "entropy": rounded(entropies.total[place]),
            "epistemic": rounded(entropies.epistemic[place]),
            "outside": str(outside[each]),
            **_explained(evidence, row),
        }
        for each, (place, row) in enumerate(zip(places, rows, strict=True))
    ]


def _outside(evidence: Evidence, rows: FloatArray) -> npt.NDArray[np.object_]:
    if not evidence.has_training:
        return np.full(len(rows), "", dtype=object)
    names = column_names(evidence.model)
    return names_where(outside_training(evidence.model.training_.X, rows), names)


def _explained(evidence: Evidence, row: FloatArray) -> dict[str, list[str]]:
    """Explain a case by the draws that are on the page, in lines of words."""
    model = with_isolated_names(evidence.page_model)
    columns = model.columns_
    conditions = conditions_in_words(find_conditions(model, row, 0.5), columns)
    if not evidence.has_training:
        return {"conditions": conditions[:MOST_LINES]}
    return {
        "conditions": conditions[:MOST_LINES],
        "changes": changes_in_words(find_changes(model, row), columns)[:MOST_LINES],
        "similar": similar_in_words(similar_rows(model, row[None], N_SIMILAR)),
    }


def _inputs(evidence: Evidence) -> list[dict[str, Any]]:
    """Describe the columns that trees on the page ask about, the most asked first."""
    trees = evidence.page_model.posterior_.trees
    n_splits = np.bincount(trees.variable[trees.variable >= 0], minlength=1)
    used = [int(column) for column in np.argsort(-n_splits, kind="stable") if n_splits[column]]
    return [_input(evidence, column) for column in used]


def _input(evidence: Evidence, column: int) -> dict[str, Any]:
    known = evidence.model.columns_[column]
    values = _values_known(evidence, column)
    record: dict[str, Any] = {"column": column, "start": rounded(_middle(known, values), 17)}
    if known.kind in ("number", "date"):
        record |= {"low": rounded(values.min(), 17), "high": rounded(values.max(), 17)}
    if known.kind == "date":
        record["hasTime"] = bool((values % DAY != 0).any())
    return record


def _values_known(evidence: Evidence, column: int) -> FloatArray:
    """Values of a column in training; without training rows, what trees hold it against."""
    if evidence.has_training:
        training = evidence.model.training_.X[:, column]
        values = training[~np.isnan(training)]
    else:
        trees = evidence.page_model.posterior_.trees
        values = trees.threshold[trees.nodes_asking(column, "at most")]
    return values if len(values) else np.zeros(1)


def _middle(known: Column, values: FloatArray) -> float:
    """Return a value to start from: of numbers and dates the median, else the most frequent."""
    if known.kind in ("number", "date"):
        return float(np.sort(values)[len(values) // 2])
    distinct, counts = np.unique(values, return_counts=True)
    return float(np.floor(distinct[counts.argmax()]))
