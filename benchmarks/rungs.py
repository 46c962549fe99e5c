"""What tempering is worth: one rung against several, at an equal number of walkers' moves.

For each: R-hat and effective draws per CPU second of the number of leaves and of the log posterior,
the spread of the predicted probabilities between chains, and the cost, CPU seconds × spread².

    python -m benchmarks.rungs
    python -m benchmarks.rungs --sets Ionosphere --moves 5000000 --seeds 0 1 2 3 --rungs 5
"""

from __future__ import annotations

import argparse

from rich.console import Console

from benchmarks.mixing import HEADINGS, N_CHAINS, PRIORS, add_arguments, measure
from benchmarks.sets import ALL_SETS
from sweeptree.summary import new_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser, 5_000_000)
    parser.add_argument("--rungs", type=int, nargs="+", default=[5])
    parser.set_defaults(sets=["Ionosphere", "Breast cancer"], prior="default")
    options = parser.parse_args()
    console = Console(width=110)
    for name in options.sets:
        table = ALL_SETS[name]()
        report = new_table(
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
        console.print(report)


if __name__ == "__main__":
    main()
