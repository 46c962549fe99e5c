"""How well chains mix, per CPU second: every strategy, and the exact one without each of its parts.

For each: R-hat and effective draws per CPU second of the number of leaves and of the log posterior,
and the spread of the predicted probabilities between chains (mean over rows of their standard
deviation); of several seeds the least and the most. Effective draws mean little while R-hat is far
from 1: chains that are stuck, each in a place of its own, are taken for a few draws each however
long they run. Where `standard` walks too, a second table compares the others with it, seed by seed.

    python -m benchmarks run mixing
    python -m benchmarks run mixing --sets Ionosphere --moves 4000000 --seeds 0 1 2 --prior default
    python -m benchmarks run mixing --walks exact "no rotate"
    python -m benchmarks run mixing --walks exact standard --moves 10000000 --draws 66000
    python -m benchmarks run mixing --walks exact "exact, 5 rungs" standard --seeds 0 1 2 3 4 5 6 7
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from sklearn.exceptions import ConvergenceWarning

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import ALL_SETS, PAPER_SETS, LabelledTable
from sweeptree import BayesianTreeClassifier
from sweeptree.settings import EXACT_MOVE_PROBABILITIES, STRATEGIES
from sweeptree.verdict import Verdict

N_CHAINS = 8
N_DRAWS = 4000
QUICK = {"sets": ["Votes"], "moves": 30_000}
N_MOVES = 600_000
MORE_MOVES = {"Ionosphere": 4_000_000}
"""Of a chain, on tables that need more of them, unless told otherwise."""

PRIORS: dict[str, dict[str, Any]] = {
    "plain": {"tree_prior": "uniform", "alpha": 1.0, "min_samples_leaf": 3},
    "geometric": {"alpha": 1.0, "min_samples_leaf": 3},
    "default": {},
}
LEFT_OUT = (
    ("graft", "splice"),
    ("swap",),
    ("regraft",),
    ("rotate",),
    ("transpose",),
    ("change_split",),
    ("change_rule",),
)


class Walk(NamedTuple):
    """How chains go about."""

    parameters: dict[str, Any]
    """Of the estimator."""
    habits: dict[str, Any]
    """Of the exact strategy, where the estimator has no parameter for them."""


class Mixing(NamedTuple):
    """What one run has shown."""

    n_leaves: float
    verdict: Verdict
    seconds: float
    """Of CPU, all chains together."""

    def cells(self) -> list[str]:
        """Write it as cells of a table."""
        return least_to_most([self])

    def figures(self) -> tuple[float, ...]:
        """Return what the cells say, in the order of `COLUMNS`."""
        verdict, seconds = self.verdict, self.seconds
        return (
            self.n_leaves,
            verdict.rhat_n_leaves,
            verdict.rhat_log_posterior,
            verdict.ess_n_leaves / seconds,
            self.draws_per_second,
            verdict.spread,
            seconds,
        )

    @property
    def draws_per_second(self) -> float:
        """Effective ones of the log posterior."""
        return self.verdict.ess_log_posterior / self.seconds


COLUMNS = {
    "leaves": ".1f",
    "R-hat k": ".3f",
    "R-hat lp": ".3f",
    "ESS/s k": ",.0f",
    "ESS/s lp": ",.0f",
    "spread": ".4f",
    "CPU s": ".1f",
}
"""Headings, and how the figures below them are written."""

HEADINGS = list(COLUMNS)


def scaled(factors: dict[str, float]) -> dict[str, float]:
    """Return the exact strategy's rates with some of them multiplied."""
    rates = {move: p * factors.get(move, 1.0) for move, p in EXACT_MOVE_PROBABILITIES.items()}
    return {move: rate / sum(rates.values()) for move, rate in rates.items()}


