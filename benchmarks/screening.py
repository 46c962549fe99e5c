"""What screening is worth: proposals looked at on a sample of the rows before all are.

Chains on large tables, one thread, with every so many-th row as the sample: what a move costs, how
many moves are accepted, and how many effective draws a CPU second brings. Every 1st is without.

    python -m benchmarks run screening
    python -m benchmarks run screening --rows 1000000 --every 1 16 64
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchmarks.moves import settings_of
from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import nested_steps
from sweeptree.diagnostics import ess_bulk
from sweeptree.encoding import EncodedTable, encode
from sweeptree.engines import ChainFactory

SECONDS_OF_BURN_IN = 5.0
MOVES_BETWEEN_DRAWS = 100
QUICK = {"rows": [20_000], "every": [1, 16], "seconds": 1.0}


class Found(NamedTuple):
    """What one chain has shown."""

    moves: int
    seconds: float
    """Of CPU."""
    accepted: float
    """Share of the moves."""
    ess_n_leaves: float
    ess_log_posterior: float

    def cells(self) -> list[str]:
        """Write it as cells of a table."""
        return [
            f"{1e9 * self.seconds / self.moves:,.0f}",
            f"{100 * self.accepted:.2f} %",
            f"{self.moves * self.accepted / self.seconds:,.0f}",
            f"{self.ess_n_leaves / self.seconds:,.0f}",
            f"{self.ess_log_posterior / self.seconds:,.0f}",
        ]


def measure(table: EncodedTable, every: int, seconds: float, seed: int) -> Found:
    """Run one chain after a burn-in by the clock."""
    target, walk = settings_of(table, "exact")
    factory = ChainFactory("kernel", table, target, replace(walk, screen_every=every))
    chain = factory.make(np.random.PCG64(seed))
    chain.run(10**9, True, 1, SECONDS_OF_BURN_IN)
    start = time.process_time()
    moves = chain.run(10**9, False, MOVES_BETWEEN_DRAWS, seconds)
    used = time.process_time() - start
    draws = chain.draws
    log_posterior = draws["log_prior"] + draws["log_likelihood"]
    return Found(
        moves,
        used,
        chain.counts[1, :, 0].sum() / moves,
        ess_bulk(draws["n_leaves"][None].astype(float)),
        ess_bulk(log_posterior[None]),
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, nargs="+", default=[16_384, 32_768, 100_000, 1_000_000])
    parser.add_argument("--every", type=int, nargs="+", default=[1, 8, 16, 32])
    parser.add_argument("--seconds", type=float, default=10.0, help="of each run")
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        "Nested steps, 20 columns, one thread",
        ["rows", "every"],
        ["ns of a move", "accepted", "accepted/s", "ESS/s k", "ESS/s lp"],
    )
    for n_rows in options.rows:
        steps = nested_steps(n_rows)
        table = encode(steps.X, steps.y.astype(np.int32), 2)
        for every in options.every:
            found = measure(table, every, options.seconds, options.seed)
            report.add_row(f"{n_rows:,}", str(every), *found.cells())
            yield Outcome([report])
