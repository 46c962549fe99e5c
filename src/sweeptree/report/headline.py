"""Scores on test rows, each with an interval, and whether the probabilities can be believed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.baseline import Baseline
from sweeptree.encoding import FloatArray
from sweeptree.scores import brier, calibration_error, log_loss

N_RESAMPLES = 300
Z = 1.959963984540054
"""Of 95 % intervals."""
MOST_ROWS_RESAMPLED = 20_000
"""Of more rows, resamples are this large, and their spread is narrowed to match."""


class Score(NamedTuple):
    """A score with its 95 % interval, and that of a model that looks at no column.

    Of a single row there is no interval: its ends are NaN.
    """

    name: str
    value: float
    lower: float
    upper: float
    how: str
    """How the interval was found."""
    baseline: float


class Calibration(NamedTuple):
    """The calibration error held against what chance alone makes of true probabilities."""

    error: float
    by_chance: float
    """95 % of the errors would be at most this, were the probabilities true."""
    if_all_wrong: float
    """What the error would be if no prediction were right."""
    is_overconfident: bool
    """Whether the predictions are surer than they are right, on average."""

    @property
    def can_be_told(self) -> bool:
        """Whether there are rows enough for the worst predictions to stand out from chance."""
        return self.if_all_wrong > self.by_chance

    @property
    def is_calibrated(self) -> bool:
        """Whether chance alone explains the error."""
        return self.error <= self.by_chance


def wilson_interval(n_right: int, n_rows: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share.

    Examples
    --------
    >>> low, high = wilson_interval(90, 100)
    >>> round(low, 4), round(high, 4)
    (0.8256, 0.9448)
    """
    share = n_right / n_rows
    middle = (share + Z**2 / (2 * n_rows)) / (1 + Z**2 / n_rows)
    half = np.sqrt(share * (1 - share) / n_rows + Z**2 / (4 * n_rows**2)) * Z / (1 + Z**2 / n_rows)
    return float(max(0.0, middle - half)), float(min(1.0, middle + half))


def headline_scores(
    labels: npt.NDArray[np.intp], probabilities: FloatArray, baseline: Baseline
) -> list[Score]:
    """Score predictions."""
    n_right = int((probabilities.argmax(axis=1) == labels).sum())
    ends = wilson_interval(n_right, len(labels))
    return [
        Score("accuracy", n_right / len(labels), *ends, "Wilson", baseline.accuracy),
        _resampled("log-loss", log_loss, labels, probabilities, baseline.log_loss),
        _resampled("Brier score", brier, labels, probabilities, baseline.brier),
    ]


def _resampled(
    name: str,
    score: Callable[..., float],
    labels: npt.NDArray[np.intp],
    probabilities: FloatArray,
    baseline: float,
) -> Score:
    rng = np.random.default_rng(0)
    classes = np.arange(probabilities.shape[1])
    value = score(labels, probabilities, classes)
    n_rows = len(labels)
    if n_rows == 1:
        return Score(name, value, np.nan, np.nan, "", baseline)
    n_taken = min(n_rows, MOST_ROWS_RESAMPLED)
    found = []
    for _ in range(N_RESAMPLES):
        rows = rng.integers(n_rows, size=n_taken)
        found.append(score(labels[rows], probabilities[rows], classes))
    low, high = (np.quantile(found, (0.025, 0.975)) - value) * np.sqrt(n_taken / n_rows)
    return Score(name, value, max(0.0, value + low), value + high, "bootstrap", baseline)


def judge_calibration(labels: npt.NDArray[np.intp], probabilities: FloatArray) -> Calibration:
    """Tell whether the predictions are right as often as they say."""
    rng = np.random.default_rng(0)
    confidence = probabilities.max(axis=1)
    is_right = (probabilities.argmax(axis=1) == labels).astype(float)
    by_chance = [
        calibration_error(confidence, (rng.random(len(confidence)) < confidence).astype(float))
        for _ in range(N_RESAMPLES)
    ]
    return Calibration(
        error=calibration_error(confidence, is_right),
        by_chance=float(np.quantile(by_chance, 0.95)),
        if_all_wrong=calibration_error(confidence, np.zeros_like(confidence)),
        is_overconfident=bool(confidence.mean() > is_right.mean()),
    )


def as_cells(score: Score) -> dict[str, Any]:
    """Write a score as it stands on a card."""
    figures = (score.value, score.lower, score.upper, score.baseline)
    if score.name == "accuracy":
        value, low, high, baseline = (f"{100 * each:.1f} %" for each in figures)
    else:
        value, low, high, baseline = (f"{each:.3f}" for each in figures)
    has_interval = np.isfinite(score.upper)
    return {
        "name": score.name,
        "value": value,
        "beside": f"{low} to {high}" if has_interval else "",
        "how": f"95 %, {score.how}" if has_interval else "one row has no interval",
        "baseline": f"baseline {baseline}",
    }


def calibration_cells(calibration: Calibration) -> dict[str, Any]:
    """Write the calibration error as it stands on a card: beside what chance alone makes of it.

    It has no interval: resamples of it lie above it, since fewer distinct rows scatter more.
    """
    return {
        "name": "calibration error",
        "value": f"{calibration.error:.3f}",
        "beside": f"by chance up to {calibration.by_chance:.3f}",
        "how": "95 %, were the probabilities true",
        "baseline": "",
    }
