"""`sweeptree compare`: the paper's comparison of strategies on any table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from sweeptree.experiments.cross_validation import N_FOLDS, measure_fold, sum_up_folds
from sweeptree.experiments.data_sets import LabelledTable
from sweeptree.experiments.fitting import Record, model_settings
from sweeptree.experiments.plan import FULL, LIKELIHOODS, QUICK, STRATEGIES_SHOWN, Scale
from sweeptree.experiments.running import run_all
from sweeptree.experiments.sheet import Sheet
from sweeptree.experiments.tables import plus_minus


class Fold(NamedTuple):
    """A strategy under a likelihood, on one fold."""

    likelihood: str
    strategy: str
    fold: int

    @property
    def name(self) -> str:
        """Name it; its seed follows from the name."""
        return f"{self.likelihood}/{self.strategy}/fold {self.fold + 1}"


class Comparison(NamedTuple):
    """What all folds have in common."""

    table: LabelledTable
    categories: tuple[int, ...]
    min_samples_leaf: int
    scale: Scale
    seed: int


def measure(comparison: Comparison, task: Fold) -> Record:
    """Fit and score the chains of one fold."""
    table, categories, min_samples_leaf, scale, seed = comparison
    model = model_settings(
        task.strategy,
        task.likelihood,
        min_samples_leaf,
        scale.length,
        categorical_features=list(categories) or "from_dtype",
    )
    settings = {"fold": task.fold, "n_chains": scale.n_chains, "model": model}
    return measure_fold(table, settings, seed, task.name)


def compare_strategies(
    table: LabelledTable,
    *,
    categories: Sequence[int] = (),
    min_samples_leaf: int = 3,
    is_quick: bool = False,
    n_jobs: int = 1,
    seed: int = 0,
) -> list[Sheet]:
    """Cross-validate all strategies, and lay out what comes out under each likelihood.

    Parameters
    ----------
    table : LabelledTable
    categories : sequence of int
        Columns whose numbers are levels without an order.
    min_samples_leaf : int
        The paper's p_min.
    is_quick : bool
        Short chains: to see what comes out, not for its numbers.
    n_jobs : int
        Threads. The numbers do not depend on it.
    seed : int
    """
    scale = QUICK if is_quick else FULL
    pairs = [(likelihood, strategy) for likelihood in LIKELIHOODS for strategy in STRATEGIES_SHOWN]
    tasks = [Fold(*pair, fold) for pair in pairs for fold in range(N_FOLDS)]

    comparison = Comparison(table, tuple(categories), min_samples_leaf, scale, seed)
    records = run_all(measure, comparison, tasks, n_jobs)
    found = partial(_records_of, tasks, records)
    return [
        _lay_out(
            likelihood, {each: sum_up_folds(found(likelihood, each)) for each in STRATEGIES_SHOWN}
        )
        for likelihood in LIKELIHOODS
    ]


def describe(is_quick: bool) -> str:
    """Say how the figures were made."""
    scale = QUICK if is_quick else FULL
    return (
        f"{N_FOLDS} folds; chains of {scale.length.n_moves:,} moves, scored one by one "
        f"({scale.n_chains} a fold). Accuracy in per cent; ±: twice the standard deviation over "
        "folds. ECE: expected calibration error. Entropy: of a test fold, in nats. R-hat: the "
        "largest of the folds; at most 1.01 is wanted."
    )


def _records_of(
    tasks: list[Fold], records: list[Record], likelihood: str, strategy: str
) -> list[Record]:
    return [
        record
        for task, record in zip(tasks, records, strict=True)
        if (task.likelihood, task.strategy) == (likelihood, strategy)
    ]


def _lay_out(likelihood: str, summaries: dict[str, Record]) -> Sheet:
    rows = [
        [
            strategy,
            plus_minus(summary["accuracy"], 1),
            f"{summary['log_loss']['mean']:.3f}",
            f"{summary['brier']['mean']:.3f}",
            f"{summary['calibration_error']:.3f}",
            f"{summary['entropy']['mean']:.1f}",
            f"{summary['n_splits']['mean']:.1f}",
            f"{max(summary['rhat_n_leaves'], summary['rhat_log_posterior']):.2f}",
        ]
        for strategy, summary in summaries.items()
    ]
    headings = [
        "strategy",
        "accuracy",
        "log-loss",
        "Brier",
        "ECE",
        "entropy",
        "splits",
        "R-hat",
    ]
    return Sheet(f"Strategies compared, {likelihood} likelihood", headings, rows)
