"""`sweeptree explain`."""

from __future__ import annotations

import argparse

from rich.text import Text

from sweeptree.cli.models import load_model, model_rows, read_model_chunks
from sweeptree.cli.showing import WrongCallError, show
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.frames import records_of
from sweeptree.table_files import Table


def run(options: argparse.Namespace) -> None:
    """Explain the prediction of one row of a table."""
    model = load_model(options.model)
    row = _find_row(model, options)
    explanation = model.explain(model_rows(model, row), level=options.level)
    where = f"Row {options.row} of {row.source}"
    if row.unit == "line":
        where += f" (line {row.places[0]})"
    record = {
        "table": row.source,
        "row": options.row,
        "prediction": explanation.prediction,
        "conditions": list(records_of(explanation.conditions)),
        "changes": list(records_of(explanation.changes)),
        "similar": list(records_of(explanation.similar)),
    }
    show(options, record, Text(f"{where}\n{explanation}"))


def _find_row(model: BayesianTreeClassifier, options: argparse.Namespace) -> Table:
    n_before = 0
    for chunk in read_model_chunks(options.model, model, options.table):
        place = options.row - n_before
        if place < len(chunk):
            return chunk.rows(slice(place, place + 1))
        n_before += len(chunk)
    raise WrongCallError(
        f"--row {options.row} is beyond the last row of {options.table}, which is "
        f"{n_before - 1}; rows are counted from 0."
    )
