"""`sweeptree predict`."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from sweeptree.cli.models import load_model, model_rows, read_model_chunks
from sweeptree.cli.outputs import check_table_output, naming_output
from sweeptree.cli.outsiders import Outsiders
from sweeptree.cli.showing import WrongCallError, note, show
from sweeptree.elsewhere import n_threads_to_predict
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.fitted import rows_of
from sweeptree.prediction import mean_probabilities, vote_shares
from sweeptree.table_files import STANDARD_STREAM, table_writer
from sweeptree.table_files.table import Array
from sweeptree.uncertainty.entropies import split_entropy
from sweeptree.uncertainty.report import uncertainty_columns

N_DECIMALS = 6


def run(options: argparse.Namespace) -> None:
    """Predict the rows of a table, chunk by chunk, so that memory does not grow with it."""
    check_table_output(options, [options.model, options.table])
    model = load_model(options.model)
    n_rows, outsiders = 0, Outsiders(model)
    with naming_output(options.output), table_writer(options.output) as write:
        for chunk in read_model_chunks(options.model, model, options.table, options.keep, "--keep"):
            kept = {name: chunk.columns[name] for name in options.keep}
            rows = model_rows(model, chunk)
            if options.no_intervals:
                predicted = _without_intervals(model, rows)
            else:
                predicted = _with_intervals(model, rows, options.level)
            _check_names_differ(kept, predicted)
            write(kept | {name: _rounded(column) for name, column in predicted.items()})
            n_rows += len(chunk)
            outsiders.count(rows)
    _tell(options, model, n_rows, outsiders)


def _tell(
    options: argparse.Namespace,
    model: BayesianTreeClassifier,
    n_rows: int,
    outsiders: Outsiders,
) -> None:
    in_full = "without --no-intervals, the column outside_in has them by row"
    notes = outsiders.notes(in_full if options.no_intervals else "see the column outside_in")
    if not options.no_intervals and not hasattr(model, "training_"):
        notes.append(
            f"{options.model} was saved without its training rows: the columns is_outside and "
            "outside_in are left out."
        )
    for each in notes:
        note(options, each)
    record = {
        "n_rows": n_rows,
        "classes": model.classes_,
        "output": options.output,
        "notes": notes,
    }
    if options.json:
        show(options, record)
    elif options.output != STANDARD_STREAM:
        predicted = "row is predicted" if n_rows == 1 else "rows are predicted"
        note(options, f"{n_rows:,} {predicted}, in {options.output}.")


def _with_intervals(model: BayesianTreeClassifier, rows: Any, level: float) -> dict[str, Array]:
    has_training = hasattr(model, "training_")
    return uncertainty_columns(
        model, rows_of(model, rows), level, by_class=True, knows_training=has_training
    )


def _without_intervals(model: BayesianTreeClassifier, rows: Any) -> dict[str, Array]:
    X, posterior, engine = rows_of(model, rows), model.posterior_, model.engine
    probabilities = mean_probabilities(posterior, X, engine, n_threads_to_predict(model.n_jobs))
    predicted = probabilities.argmax(axis=1)
    of_predicted = (np.arange(len(X)), predicted)
    entropies = split_entropy(posterior, X, engine)
    columns = {
        "predicted": model.classes_[predicted],
        "probability": probabilities[of_predicted],
        "entropy": entropies.total,
        "aleatoric": entropies.aleatoric,
        "epistemic": entropies.epistemic,
        "agreement": vote_shares(posterior, X, engine)[of_predicted],
    }
    labels = model.classes_.tolist()
    by_class = {f"probability_{label}": probabilities[:, i] for i, label in enumerate(labels)}
    return columns | by_class


def _rounded(column: Array) -> Array:
    """Leave out digits that no sampler knows."""
    return column.round(N_DECIMALS) if column.dtype.kind == "f" else column


def _check_names_differ(kept: dict[str, Array], predicted: dict[str, Array]) -> None:
    for name in kept:
        if name in predicted:
            raise WrongCallError(
                f"--keep {name} would stand beside a column of the predictions with that name; "
                "rename it in the table."
            )
