"""What predicting costs, per draw and row, against a random forest's per tree and row.

10,000 draws against 10,000 trees, 10,000 rows, one thread, the same data, one run; the two take
turns.

    python -m benchmarks run prediction
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import PAPER_SETS, LabelledTable
from sweeptree import BayesianTreeClassifier

N_CHAINS = 4
QUICK = {"sets": ["Votes"], "n": 400}


def seconds_for(task: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    task()
    return time.perf_counter() - begin


def measure(table: LabelledTable, n: int, n_repeats: int) -> list[str]:
    """Return the row of the report: nanoseconds of each, and their ratio."""
    model = BayesianTreeClassifier(n_chains=N_CHAINS, n_draws=n // N_CHAINS, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(table.X, table.y).set_params(n_jobs=1)  # chains may share cores, predicting not
    forest = RandomForestClassifier(n, random_state=0, n_jobs=1).fit(table.X, table.y)
    X = table.X[np.random.default_rng(0).integers(len(table.X), size=n)]
    seconds = [
        (seconds_for(lambda: model.predict_proba(X)), seconds_for(lambda: forest.predict_proba(X)))
        for _ in range(n_repeats)
    ]
    ours, theirs = np.min(seconds, axis=0) * 1e9 / n**2
    leaves = np.mean([tree.get_n_leaves() for tree in forest.estimators_])
    return [
        f"{model.posterior_.n_leaves.mean():.1f}",
        f"{leaves:.1f}",
        f"{ours:.1f} ns",
        f"{theirs:.1f} ns",
        f"{ours / theirs:.2f}",
    ]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", nargs="+", choices=PAPER_SETS, default=list(PAPER_SETS))
    parser.add_argument("--n", type=int, default=10_000, help="draws, trees and rows")
    parser.add_argument("--repeats", type=int, default=2)


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        f"predict_proba, {options.n:,} draws or trees, {options.n:,} rows, one thread",
        ["table"],
        ["leaves", "forest's", "a draw and row", "a tree and row of a forest", "ratio"],
    )
    for name in options.sets:
        report.add_row(name, *measure(PAPER_SETS[name](), options.n, options.repeats))
    yield Outcome([report])
