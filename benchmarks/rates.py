"""What the rates of the moves rest on: each doubled and halved, and what that costs.

The cost is the CPU time that would bring the spread of the predicted probabilities between chains
to 0.005 (it falls as one over the root of the time), relative to the rates as they are; below it
the same for R-hat of the number of leaves, 1.01. Both are averaged over tables, seeds and priors on
the log scale. Two runs of the same rates differ by some 20 %.

    python -m benchmarks run rates
    python -m benchmarks run rates --sets Ionosphere Wisconsin --moves 2000000 --seeds 0 1 2 3
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from benchmarks.mixing import PRIORS, add_arguments, measure, scaled
from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import ALL_SETS

FAMILIES = (
    ("birth", "death"),
    ("graft", "splice"),
    ("change_split",),
    ("change_rule",),
    ("swap",),
    ("regraft",),
    ("rotate",),
    ("transpose",),
)
FACTORS = (0.5, 2.0)
QUICK = {"sets": ["Votes"], "moves": 20_000, "seeds": [0]}


def log_costs(rates: dict[str, float], options: argparse.Namespace) -> npt.NDArray[np.float64]:
    """(run, 2): log of the cost by the spread and by R-hat."""
    found = []
    for name in options.sets:
        table = ALL_SETS[name]()
        for seed in options.seeds:
            parameters = PRIORS[options.prior] | {"move_probabilities": rates}
            run = measure(table, options.moves, seed, parameters)
            excess = max(run.verdict.rhat_n_leaves - 1.0, 1e-4)
            found.append((run.seconds * run.verdict.spread**2, run.seconds * excess))
    costs: npt.NDArray[np.float64] = np.log(np.array(found))
    return costs


def add_options(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, 1_000_000)
    parser.set_defaults(sets=["Ionosphere", "Votes", "Wisconsin"], seeds=[0, 1, 2])


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        f"{', '.join(options.sets)}; {options.prior} prior, {options.moves:,} moves",
        ["moves"],
        [f"{what} × {factor:g}" for factor in FACTORS for what in ("spread", "R-hat")],
    )
    as_they_are = log_costs(scaled({}), options)
    for family in FAMILIES:
        cells = []
        for factor in FACTORS:
            costs = log_costs(scaled(dict.fromkeys(family, factor)), options)
            cells += [f"{x:.2f}" for x in np.exp((costs - as_they_are).mean(axis=0))]
        report.add_row(" / ".join(family), *cells)
    yield Outcome([report])
