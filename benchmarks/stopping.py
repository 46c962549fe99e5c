"""How good the answer is when chains stop by themselves, against chains whose length was given.

For each seed the chains run until converged; then others, with another seed, run for as long. The
second were not stopped at a moment that looked good, so the difference is what stopping by looking
does: how many of the second would have been called converged, and how far the probabilities of
both are from those of a run that is many times longer.

    python -m benchmarks run stopping
    python -m benchmarks run stopping --sets Votes --seeds 60
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.mixing import PRIORS
from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import PAPER_SETS, LabelledTable
from sweeptree import BayesianTreeClassifier
from sweeptree.encoding import FloatArray

SETS = ("XOR3", "Votes", "Wisconsin")
LONG = {"n_chains": 8, "n_draws": 1000, "thin": 4000}
QUICK = {"sets": ["Votes"], "seeds": 2}
FIRST_OTHER_SEED = 1_000_000


def fit(table: LabelledTable, seed: int, **lengths: Any) -> BayesianTreeClassifier:
    model = BayesianTreeClassifier(
        random_state=seed, progress=False, anneal=0.0, **PRIORS["plain"], **lengths
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(table.X, table.y)


def figures(model: BayesianTreeClassifier, X: FloatArray, expected: FloatArray) -> list[float]:
    """Return converged, R-hat and effective sample size of the leaves, spread and error."""
    verdict = model.posterior_.verdict
    error = np.abs(model.predict_proba(X) - expected).mean()
    return [
        verdict.is_converged,
        verdict.rhat_n_leaves,
        verdict.ess_n_leaves,
        verdict.spread,
        error,
    ]


def measure(table: LabelledTable, n_seeds: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the moves of each run and, averaged over seeds, the figures of both kinds."""
    expected = fit(table, 2 * FIRST_OTHER_SEED, **LONG).predict_proba(table.X)
    n_moves, stopped, given = [], [], []
    for seed in range(n_seeds):
        model = fit(table, seed)
        posterior = model.posterior_
        other = fit(table, FIRST_OTHER_SEED + seed, n_draws=posterior.n_draws, thin=posterior.thin)
        n_moves.append(posterior.n_moves)
        stopped.append(figures(model, table.X, expected))
        given.append(figures(other, table.X, expected))
    return np.array(n_moves), np.mean(stopped, axis=0), np.mean(given, axis=0)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="SET")
    parser.add_argument("--seeds", type=int, default=20, help="how many runs of each kind")


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        f"{options.seeds} runs of each kind, means",
        ["table", "length"],
        ["moves", "converged", "R-hat k", "ESS k", "spread", "error"],
    )
    for name in options.sets:
        n_moves, *kinds = measure(PAPER_SETS[name](), options.seeds)
        for label, found in zip(("until converged", "given"), kinds, strict=True):
            report.add_row(
                name,
                label,
                f"{n_moves.mean():,.0f}",
                f"{100 * found[0]:.0f} %",
                f"{found[1]:.4f}",
                f"{found[2]:.0f}",
                f"{found[3]:.4f}",
                f"{found[4]:.4f}",
            )
    yield Outcome([report])
