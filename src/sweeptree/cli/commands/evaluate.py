"""`sweeptree evaluate`."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from rich.table import Table as RichTable

from sweeptree import scores
from sweeptree.baseline import baseline_scores, training_counts
from sweeptree.cli.held_out import read_held_out
from sweeptree.cli.models import load_model
from sweeptree.cli.outsiders import Outsiders
from sweeptree.cli.showing import escaped, note, percent, show
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.labels import place_in_classes
from sweeptree.names import counted
from sweeptree.report.headline import judge_calibration
from sweeptree.summary import new_table
from sweeptree.table_files.table import Array
from sweeptree.uncertainty.abstaining import AccuracyCoverage

COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.5)
"""Shares of rows answered for which the accuracy is shown."""
MOST_CLASSES_SHOWN = 12


def run(options: argparse.Namespace) -> None:
    """Score a model on rows whose classes are known."""
    model = load_model(options.model)
    held_out = read_held_out(options.model, model, options.table, options.target)
    rows, labels = held_out.rows, held_out.labels
    outsiders = Outsiders(model)
    outsiders.count(rows)
    notes = outsiders.notes("`sweeptree predict` names them by row")
    for each in notes:
        note(options, each)
    probabilities = model.predict_proba(rows)
    curve = model.accuracy_coverage(rows, labels)
    record = {
        "table": held_out.source,
        "target": held_out.target,
        "n_rows": len(labels),
        "scores": _scores(model, labels, probabilities),
        "baseline": _baseline(model, labels),
        "classes": model.classes_,
        "confusion": _confusion(model, labels, probabilities),
        "abstaining": _abstaining(curve),
        "notes": notes,
    }
    show(options, record, *_renderables(record))


def _scores(model: BayesianTreeClassifier, labels: Array, probabilities: Array) -> dict[str, float]:
    predicted = model.classes_[probabilities.argmax(axis=1)]
    of_labels = (labels, probabilities, model.classes_)
    places = place_in_classes(labels, model.classes_)
    return {
        "accuracy": float((predicted == labels).mean()),
        "log_loss": scores.log_loss(*of_labels),
        "brier": scores.brier(*of_labels),
        "calibration_error": scores.expected_calibration_error(*of_labels),
        "calibration_error_by_chance": judge_calibration(places, probabilities).by_chance,
    }


def _baseline(model: BayesianTreeClassifier, labels: Array) -> dict[str, Any]:
    counts = training_counts(model.posterior_)
    return baseline_scores(counts, labels, model.classes_)._asdict()


def _confusion(
    model: BayesianTreeClassifier, labels: Array, probabilities: Array
) -> list[list[int]]:
    """Count rows, by their true and by their predicted class."""
    n_classes = len(model.classes_)
    true = place_in_classes(labels, model.classes_)
    place = true * n_classes + probabilities.argmax(axis=1)
    counts: list[list[int]] = (
        np.bincount(place, minlength=n_classes**2).reshape(n_classes, n_classes).tolist()
    )
    return counts


def _abstaining(curve: AccuracyCoverage) -> list[dict[str, float]]:
    """Accuracy and least probability where at most so large a share of the rows is answered."""
    found = {}
    for wanted in COVERAGES:
        within = np.flatnonzero(curve.coverage <= wanted + 1e-9)
        if len(within):
            place = int(within[-1])
            found[place] = {
                "least_probability": float(curve.threshold[place]),
                "answered": float(curve.coverage[place]),
                "accuracy": float(curve.accuracy[place]),
            }
    return list(found.values())


def _renderables(record: dict[str, Any]) -> list[RichTable | str]:
    rows = counted(record["n_rows"], "row")
    heading = escaped(f"{record['table']}: {rows}, classes in {record['target']!r}")
    abstaining = new_table(
        "What abstaining buys", [], ["answered", "accuracy", "answer if probability is at least"]
    )
    for row in record["abstaining"]:
        abstaining.add_row(
            percent(row["answered"]), percent(row["accuracy"]), f"{row['least_probability']:.3f}"
        )
    return [f"{heading}\n", *_scores_table(record), _confusion_table(record), abstaining]


def _scores_table(record: dict[str, Any]) -> list[RichTable | str]:
    """Show the scores beside those of a model that looks at no column."""
    figures, baseline = record["scores"], record["baseline"]
    table = new_table("Scores", [""], ["model", "baseline"])
    table.add_row("accuracy", percent(figures["accuracy"]), percent(baseline["accuracy"]))
    for name, words in (("log_loss", "log-loss"), ("brier", "Brier score")):
        table.add_row(words, f"{figures[name]:.3f}", f"{baseline[name]:.3f}")
    table.add_row("calibration error", f"{figures['calibration_error']:.3f}", "")
    commonest = escaped(baseline["commonest"])
    note = (
        f"Baseline: always {commonest}, the commonest class of training; log-loss and Brier score "
        "of the class shares of training.\nOn so many rows the calibration error is up to "
        f"{figures['calibration_error_by_chance']:.3f} by chance (95 %) even where the "
        "probabilities are true.\n"
    )
    return [table, note]


def _confusion_table(record: dict[str, Any]) -> RichTable | str:
    labels = [escaped(label) for label in record["classes"].tolist()]
    if len(labels) > MOST_CLASSES_SHOWN:
        return f"Confusion between {len(labels)} classes is in --json.\n"
    table = new_table("Confusion", ["true \\ predicted"], labels)
    for label, counts in zip(labels, record["confusion"], strict=True):
        table.add_row(label, *map("{:,}".format, counts))
    return table
