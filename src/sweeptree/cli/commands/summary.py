"""`sweeptree summary`."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from rich.table import Table as RichTable
from rich.text import Text

from sweeptree.cli.showing import escaped, percent, show
from sweeptree.columns import Kind
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.loading import load
from sweeptree.names import counted, visible
from sweeptree.summary import (
    convergence_in_words,
    moves_table,
    new_table,
    run_table,
    traces_table,
)

MOST_COLUMNS_SHOWN = 20


def run(options: argparse.Namespace) -> None:
    """Show what a model knows of its columns, and how its chains ran."""
    model = load(options.model)
    posterior = model.posterior_
    with np.errstate(invalid="ignore"):  # a log posterior may be minus infinity
        show(
            options,
            _record(model),
            Text(f"Classes: {visible(', '.join(map(str, model.classes_.tolist())))}\n"),
            _columns_table(model),
            traces_table(posterior),
            run_table(posterior),
            moves_table(posterior),
            Text(convergence_in_words(posterior)),
        )


def _record(model: BayesianTreeClassifier) -> dict[str, Any]:
    posterior = model.posterior_
    return {
        "classes": model.classes_,
        "columns": {
            name: {"kind": kind, "share_of_splits": share} for name, kind, share in _columns(model)
        },
        "parameters": model.get_params(),
        "n_chains": posterior.n_chains,
        "n_draws": posterior.n_draws,
        "n_moves": posterior.n_moves,
        "thin": posterior.thin,
        "n_rungs": posterior.n_rungs,
        "converged": posterior.converged,
        "stopped_by": posterior.stopped_by,
        "verdict": posterior.verdict._asdict(),
        "n_leaves": {
            "mean": posterior.n_leaves.mean(),
            "sd": posterior.n_leaves.std(),
        },
    }


def _columns(model: BayesianTreeClassifier) -> list[tuple[str, Kind, float]]:
    """Name, kind and share of the splits of each column, most used first."""
    shares = model.feature_importances_.tolist()
    rows = [(c.name, c.kind, share) for c, share in zip(model.columns_, shares, strict=True)]
    return sorted(rows, key=lambda row: -row[2])


def _columns_table(model: BayesianTreeClassifier) -> RichTable:
    rows = _columns(model)
    title = counted(len(rows), "column")
    if len(rows) > MOST_COLUMNS_SHOWN:
        title += f", of which the {MOST_COLUMNS_SHOWN} most used"
    table = new_table(title, ["column", "kind"], ["share of splits"])
    table.columns[0].no_wrap = False
    for name, kind, share in rows[:MOST_COLUMNS_SHOWN]:
        table.add_row(escaped(name), kind, percent(share))
    return table
