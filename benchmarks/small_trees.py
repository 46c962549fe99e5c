"""What small trees cost: a penalty per leaf against the log-loss of rows held out.

Five folds (stratified, shuffled with seed 0), the same for every penalty; so are the lengths of the
chains. The log-loss is that of the whole posterior, and that of its central tree alone.

    python -m benchmarks run small_trees
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import ALL_SETS, PAPER_SETS, LabelledTable
from sweeptree import BayesianTreeClassifier, scores

FIRST_SETS = [*PAPER_SETS, "Breast cancer"]
PENALTIES = (0.0, 0.35, 0.7, 1.4, 2.8)
N_FOLDS = 5
QUICK = {"sets": ["Votes"], "draws": 50}


def measure(table: LabelledTable, penalty: float, n_draws: int) -> list[str]:
    """Cross-validate one penalty and return the row of the report."""
    found = []
    classes = np.unique(table.y)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    for train, test in folds.split(table.X, table.y):
        model = BayesianTreeClassifier(leaf_penalty=penalty, n_draws=n_draws, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(table.X[train], table.y[train])
        tree = model.representative_tree("central")
        found.append(
            [
                model.posterior_.n_leaves.mean(),
                scores.log_loss(table.y[test], model.predict_proba(table.X[test]), classes),
                tree.n_leaves,
                scores.log_loss(table.y[test], tree.predict_proba(table.X[test]), classes),
                100 * tree.speaks_for,
            ]
        )
    leaves, loss, tree_leaves, tree_loss, speaks_for = np.mean(found, axis=0)
    return [
        f"{leaves:.1f}",
        f"{loss:.3f}",
        f"{tree_leaves:.1f}",
        f"{tree_loss:.3f}",
        f"{speaks_for:.0f} %",
    ]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", nargs="+", choices=ALL_SETS, default=FIRST_SETS)
    parser.add_argument("--draws", type=int, default=2000)


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        "What small trees cost",
        ["table", "leaf_penalty"],
        ["leaves", "log-loss", "central tree: leaves", "log-loss", "speaks for"],
    )
    for name in options.sets:
        table = ALL_SETS[name]()
        for penalty in PENALTIES:
            report.add_row(name, f"{penalty:g}", *measure(table, penalty, options.draws))
    yield Outcome([report])
