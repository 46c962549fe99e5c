"""How near ArviZ's leave-one-out comes to folds, and what it says of itself, by number of draws.

The sum over all rows of the log probability of each row's class: by `az.loo`, by five folds, and by
the model on its own training rows. Needs the extra `arviz`.

    python -m benchmarks run leave_one_out
    python -m benchmarks run leave_one_out --set Votes --draws 200 1000
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import PAPER_SETS, LabelledTable
from sweeptree import BayesianTreeClassifier
from sweeptree.encoding import FloatArray

N_CHAINS = 4
N_FOLDS = 5
LARGE_K = 0.7
QUICK = {"set": "Votes", "draws": [200]}


def fit(table: LabelledTable, n_draws: int) -> BayesianTreeClassifier:
    model = BayesianTreeClassifier(n_chains=N_CHAINS, n_draws=n_draws // N_CHAINS, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(table.X, table.y)


def log_probability(table: LabelledTable, probabilities: FloatArray) -> float:
    """Sum over rows, each with its own class."""
    classes = np.searchsorted(np.unique(table.y), table.y)
    return float(np.log(probabilities[np.arange(len(classes)), classes]).sum())


def by_folds(table: LabelledTable, model: BayesianTreeClassifier) -> float:
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        held_out = cross_val_predict(
            clone(model), table.X, table.y, cv=folds, method="predict_proba"
        )
    return log_probability(table, held_out)


def measure(table: LabelledTable, n_draws: int) -> list[str]:
    """Return the row of the report."""
    arviz: Any = import_module("arviz")
    model = fit(table, n_draws)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of large Pareto k, which are counted here
        loo = arviz.loo(model.to_arviz(table.X, table.y), pointwise=True)
    total = loo.elpd_loo if hasattr(loo, "elpd_loo") else loo.elpd  # of ArviZ 0.x, of 1.x
    share_large = float((np.asarray(loo.pareto_k) > LARGE_K).mean())
    return [
        f"{float(total):.1f}",
        f"{100 * share_large:.0f} %",
        f"{by_folds(table, model):.1f}",
        f"{log_probability(table, model.predict_proba(table.X)):.1f}",
    ]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--set", choices=PAPER_SETS, default="Wisconsin", metavar="SET")
    parser.add_argument("--draws", type=int, nargs="+", default=[200, 1_000, 4_000])


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    table = PAPER_SETS[options.set]()
    report = ReportTable(
        f"{options.set}: log probability of {len(table.y)} classes",
        ["draws"],
        ["az.loo", f"Pareto k > {LARGE_K}", f"{N_FOLDS} folds", "training rows"],
    )
    for n_draws in options.draws:
        report.add_row(f"{n_draws:,}", *measure(table, n_draws))
    yield Outcome([report])