def walks() -> dict[str, Walk]:
    """Return what is compared."""
    strategies = {name: Walk({"strategy": name}, {}) for name in STRATEGIES}
    left_out = {  # of the exact strategy
        f"no {'/'.join(moves)}": Walk({"move_probabilities": scaled(dict.fromkeys(moves, 0.0))}, {})
        for moves in LEFT_OUT
    }
    with_rungs = {"exact, 5 rungs": Walk({"n_rungs": 5}, {})}
    return strategies | with_rungs | left_out | {"no choice of rules": Walk({}, {"n_tries": 1})}


@contextmanager
def exact_with(habits: dict[str, Any]) -> Iterator[None]:
    """Give the exact strategy other habits for a while."""
    own = STRATEGIES["exact"]
    STRATEGIES["exact"] = own._replace(**habits)
    try:
        yield
    finally:
        STRATEGIES["exact"] = own


def measure(
    table: LabelledTable,
    n_moves: int,
    seed: int,
    parameters: dict[str, Any],
    n_draws: int = N_DRAWS,
) -> Mixing:
    """Fit once; burn-in is as long as by default, but no more than a third of the moves."""
    n_burn_in = min(BayesianTreeClassifier().n_burn_in, n_moves // 3)
    model = BayesianTreeClassifier(
        n_chains=N_CHAINS,
        n_burn_in=n_burn_in,
        n_draws=n_draws,
        thin=max((n_moves - n_burn_in) // n_draws, 1),
        random_state=seed,
        progress=False,
        **parameters,
    )
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(table.X, table.y)
    seconds = time.process_time() - start
    posterior = model.posterior_
    return Mixing(float(posterior.n_leaves.mean()), posterior.verdict, seconds)


def add_arguments(parser: argparse.ArgumentParser, n_moves: int | None) -> None:
    """Add what every measurement of mixing can be told."""
    parser.add_argument(
        "--sets", nargs="+", choices=ALL_SETS, default=list(PAPER_SETS), metavar="SET"
    )
    parser.add_argument("--moves", type=int, default=n_moves, help="moves of each chain")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--prior", choices=PRIORS, default="plain")


def add_options(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, None)
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="kept of each chain")
    parser.add_argument("--walks", nargs="+", choices=walks(), metavar="WALK", help="all")


def least_to_most(runs: list[Mixing]) -> list[str]:
    """Write the figures of several runs as cells of a table."""
    cells = []
    by_column = zip(*(run.figures() for run in runs), strict=True)
    for figures, form in zip(by_column, COLUMNS.values(), strict=True):
        least, most = f"{min(figures):{form}}", f"{max(figures):{form}}"
        cells.append(least if least == most else f"{least} – {most}")
    return cells


def against_standard(name: str, found: dict[str, list[Mixing]], seeds: list[int]) -> ReportTable:
    """Compare effective draws of the log posterior per CPU second, seed by seed."""
    title = f"{name}: effective draws of the log posterior per CPU second, over standard's"
    report = ReportTable(title, ["strategy"], [f"seed {seed}" for seed in seeds] + ["median"])
    for label, runs in found.items():
        pairs = zip(runs, found["standard"], strict=True)
        ratios = [run.draws_per_second / standard.draws_per_second for run, standard in pairs]
        if label != "standard":
            report.add_row(label, *(f"{r:,.0f}" for r in (*ratios, statistics.median(ratios))))
    return report


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    reports: list[ReportTable] = []
    for name in options.sets:
        table = ALL_SETS[name]()
        n_moves = options.moves or MORE_MOVES.get(name, N_MOVES)
        report = ReportTable(
            f"{name}: {N_CHAINS} chains of {n_moves:,} moves, {options.prior} prior",
            ["strategy"],
            HEADINGS,
        )
        found: dict[str, list[Mixing]] = {}
        for label in options.walks or walks():
            walk = walks()[label]
            parameters = PRIORS[options.prior] | walk.parameters
            with exact_with(walk.habits):
                found[label] = [
                    measure(table, n_moves, seed, parameters, options.draws)
                    for seed in options.seeds
                ]
            report.add_row(label, *least_to_most(found[label]))
        reports.append(report)
        if "standard" in found and len(found) > 1:
            reports.append(against_standard(name, found, options.seeds))
        yield Outcome(reports)
