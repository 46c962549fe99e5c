"""What a large table costs before the first move, in memory, and what a second thread brings.

Sorting the columns, against the binning of scikit-learn's HistGradientBoosting, on one thread, in
turns. Peak memory of a short fit beyond the table itself, in a process of its own, with and without
a small `memory_budget`; on Linux only. Moves of two chains on two threads, against those of one on
one, among 1,000 rows, where little else takes time.

    python -m benchmarks run large_tables
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
from sklearn.exceptions import ConvergenceWarning

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import noisy_xor
from sweeptree import BayesianTreeClassifier
from sweeptree.encoding import encode

QUICK = {"rows": [10_000], "repeats": 1, "moves": 20_000}
SMALL_BUDGET = 20.0
FEW_ROWS = 1_000
FIT = """
import json, resource, sys, warnings
import numpy as np
from benchmarks.sets import noisy_xor
from sweeptree import BayesianTreeClassifier

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

n_rows, budget = json.loads(sys.argv[1])
warnings.simplefilter("ignore")
short = BayesianTreeClassifier(n_burn_in=500, n_draws=20, random_state=0, memory_budget=budget)
short.fit(np.eye(50), np.arange(50) % 2)
table = noisy_xor(n_rows)
with open("/proc/self/statm") as file:
    before = int(file.read().split()[1]) * resource.getpagesize()
short.fit(table.X, table.y)
print((peak() - before) / table.X.nbytes)
"""


def cpu_seconds(task: Callable[[], Any]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def sorting(n_rows: int, n_repeats: int) -> tuple[float, float]:
    """Return the CPU seconds of sorting and of binning, the least of some."""
    table = noisy_xor(n_rows)
    labels = table.y.astype(np.int32)
    turns = [
        (
            cpu_seconds(lambda: encode(table.X, labels, 2)),
            cpu_seconds(lambda: _BinMapper(n_threads=1).fit_transform(table.X)),
        )
        for _ in range(n_repeats)
    ]
    ours, theirs = np.min(turns, axis=0)
    return float(ours), float(theirs)


def peak_memory(n_rows: int, budget: float | None) -> float:
    """Return what a fit needs beyond the table, as a multiple of it."""
    done = subprocess.run(
        [sys.executable, "-c", FIT, json.dumps([n_rows, budget])],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def gain_by_threads(n_rows: int, n_moves: int, n_repeats: int) -> float:
    """Return how many times as many moves two chains make on two threads as one on one."""
    table = noisy_xor(n_rows)

    def seconds(n: int) -> float:
        model = BayesianTreeClassifier(
            n_chains=n, n_jobs=n, n_burn_in=0, n_draws=10, thin=n_moves // 10, random_state=0
        )
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(table.X, table.y)
        return time.perf_counter() - start

    turns = [(seconds(1), seconds(2)) for _ in range(n_repeats)]
    one, two = np.min(turns, axis=0)
    return float(2 * one / two)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", nargs="+", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--moves", type=int, default=2_000_000, help="of a chain, for the gain by threads"
    )


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        "Tables of 20 columns",
        ["rows"],
        ["sorting, s", "binning, s", "ratio", "memory", "with 20 MB"],
    )
    gain = gain_by_threads(FEW_ROWS, options.moves, options.repeats)
    threads = ReportTable("Moves of two threads against one", ["rows"], ["gain"])
    threads.add_row(f"{FEW_ROWS:,}", f"{gain:.2f} ×")
    measurements: list[dict[str, float]] = [{"n_rows": FEW_ROWS, "gain_by_threads": gain}]
    for n_rows in options.rows:
        ours, theirs = sorting(n_rows, options.repeats)
        memory, less = (peak_memory(n_rows, budget) for budget in (None, SMALL_BUDGET))
        report.add_row(
            f"{n_rows:,}", f"{ours:.3f}", f"{theirs:.3f}", f"{ours / theirs:.2f}",
            f"{memory:.2f} ×", f"{less:.2f} ×",
        )  # fmt: skip
        measurements.append(
            {"n_rows": n_rows, "sorting": ours, "binning": theirs, "memory": memory}
            | {"memory_with_budget": less}
        )
        yield Outcome([report, threads], measurements)
