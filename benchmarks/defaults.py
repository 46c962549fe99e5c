"""What the defaults rest on: held-out log-loss of priors over many tables, none tuned per table.

Every setting makes the same number of moves on the same folds. A setting is compared with the
first one by the ratio of their log-losses, averaged over tables on the log scale.

    python -m benchmarks run defaults
    python -m benchmarks run defaults --moves 1000000 --sets Pima Glass
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from joblib import Parallel, delayed
from rich.progress import track
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.sets import ALL_SETS
from sweeptree import BayesianTreeClassifier, settings

N_FOLDS = 5
N_CHAINS = 4
N_DRAWS = 250
QUICK = {"sets": ["Votes", "Wine"], "moves": 20_000}


class Setting(NamedTuple):
    """A prior; α is given by its sum over the classes."""

    label: str
    alpha_sum: float | None
    """None: learned."""
    parameters: dict[str, Any]
    learned_from: float = settings.LEARNED_ALPHA_SUMS[0]
    """Smallest sum that α may take where it is learned; users have no say in it."""

    @property
    def alpha(self) -> str:
        """What the table says of α."""
        if self.alpha_sum is not None:
            return f"{self.alpha_sum:g}"
        is_usual = self.learned_from == settings.LEARNED_ALPHA_SUMS[0]
        return "learned" if is_usual else f"learned from {self.learned_from:g}"

    def model(self, n_classes: int, n_moves: int) -> BayesianTreeClassifier:
        """Make a model that spends so many moves on each chain, a third of them on burn-in."""
        return BayesianTreeClassifier(
            alpha="learn" if self.alpha_sum is None else self.alpha_sum / n_classes,
            n_chains=N_CHAINS,
            n_burn_in=n_moves // 3,
            n_draws=N_DRAWS,
            thin=max(2 * n_moves // (3 * N_DRAWS), 1),
            n_jobs=1,
            random_state=0,
            progress=False,
            **self.parameters,
        )


def settings_compared() -> list[Setting]:
    """List what is compared: one thing at a time is changed, and α with each shape."""
    shapes: dict[str, dict[str, Any]] = {
        "geometric, 0.35": {"tree_prior": "geometric", "leaf_penalty": 0.35},
        "geometric, 0.7": {"tree_prior": "geometric", "leaf_penalty": 0.7},
        "geometric, 1.4": {"tree_prior": "geometric", "leaf_penalty": 1.4},
        "flat": {"tree_prior": "flat"},
        "uniform": {"tree_prior": "uniform"},
        "depth": {"tree_prior": "depth"},
    }
    listed = [
        Setting(shape, alpha_sum, {"min_samples_leaf": 1, **parameters})
        for alpha_sum in (None, 0.5, 0.25)
        for shape, parameters in shapes.items()
    ]
    first = shapes["geometric, 0.35"]
    listed += [
        Setting("geometric, 0.35", total, {"min_samples_leaf": 1, **first}) for total in (1.0, 2.0)
    ]
    listed += [
        Setting(f"geometric, 0.35; {n} rows", None, {"min_samples_leaf": n, **first})
        for n in (2, 3, 5)
    ]
    listed += [
        Setting("geometric, 0.35", None, {"min_samples_leaf": 1, **first}, learned_from)
        for learned_from in (0.05, 0.1, 0.5)
    ]
    return listed


class Result(NamedTuple):
    """Of one setting on one table."""

    log_losses: list[float]
    """One per fold."""
    n_leaves: float


def measure(name: str, setting: Setting, n_moves: int) -> Result:
    """Cross-validate."""
    table = ALL_SETS[name]()
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    log_losses, sizes = [], []
    for train, test in folds.split(table.X, table.y):
        model = setting.model(len(np.unique(table.y)), n_moves)
        usual = settings.LEARNED_ALPHA_SUMS
        grid = np.geomspace(setting.learned_from, usual[-1], len(usual)).tolist()
        with warnings.catch_warnings(), patch.object(settings, "LEARNED_ALPHA_SUMS", tuple(grid)):
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(table.X[train], table.y[train])
        probabilities = model.predict_proba(table.X[test])
        log_losses.append(float(log_loss(table.y[test], probabilities, labels=model.classes_)))
        sizes.append(model.posterior_.n_leaves.mean())
    return Result(log_losses, float(np.mean(sizes)))


def reports_of(
    names: list[str], listed: list[Setting], results: list[list[Result]]
) -> list[ReportTable]:
    """Make one table of settings, and one of tables."""
    losses = np.array([[np.mean(r.log_losses) for r in of_set] for of_set in results])
    sizes = np.array([[r.n_leaves for r in of_set] for of_set in results])
    log_ratios = np.log(losses / losses[:, :1])
    overall = ReportTable(
        f"{len(names)} tables, {N_FOLDS} folds",
        ["shape", "Σα"],
        ["log-loss", "to the first", "± 2 se", "better on", "leaves"],
    )
    for i, setting in enumerate(listed):
        error = 2 * log_ratios[:, i].std(ddof=1) / np.sqrt(len(names)) if len(names) > 1 else np.nan
        overall.add_row(
            setting.label,
            setting.alpha,
            f"{losses[:, i].mean():.4f}",
            f"{100 * np.expm1(log_ratios[:, i].mean()):+.1f} %",
            f"{100 * error:.1f} %",
            f"{np.count_nonzero(log_ratios[:, i] < 0)}",
            f"{sizes[:, i].mean():.1f}",
        )
    shown = range(6)
    by_table = ReportTable("Log-loss (leaves)", ["table"], [listed[i].label for i in shown])
    for name, of_loss, of_size in zip(names, losses, sizes, strict=True):
        by_table.add_row(name, *(f"{of_loss[i]:.3f} ({of_size[i]:.0f})" for i in shown))
    return [overall, by_table]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sets", nargs="+", choices=ALL_SETS, default=list(ALL_SETS), metavar="SET"
    )
    parser.add_argument("--moves", type=int, default=300_000, help="moves of each chain")


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    listed = settings_compared()
    n = len(listed)
    running = Parallel(n_jobs=-1, return_as="generator")(
        delayed(measure)(name, setting, options.moves)
        for name in options.sets
        for setting in listed
    )
    found = list(track(running, "Fitting", total=n * len(options.sets), transient=True))
    results = [found[i * n : (i + 1) * n] for i in range(len(options.sets))]
    yield Outcome(reports_of(options.sets, listed, results))
