"""How far chains are from where they end up when burn-in is over, with annealing and without.

Many short chains, default prior: the mean log posterior of their first 20,000 moves after burn-in,
below that of long chains, in standard deviations of the latter.

    python -m benchmarks run annealing
    python -m benchmarks run annealing --sets Ionosphere --seeds 0 1 2
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import ALL_SETS, LabelledTable
from sweeptree import BayesianTreeClassifier
from sweeptree.encoding import FloatArray

N_CHAINS = 24
SHORT = {"n_chains": N_CHAINS, "n_draws": 200, "thin": 100, "n_rungs": 1}
LONG = {"n_chains": 8, "n_draws": 1000, "thin": 3000, "n_burn_in": 1_000_000, "n_rungs": 5}
FIRST_SETS = ["Ionosphere", "Breast cancer"]
QUICK = {"sets": ["Votes"], "burn_ins": [20_000]}


def log_posterior(table: LabelledTable, seed: int, **parameters: Any) -> FloatArray:
    model = BayesianTreeClassifier(random_state=seed, progress=False, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(table.X, table.y).posterior_.log_posterior


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", nargs="+", choices=ALL_SETS, default=FIRST_SETS, metavar="SET")
    parser.add_argument("--burn-ins", nargs="+", type=int, default=[60_000, 200_000])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        f"{N_CHAINS} chains: distance from the mean log posterior, in standard deviations",
        ["table", "burn-in", "anneal"],
        [f"seed {seed}" for seed in options.seeds] + ["mean"],
    )
    for name in options.sets:
        table = ALL_SETS[name]()
        expected = log_posterior(table, 1_000_000, **LONG)
        for n_burn_in in options.burn_ins:
            for anneal in (0.0, 0.5):
                lengths = SHORT | {"n_burn_in": n_burn_in, "anneal": anneal}
                found = [log_posterior(table, s, **lengths).mean() for s in options.seeds]
                below = (expected.mean() - np.array(found)) / expected.std()
                cells = [f"{each:.2f}" for each in (*below, below.mean())]
                report.add_row(name, f"{n_burn_in:,}", f"{anneal:g}", *cells)
    yield Outcome([report])
