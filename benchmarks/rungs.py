"""What tempering is worth: one rung against several, at an equal number of walkers' moves.

For each: R-hat and effective draws per CPU second of the number of leaves and of the log posterior,
the spread of the predicted probabilities between chains, and the cost, CPU seconds × spread².

    python -m benchmarks run rungs
    python -m benchmarks run rungs --sets Ionosphere --moves 5000000 --seeds 0 1 2 3 --rungs 5
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from benchmarks.mixing import HEADINGS, N_CHAINS, PRIORS, add_arguments, measure
from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import ALL_SETS

QUICK = {"sets": ["Votes"], "moves": 50_000}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, 5_000_000)
    parser.add_argument("--rungs", type=int, nargs="+", default=[5])
    parser.set_defaults(sets=["Ionosphere", "Breast cancer"], prior="default")


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    reports: list[ReportTable] = []
    for name in options.sets:
        table = ALL_SETS[name]()
        report = ReportTable(
            f"{name}: {N_CHAINS} chains of {options.moves:,} moves, shared out between the rungs",
            ["rungs", "seed"],
            [*HEADINGS, "cost × 1000"],
        )
        for seed in options.seeds:
            for n_rungs in (1, *options.rungs):
                parameters = PRIORS[options.prior] | {"n_rungs": n_rungs}
                found = measure(table, options.moves // n_rungs, seed, parameters)
                cost = 1000.0 * found.seconds * found.verdict.spread**2
                report.add_row(str(n_rungs), str(seed), *found.cells(), f"{cost:.2f}")
        reports.append(report)
        yield Outcome(reports)
