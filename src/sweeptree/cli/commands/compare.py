"""`sweeptree compare`."""

from __future__ import annotations

import argparse

import numpy as np
from joblib import effective_n_jobs
from rich.text import Text

from sweeptree.cli.cluster import sent_to
from sweeptree.cli.odd_columns import notes_on_columns
from sweeptree.cli.showing import note, show
from sweeptree.cli.training import read_training_table
from sweeptree.experiments.cross_validation import N_FOLDS
from sweeptree.experiments.data_sets import LabelledTable
from sweeptree.experiments.strategies import compare_strategies, describe
from sweeptree.names import counted
from sweeptree.table import learn_table
from sweeptree.table_files import Table, TableFileError, labels_to_learn
from sweeptree.table_files.table import Array


def run(options: argparse.Namespace) -> None:
    """Compare the strategies on a table."""
    table = read_training_table(options)
    inputs = table.without(options.target).columns
    if not inputs:
        raise TableFileError(f"{table.source} has no column beside the target.")
    for each in (*table.notes, *notes_on_columns(inputs)):
        note(options, each)
    matrix, columns = learn_table(inputs)
    with sent_to(options.scheduler):
        sheets = compare_strategies(
            LabelledTable(matrix, _numbered_classes(table, options.target)),
            categories=[place for place, column in enumerate(columns) if column.is_category],
            min_samples_leaf=options.min_samples_leaf,
            is_quick=options.quick,
            n_jobs=options.n_jobs or effective_n_jobs(-1),
            seed=options.random_state,
        )
    description = describe(options.quick)
    record = {
        "table": table.source,
        "description": description,
        "sheets": [
            {"title": sheet.title, "headings": sheet.headings, "rows": sheet.rows}
            for sheet in sheets
        ],
    }
    show(options, record, *(sheet.to_rich() for sheet in sheets), Text(description))


def _numbered_classes(table: Table, target: str) -> Array:
    """Return each row's class as a number; every class needs a row in each fold."""
    classes, labels, counts = np.unique(
        labels_to_learn(table, target), return_inverse=True, return_counts=True
    )
    rarest = int(counts.argmin())
    if counts[rarest] < N_FOLDS:
        rows = counted(int(counts[rarest]), "row")
        raise TableFileError(
            f"Class {classes.tolist()[rarest]!r} of column {target!r} has {rows}; "
            f"each needs at least {N_FOLDS}, one for every fold."
        )
    return labels.astype(np.int64)
