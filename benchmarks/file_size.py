"""How large model files are, and how long saving and loading takes.

10,000 draws, training rows included, with a penalty of a leaf that makes trees of about 25 nodes.
A pickle, compressed by joblib, stands beside.

    python -m benchmarks run file_size
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import joblib
from sklearn.exceptions import ConvergenceWarning

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import PAPER_SETS, LabelledTable
from sweeptree import BayesianTreeClassifier, load

N_CHAINS = 4
QUICK = {"draws": 400}
PENALTIES = {
    "Ionosphere": 1.25,
    "Votes": 0.75,
    "Wisconsin": 1.05,
    "Injury (synthetic stand-in)": 1.15,
}


def seconds_for(task: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    task()
    return time.perf_counter() - begin


def nodes_of(model: BayesianTreeClassifier) -> float:
    """Nodes of a tree, averaged over the draws."""
    return float(2 * model.posterior_.n_leaves.mean() - 1)


def fit(table: LabelledTable, n_draws: int, leaf_penalty: float) -> BayesianTreeClassifier:
    model = BayesianTreeClassifier(
        n_chains=N_CHAINS, n_draws=n_draws // N_CHAINS, leaf_penalty=leaf_penalty, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(table.X, table.y)


def measure(table: LabelledTable, n_draws: int, leaf_penalty: float) -> list[str]:
    """Return the row of the report: what was saved, sizes and times."""
    model = fit(table, n_draws, leaf_penalty)
    with tempfile.TemporaryDirectory() as directory:
        path, pickled = Path(directory) / "model.npz", Path(directory) / "model.joblib"
        seconds_to_save = seconds_for(lambda: model.save(path))
        seconds_to_load = seconds_for(lambda: load(path))
        joblib.dump(model, pickled, compress=6)
        sizes = path.stat().st_size, pickled.stat().st_size
    return [
        f"{len(table.X):,} × {table.X.shape[1]}",
        f"{nodes_of(model):.1f}",
        f"{len(model.posterior_.trees):,}",
        f"{sizes[0] / 1000:,.0f} KB",
        f"{sizes[1] / 1000:,.0f} KB",
        f"{seconds_to_save:.2f} s",
        f"{seconds_to_load:.2f} s",
    ]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", nargs="+", choices=PENALTIES, default=list(PENALTIES))
    parser.add_argument("--draws", type=int, default=10_000)


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        f"{options.draws:,} draws, training rows included",
        ["table"],
        ["rows × columns", "nodes", "distinct trees", "file", "pickle", "save", "load"],
    )
    for name in options.sets:
        report.add_row(name, *measure(PAPER_SETS[name](), options.draws, PENALTIES[name]))
    yield Outcome([report])
