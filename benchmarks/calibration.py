"""Whether intervals hold the truth, where the truth is known and is no tree.

The synthetic Injury data: no row is a patient, and the probability of survival is known for every
row. Models are fitted to a quarter of its usual 1,468 cases, to as many, and to four times as
many, and asked about 1,000 others. With 1,468 cases the penalty on leaves is varied, too, to see
what smaller trees cost.

    python -m benchmarks run calibration
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.small_trees import PENALTIES
from sweeptree import BayesianTreeClassifier, scores
from sweeptree.datasets import make_injury

LEVELS = (0.5, 0.9)
QUICK = {"seeds": 1, "draws": 50}
RANGES = {"truth < 0.2": (0.0, 0.2), "0.2 to 0.8": (0.2, 0.8), "> 0.8": (0.8, 1.0)}
"""Of the true probability: where coverage is looked at apart."""
N_TRAINING, N_NEW = 1468, 1000


class Figures(NamedTuple):
    """Of models fitted to so many rows, as cells of a table."""

    coverage: list[str]
    """At each level, and at 90 % in each range of the truth."""
    scores: list[str]
    """Width and error of the probabilities, and scores beside those of the true ones."""
    n_leaves: str


def measure(n_training: int, seeds: list[int], n_draws: int, **parameters: Any) -> Figures:
    """Fit to as many new tables as there are seeds, and return the means of what they give."""
    covered, rows, sizes = [], [], []
    for seed in seeds:
        train = make_injury(n_training, random_state=1000 + seed)
        new = make_injury(N_NEW, random_state=2000 + seed)
        model = BayesianTreeClassifier(
            n_draws=n_draws, thin=1000, random_state=seed, progress=False, **parameters
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(train.data, train.target)
        sizes.append(model.posterior_.n_leaves.mean())
        truth = new.true_probability
        intervals = [model.predict_interval(new.data, level)[:, 1] for level in LEVELS]
        is_covered = [(i[:, 0] <= truth) & (truth <= i[:, 1]) for i in intervals]
        places = [(low <= truth) & (truth < high) for low, high in RANGES.values()]
        of_90 = is_covered[LEVELS.index(0.9)]
        covered.append([*np.mean(is_covered, axis=1), *(of_90[place].mean() for place in places)])
        p, true_p = model.predict_proba(new.data), np.column_stack((1 - truth, truth))
        rows.append(
            [
                np.diff(intervals[LEVELS.index(0.9)], axis=1).mean(),
                np.abs(p[:, 1] - truth).mean(),
                scores.log_loss(new.target, p),
                scores.log_loss(new.target, true_p),
                scores.expected_calibration_error(new.target, p),
                scores.expected_calibration_error(new.target, true_p),
            ]
        )
    coverage = [f"{100 * share:.1f} %" for share in np.mean(covered, axis=0)]
    return Figures(
        coverage, [f"{figure:.3f}" for figure in np.mean(rows, axis=0)], f"{np.mean(sizes):.1f}"
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--draws", type=int, default=250)


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    coverage = ReportTable(
        "Injury (synthetic): share of intervals that hold the true probability",
        ["training rows"],
        [*(f"{100 * level:g} %" for level in LEVELS), *(f"90 %, {name}" for name in RANGES)],
    )
    figures = ReportTable(
        "Injury (synthetic): probabilities against the true ones",
        ["training rows"],
        [
            "width, 90 %",
            "mean error",
            "log-loss",
            "of the truth",
            "calibration error",
            "of the truth",
        ],
    )
    by_penalty = ReportTable(
        f"Injury (synthetic), {N_TRAINING:,} training rows: what smaller trees cost",
        ["leaf_penalty"],
        ["leaves", *coverage.numbers, *figures.numbers[:3]],
    )
    reports = [coverage, figures, by_penalty]
    seeds = list(range(options.seeds))
    for n_training in (N_TRAINING // 4, N_TRAINING, 4 * N_TRAINING):
        found = measure(n_training, seeds, options.draws)
        coverage.add_row(f"{n_training:,}", *found.coverage)
        figures.add_row(f"{n_training:,}", *found.scores)
        yield Outcome(reports)
    for penalty in PENALTIES:
        found = measure(N_TRAINING, seeds, options.draws, leaf_penalty=penalty)
        by_penalty.add_row(f"{penalty:g}", found.n_leaves, *found.coverage, *found.scores[:3])
        yield Outcome(reports)
