"""What a move costs, against the least that one split could cost.

The limit is one AND + popcount over a full-width mask of the same rows, timed in the same process.
Absolute times vary from machine to machine and from minute to minute; the ratio is the measure.

    python -m benchmarks run moves
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import nested_steps
from sweeptree import _kernel
from sweeptree.datasets import load_ionosphere, load_votes, load_wisconsin, make_xor3
from sweeptree.encoding import EncodedTable, encode
from sweeptree.engines import ChainFactory
from sweeptree.settings import (
    START_RULE_SCALE,
    STRATEGIES,
    StrategySettings,
    TargetSettings,
    resolve_move_probabilities,
    screen_every,
)

N_REPEATS = 5
SECONDS_PER_LIMIT = 0.1
SECONDS_PER_RUN = 0.5
SECONDS_OF_BURN_IN = 4.0


@dataclass(frozen=True)
class Cost:
    """Nanoseconds of one move, of the limit, and the mean number of leaves."""

    move: float
    limit: float
    n_leaves: float


def settings_of(table: EncodedTable, strategy: str) -> tuple[TargetSettings, StrategySettings]:
    """Return the paper's prior, with a strategy's own habits."""
    habits = STRATEGIES[strategy]
    target = TargetSettings(
        tree_prior="uniform",
        leaf_penalty=0.0,
        gamma=0.95,
        delta=1.0,
        split_chance=0.95,
        rule_prior=habits.rule_prior,
        likelihood="marginal",
        alphas=((1.0,) * table.n_classes,),
        min_samples_leaf=3,
        max_leaves=table.n_rows // 3,
    )
    walk = StrategySettings(
        p_move=resolve_move_probabilities(None, habits),
        redraws=habits.unavailable == "redraw",
        sweeps=habits.sweeps,
        changes_variable=habits.changes_variable,
        rule_draw=habits.rule_draw,
        tunes=habits.rule_draw == "gaussian",
        rule_scale=(START_RULE_SCALE,) * table.n_variables,
        restrict_leaves=0,
        restrict_moves=0,
        anneal_moves=0,
        n_tries=habits.n_tries,
        screen_every=screen_every(table.n_rows) if strategy == "exact" else 1,
    )
    return target, walk


def seconds_per_move(table: EncodedTable, strategy: str) -> tuple[float, float]:
    """Return the best of several runs after burn-in, and the mean number of leaves."""
    factory = ChainFactory("kernel", table, *settings_of(table, strategy))
    chain = factory.make(np.random.PCG64(0))
    chain.run(10**9, True, 1, SECONDS_OF_BURN_IN)
    best, n_leaves = np.inf, []
    for _ in range(N_REPEATS):
        start = time.process_time()
        n = chain.run(10**9, False, 1000, SECONDS_PER_RUN)
        best = min(best, (time.process_time() - start) / n)
        n_leaves += chain.draws["n_leaves"][-n // 1000 :].tolist()
    return best, float(np.mean(n_leaves))


def limit(n_rows: int) -> float:
    """Return the best of several timings of the bare AND + popcount."""
    n = 100
    while n * _kernel.seconds_per_count(n_rows, n) < SECONDS_PER_LIMIT:
        n *= 4
    return min(_kernel.seconds_per_count(n_rows, n) for _ in range(N_REPEATS))


def measure(table: EncodedTable, strategy: str) -> Cost:
    """Measure limit, move, and limit again: the machine may have slowed down in between."""
    before = limit(table.n_rows)
    move, n_leaves = seconds_per_move(table, strategy)
    return Cost(1e9 * move, 1e9 * min(before, limit(table.n_rows)), n_leaves)


def tables() -> dict[str, EncodedTable]:
    """Return the tables to measure on."""
    loaded = {
        "XOR3": make_xor3(random_state=0),
        "Ionosphere": load_ionosphere(),
        "Votes": load_votes(),
        "Wisconsin": load_wisconsin(),
    }
    encoded = {
        name: encode(bunch.data, bunch.target.astype(np.int32), 2) for name, bunch in loaded.items()
    }
    for n in (10_000, 100_000, 1_000_000):
        stepped = nested_steps(n)
        encoded[f"nested steps, {n:,} × 20"] = encode(stepped.X, stepped.y.astype(np.int32), 2)
    return encoded


def add_options(parser: argparse.ArgumentParser) -> None:
    shown = ["standard", "sweeping", "exact"]
    parser.add_argument("--strategies", nargs="+", choices=STRATEGIES, default=shown)


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        "Cost of a move, one thread",
        ["table", "strategy"],
        ["leaves", "limit, ns", "move, ns", "ratio", "M moves/s"],
    )
    for name, table in tables().items():
        for strategy in options.strategies:
            cost = measure(table, strategy)
            report.add_row(
                name,
                strategy,
                f"{cost.n_leaves:.0f}",
                f"{cost.limit:.1f}",
                f"{cost.move:.0f}",
                f"{cost.move / cost.limit:.1f}",
                f"{1e3 / cost.move:.2f}",
            )
    yield Outcome([report])
