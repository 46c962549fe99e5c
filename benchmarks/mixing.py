"""How well chains mix, per CPU second: every strategy, and the exact one with each move left out.

For each: R-hat and effective draws per CPU second of the number of leaves and of the log posterior,
and the spread of the predicted probabilities between chains (mean over rows of their standard
deviation). Effective draws mean little while R-hat is far from 1.

    python -m benchmarks.mixing
    python -m benchmarks.mixing --sets Ionosphere --moves 4000000 --seeds 0 1 2
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

from rich.console import Console
from sklearn.exceptions import ConvergenceWarning

from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import (
    load_injury,
    load_ionosphere,
    load_votes,
    load_wisconsin,
    make_xor3,
)
from sweeptree.diagnostics import convergence
from sweeptree.settings import EXACT_MOVE_PROBABILITIES, STRATEGIES
from sweeptree.summary import new_table

N_CHAINS = 8
N_DRAWS = 1000
SETS: dict[str, Callable[[], Any]] = {
    "XOR3": lambda: make_xor3(random_state=0),
    "Ionosphere": load_ionosphere,
    "Votes": load_votes,
    "Wisconsin": load_wisconsin,
    "Injury (synthetic stand-in)": load_injury,
}
LEFT_OUT = (("graft", "splice"), ("swap",), ("regraft",), ("change_split",), ("change_rule",))


def without(moves: tuple[str, ...]) -> dict[str, float]:
    """Return the exact strategy's rates with some moves left out."""
    kept = {move: p for move, p in EXACT_MOVE_PROBABILITIES.items() if move not in moves}
    return {move: p / sum(kept.values()) for move, p in kept.items()}


def walks() -> dict[str, dict[str, Any]]:
    """Return what is compared, as parameters of the estimator."""
    strategies = {name: {"strategy": name} for name in STRATEGIES}
    left_out = {  # of the exact strategy
        f"no {'/'.join(moves)}": {"move_probabilities": without(moves)} for moves in LEFT_OUT
    }
    return strategies | left_out


def measure(bunch: Any, n_moves: int, seed: int, walk: dict[str, Any]) -> list[str]:
    """Fit once, a third of the moves being burn-in, and return the row of the report."""
    n_burn_in = n_moves // 3
    model = BayesianTreeClassifier(
        n_chains=N_CHAINS,
        n_burn_in=n_burn_in,
        n_draws=N_DRAWS,
        thin=max((n_moves - n_burn_in) // N_DRAWS, 1),
        random_state=seed,
        progress=False,
        **walk,
    )
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(bunch.data, bunch.target)
    seconds = time.process_time() - start
    found = convergence(model.posterior_)
    leaves, log_posterior = found["n_leaves"], found["log_posterior"]
    return [
        f"{model.posterior_.n_leaves.mean():.1f}",
        f"{leaves.rhat:.3f}",
        f"{log_posterior.rhat:.3f}",
        f"{leaves.ess_bulk / seconds:,.0f}",
        f"{log_posterior.ess_bulk / seconds:,.0f}",
        f"{model.posterior_.verdict.spread:.4f}",
        f"{seconds:.1f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="SET")
    parser.add_argument("--moves", type=int, default=600_000, help="moves of each chain")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    options = parser.parse_args()
    console = Console(width=100)
    for name in options.sets:
        bunch = SETS[name]()
        report = new_table(
            f"{name}: {N_CHAINS} chains of {options.moves:,} moves",
            ["strategy", "seed"],
            ["leaves", "R-hat k", "R-hat lp", "ESS/s k", "ESS/s lp", "spread", "CPU s"],
        )
        for label, walk in walks().items():
            for seed in options.seeds:
                report.add_row(label, str(seed), *measure(bunch, options.moves, seed, walk))
        console.print(report)


if __name__ == "__main__":
    main()
