"""What a second thread and a second worker buy, and what the way to a worker costs.

The same fit on one and two threads, and on Dask clusters of one and two worker processes on this
machine; the four take turns, and draw the same. The way is what a turn of slices takes beyond the
longest slice in it.

    python -m benchmarks run scaling
"""

from __future__ import annotations

import argparse
import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import joblib
import numpy as np
from distributed import Client, LocalCluster
from sklearn.exceptions import ConvergenceWarning

from benchmarks.outcome import Outcome, ReportTable
from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_injury
from sweeptree.elsewhere import Elsewhere
from sweeptree.posterior import Posterior

QUICK = {"rows": [300], "moves": 50_000, "repeats": 1}
N_CHAINS = 4
N_BURN_IN = 10_000
N_DRAWS = 500
WAYS = ("1 thread", "2 threads", "1 worker", "2 workers")


@dataclass
class Ways:
    """What was sent to the workers."""

    seconds: list[float] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    returned: list[int] = field(default_factory=list)
    table: int = 0

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Take note of every turn inside."""
        each = Elsewhere.each

        def noting(
            elsewhere: Elsewhere, function: Callable[[Any, Any], Any], pieces: Sequence[object]
        ) -> Iterator[tuple[int, Any]]:
            start = time.perf_counter()
            found = list(each(elsewhere, function, pieces))
            took = time.perf_counter() - start
            self.seconds.append(took - max(gone.seconds for _, gone in found))
            self.sent += [len(pickle.dumps(piece)) for piece in pieces]
            self.returned += [len(pickle.dumps(gone)) for _, gone in found]
            self.table = len(pickle.dumps(elsewhere._needed))
            yield from found

        with patch.object(Elsewhere, "each", noting):
            yield


def seconds_of_fit(X: Any, y: Any, thin: int, n_threads: int = 1) -> tuple[float, Posterior]:
    model = BayesianTreeClassifier(
        n_chains=N_CHAINS,
        n_burn_in=N_BURN_IN,
        n_draws=N_DRAWS,
        thin=thin,
        random_state=0,
        n_jobs=n_threads,
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        posterior = model.fit(X, y).posterior_
    return time.perf_counter() - start, posterior


def measure(
    n_rows: int, thin: int, n_repeats: int, clients: Sequence[Client]
) -> tuple[dict[str, float], Ways]:
    """Return the median seconds each way, and what was sent to two workers."""
    X, y = make_injury(n_rows, random_state=0, return_X_y=True)
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    ways = Ways()
    for _ in range(n_repeats):
        posteriors = []
        for way in WAYS:
            n, where = way.split(maxsplit=1)
            with ExitStack() as stack:
                if where.startswith("worker"):
                    client = clients[int(n) - 1]
                    stack.enter_context(joblib.parallel_config(backend="dask", client=client))
                if way == "2 workers":
                    stack.enter_context(ways.noted())
                took, posterior = seconds_of_fit(X, y, thin, n_threads=int(n))
            seconds[way].append(took)
            posteriors.append(posterior)
        for other in posteriors[1:]:
            assert np.array_equal(other.log_likelihood, posteriors[0].log_likelihood)
    return {way: float(np.median(each)) for way, each in seconds.items()}, ways


def row_of(seconds: dict[str, float], ways: Ways) -> list[str]:
    return [
        *(f"{seconds[way]:.2f} s" for way in WAYS),
        f"{seconds['1 thread'] / seconds['2 threads']:.2f}",
        f"{seconds['1 worker'] / seconds['2 workers']:.2f}",
        f"{seconds['2 workers'] / seconds['2 threads']:.2f}",
        f"{1e3 * np.median(ways.seconds):.0f} ms",
        f"{ways.table / 1e3:,.0f} kB",
        f"{np.median(ways.sent) / 1e3:,.0f} kB",
        f"{np.median(ways.returned) / 1e3:,.0f} kB",
    ]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", nargs="+", type=int, default=[300, 5_000])
    parser.add_argument("--moves", type=int, default=500_000, help="of a chain")
    parser.add_argument("--repeats", type=int, default=3)


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        f"{N_CHAINS} chains, the synthetic Injury table",
        ["rows"],
        [
            *WAYS,
            *("threads 1:2", "workers 1:2", "workers:threads"),
            *("way", "table", "sent", "returned"),
        ],
    )
    thin = max(options.moves // N_DRAWS, 1)
    with ExitStack() as stack:
        clients = [
            stack.enter_context(Client(stack.enter_context(cluster), set_as_default=False))
            for cluster in (
                LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=":0")
                for n in (1, 2)
            )
        ]
        for n_rows in options.rows:
            seconds, ways = measure(n_rows, thin, options.repeats, clients)
            report.add_row(f"{n_rows:,}", *row_of(seconds, ways))
            yield Outcome([report])
