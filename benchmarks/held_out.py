"""How the defaults do on rows held out: log-loss, accuracy, and the time until converged.

Five folds (stratified, shuffled with seed 0); every fit runs until it has converged, or until a
limit ends it.

    python -m benchmarks run held_out
    python -m benchmarks run held_out --sets Votes --seed 1
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import ALL_SETS, PAPER_SETS, LabelledTable
from sweeptree import BayesianTreeClassifier

FIRST_SETS = [*PAPER_SETS, "Breast cancer"]
N_FOLDS = 5
QUICK = {"sets": ["Votes"]}


def measure(table: LabelledTable, seed: int) -> list[str]:
    """Cross-validate the defaults and return the row of the report."""
    log_losses, accuracies, sizes, seconds, n_converged = [], [], [], [], 0
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    for train, test in folds.split(table.X, table.y):
        model = BayesianTreeClassifier(random_state=seed, progress=False)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(table.X[train], table.y[train])
        seconds.append(time.perf_counter() - start)
        probabilities = model.predict_proba(table.X[test])
        log_losses.append(log_loss(table.y[test], probabilities, labels=model.classes_))
        accuracies.append(accuracy_score(table.y[test], probabilities.argmax(axis=1)))
        sizes.append(model.posterior_.n_leaves.mean())
        n_converged += model.posterior_.converged
    return [
        f"{np.mean(log_losses):.4f} ± {np.std(log_losses, ddof=1) / np.sqrt(N_FOLDS):.4f}",
        f"{100 * np.mean(accuracies):.1f} %",
        f"{np.mean(sizes):.1f}",
        f"{np.mean(seconds):.1f}",
        f"{np.max(seconds):.1f}",
        f"{n_converged} of {N_FOLDS}",
    ]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", nargs="+", choices=ALL_SETS, default=FIRST_SETS, metavar="SET")
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    report = ReportTable(
        f"Defaults, {N_FOLDS} folds",
        ["table"],
        ["log-loss ± se", "accuracy", "leaves", "mean s", "most s", "converged"],
    )
    for name in options.sets:
        report.add_row(name, *measure(ALL_SETS[name](), options.seed))
    yield Outcome([report])
