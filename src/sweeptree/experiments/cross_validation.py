"""Single chains on the folds of a table: what Tables II, III and IV are made of, and more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from sweeptree import scores
from sweeptree.diagnostics import rhat
from sweeptree.encoding import FloatArray
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.experiments.data_sets import LabelledTable
from sweeptree.experiments.fitting import (
    Record,
    Settings,
    acceptance,
    fit_chain,
    seed_of_chain,
)

N_FOLDS = 5
LARGEST_RHAT = 99.0
"""Chains that each stay at a value of their own have R-hat infinity, which JSON cannot hold."""

FIGURES = ("accuracy", "entropy", "n_splits", "log_loss", "brier", "acceptance")
"""What is measured of each chain on each fold."""


class Interval(NamedTuple):
    """A mean, and twice the standard deviation that a single run has over the folds."""

    mean: float
    interval: float


def measure_fold(table: LabelledTable, settings: Settings, seed: int, name: str) -> Record:
    """Fit chains to all folds but one and score each chain by itself on that one.

    Parameters
    ----------
    table : LabelledTable
    settings : mapping
        `fold`, `n_chains`, and the settings of the `model`.
    seed : int
        Of the folds and, along with `name`, of the chains.
    name : str
    """
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    train, test = list(folds.split(table.X, table.y))[settings["fold"]]
    models = [
        fit_chain(table.X[train], table.y[train], settings["model"], seed_of_chain(seed, name, c))
        for c in range(settings["n_chains"])
    ]
    chains = [_score_chain(model, table.X[test], table.y[test]) for model in models]
    record: Record = {key: [chain[key] for chain in chains] for key in chains[0]}
    record["rhat_n_leaves"] = _rhat([m.posterior_.n_leaves[0] for m in models])
    record["rhat_log_posterior"] = _rhat([m.posterior_.log_posterior[0] for m in models])
    record["n_test"] = len(test)
    return record


def _score_chain(model: BayesianTreeClassifier, X: FloatArray, y: Any) -> Record:
    probabilities = model.predict_proba(X)
    is_correct = model.classes_[probabilities.argmax(axis=1)] == y
    return {
        "accuracy": float(100.0 * is_correct.mean()),
        "entropy": scores.sum_entropy(probabilities),
        "n_splits": float(model.posterior_.n_leaves.mean() - 1.0),
        "log_loss": scores.log_loss(y, probabilities, model.classes_),
        "brier": scores.brier(y, probabilities, model.classes_),
        "acceptance": acceptance(model, "sampling"),
        "confidence": probabilities.max(axis=1).round(6).tolist(),
        "is_correct": is_correct.astype(int).tolist(),
    }


def _rhat(traces: Sequence[FloatArray]) -> float:
    return min(rhat(np.stack(traces).astype(np.float64)), LARGEST_RHAT)


def sum_up_folds(records: Sequence[Record]) -> dict[str, Any]:
    """Sum up the records of all folds: each figure's mean and ±, calibration, R-hat."""
    summary: dict[str, Any] = {
        figure: over_folds([record[figure] for record in records])._asdict() for figure in FIGURES
    }
    n_rows = sum(record["n_test"] for record in records)
    entropies = np.array([record["entropy"] for record in records])
    summary["entropy_per_row"] = float(entropies.sum(axis=0).mean() / n_rows)
    summary["entropy_of_all_folds"] = float(entropies.sum(axis=0).mean())
    summary["calibration_error"] = _calibration_error(records)
    for trace in ("rhat_n_leaves", "rhat_log_posterior"):
        summary[trace] = max(record[trace] for record in records)
    return summary


def over_folds(figures: Sequence[Sequence[float]]) -> Interval:
    """Average a (fold, chain) array; the ± is that of one chain a fold, as the paper has it.

    Examples
    --------
    >>> over_folds([[1.0, 2.0], [3.0, 4.0]])
    Interval(mean=2.5, interval=2.8284271247461903)
    """
    values = np.array(figures)
    variance = values.var(axis=0, ddof=1).mean() if len(values) > 1 else 0.0
    return Interval(float(values.mean()), float(2.0 * np.sqrt(variance)))


def _calibration_error(records: Sequence[Record]) -> float:
    """Of each chain over the rows of all folds, averaged over chains."""
    n_chains = len(records[0]["confidence"])
    errors = []
    for chain in range(n_chains):
        confidence = np.concatenate([record["confidence"][chain] for record in records])
        is_correct = np.concatenate([record["is_correct"][chain] for record in records])
        errors.append(scores.calibration_error(confidence, is_correct.astype(float)))
    return float(np.mean(errors))
