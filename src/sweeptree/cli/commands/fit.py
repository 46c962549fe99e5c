"""`sweeptree fit`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from os.path import splitext
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.table import Table as RichTable

from sweeptree.cli.cluster import sent_to
from sweeptree.cli.estimator_options import estimator_options
from sweeptree.cli.odd_columns import notes_on_columns
from sweeptree.cli.outputs import check_place, naming_output
from sweeptree.cli.showing import Listing, WrongCallError, escaped, note, percent, show
from sweeptree.cli.training import read_training_table
from sweeptree.columns import IN_WORDS
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.summary import new_table
from sweeptree.table_files import (
    STANDARD_STREAM,
    Table,
    TableFileError,
    labels_to_learn,
)
from sweeptree.table_files.table import Array, is_missing

SUFFIX = ".sweeptree"
N_MOST_USED = 5
MOST_CLASSES_SHOWN = 10
KINDS = {"f": "number", "b": "boolean", "M": "date"}


def run(options: argparse.Namespace) -> None:
    """Fit a model to a table, save it, and sum it up."""
    model = _make_model(options)
    output = _output(options)
    check_place(output, [options.table])
    with sent_to(options.scheduler):
        _fit(model, options, output)


def _fit(model: BayesianTreeClassifier, options: argparse.Namespace, output: str) -> None:
    table = read_training_table(options)
    labels = labels_to_learn(table, options.target)
    inputs = _inputs(table, options.target)
    notes = [*table.notes, *notes_on_columns(inputs.columns)]
    for each in notes:
        note(options, each)
    model.fit(inputs.columns, labels)
    notes_on_output = list(_notes_on_output(output))
    with naming_output(output):
        model.save(output)
    for each in notes_on_output:
        note(options, each)
    record = _record(model, inputs, labels, output) | {"notes": notes + notes_on_output}
    if options.json or not options.quiet:
        show(options, record, _summary_table(record, model), f"The model is in {escaped(output)}")


def _make_model(options: argparse.Namespace) -> BayesianTreeClassifier:
    given = {o.name: getattr(options, o.name) for o in estimator_options() if o.name in options}
    if options.quiet:
        given.setdefault("progress", False)
    model = BayesianTreeClassifier(**given)
    model._validate_params()  # a wrong option is told before a large table is read
    return model


def _output(options: argparse.Namespace) -> str:
    if options.output == STANDARD_STREAM:
        raise WrongCallError("A model cannot go to standard output; give it a file with -o.")
    if options.output:
        return str(options.output)
    if options.table == STANDARD_STREAM:
        raise WrongCallError("A table from standard input has no name; say -o MODEL.")
    return str(splitext(options.table)[0]) + SUFFIX


def _notes_on_output(output: str) -> Iterator[str]:
    """Tell of a model that is about to be replaced, in words for when it is."""
    if Path(output).is_file():
        written = datetime.fromtimestamp(Path(output).stat().st_mtime)
        yield f"The new model has replaced {output}, which was written {written:%Y-%m-%d %H:%M}."


def _inputs(table: Table, target: str) -> Table:
    inputs = table.without(target)
    if not inputs.columns:
        raise TableFileError(f"{table.source} has no column to learn from beside the target.")
    return inputs


def _record(
    model: BayesianTreeClassifier, inputs: Table, labels: Array, output: str
) -> dict[str, Any]:
    posterior = model.posterior_
    most_used = np.argsort(-model.feature_importances_, kind="stable")[:N_MOST_USED]
    names = list(inputs.columns)
    return {
        "table": inputs.source,
        "n_rows": len(inputs),
        "columns": dict(Counter(_kind(column) for column in inputs.columns.values())),
        "n_missing": int(sum(is_missing(column).sum() for column in inputs.columns.values())),
        "classes": dict(Counter(labels.tolist()).most_common()),
        "converged": posterior.converged,
        "stopped_by": posterior.stopped_by,
        "n_chains": posterior.n_chains,
        "n_moves": posterior.n_moves,
        "verdict": posterior.verdict._asdict(),
        "n_leaves": posterior.n_leaves.mean(),
        "share_of_splits": {names[c]: model.feature_importances_[c] for c in most_used},
        "model": output,
    }


def _kind(column: Array) -> str:
    if column.dtype == object:
        values = [value for value in column if value is not None]
        return "boolean" if values and isinstance(values[0], bool) else "text"
    return KINDS[column.dtype.kind]


def _summary_table(record: dict[str, Any], model: BayesianTreeClassifier) -> RichTable:
    table = new_table("", ["", ""], [])
    table.show_header = False
    table.columns[1].no_wrap = False
    by_kind = [f"{IN_WORDS.get(kind, kind)} ({n:,})" for kind, n in record["columns"].items()]
    used = [f"{name} {percent(share, 0)}" for name, share in record["share_of_splits"].items()]
    converged = "converged" if record["converged"] else "not converged"
    lines: dict[str, RenderableType] = {
        "rows": f"{record['n_rows']:,}",
        "columns": Listing(by_kind),
        "missing values": f"{record['n_missing']:,}",
        "classes": Listing(_classes_in_words(record["classes"])),
        "trees": f"{record['n_leaves']:.1f} leaves on average",
        "most splits are on": Listing(used),
        "": "(columns without effect get some splits too)",
        "chains": f"{record['n_chains']} of {record['n_moves']:,} moves, {converged}",
        "their agreement": model.posterior_.verdict.in_short(),
    }
    for name, line in lines.items():
        table.add_row(name, line)
    return table


def _classes_in_words(classes: dict[Any, int]) -> list[str]:
    shown = [f"{label} ({n:,})" for label, n in list(classes.items())[:MOST_CLASSES_SHOWN]]
    n_more = len(classes) - len(shown)
    return [*shown, f"and {n_more} more"] if n_more > 0 else shown
