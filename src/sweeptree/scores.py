"""Scores of predicted probabilities: how sharp they are, and how far they can be believed.

Each takes true labels and an array of probabilities of shape (n_rows, n_classes), columns in the
order of `classes`. With one column, or in one dimension, it is the probability of the second of two
classes, as scikit-learn's scorers hand it over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.frames import make_frame
from sweeptree.labels import place_in_classes, refuse_missing_labels

FloatArray = npt.NDArray[np.float64]
Score = Callable[..., float]

SMALLEST_PROBABILITY = float(np.finfo(float).eps)
"""For the log-loss: the plug-in likelihood can give an outcome that happens no chance at all."""


def entropy(probabilities: FloatArray) -> FloatArray:
    """Entropy of each row, in nats.

    Parameters
    ----------
    probabilities : array-like of shape (n_rows, n_classes)

    Examples
    --------
    >>> entropy([[0.5, 0.5], [1.0, 0.0]]).round(4).tolist()
    [0.6931, 0.0]
    """
    from scipy.special import entr

    of_rows: FloatArray = entr(_as_matrix(probabilities)).sum(axis=1)
    return of_rows


def sum_entropy(probabilities: Any) -> float:
    """Entropy summed over rows, in nats (Eq. 17).

    Small is sharp, not right: a model that is certain and wrong has a sum of zero. Read it beside
    `log_loss` and `expected_calibration_error`.

    Parameters
    ----------
    probabilities : array-like of shape (n_rows, n_classes)

    Examples
    --------
    >>> round(sum_entropy([[0.5, 0.5], [0.9, 0.1]]), 4)
    1.0182
    """
    return float(entropy(probabilities).sum())


def sharpness(probabilities: Any) -> float:
    """Mean probability of the predicted class: how decided the predictions are.

    Parameters
    ----------
    probabilities : array-like of shape (n_rows, n_classes)

    Examples
    --------
    >>> sharpness([[0.5, 0.5], [0.9, 0.1]])
    0.7
    """
    return float(_as_matrix(probabilities).max(axis=1).mean())


def log_loss(y: Any, probabilities: Any, classes: Any = None) -> float:
    """Mean negative log probability of the true class, in nats.

    Probabilities below the smallest step of a float are taken as that.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
    probabilities : array-like of shape (n_rows, n_classes)
    classes : array-like of shape (n_classes,), default=None
        Labels of the columns; None: those in `y`, ascending.

    Examples
    --------
    >>> round(log_loss(["no", "yes"], [[0.8, 0.2], [0.4, 0.6]]), 4)
    0.367
    """
    probabilities = _as_matrix(probabilities)
    labels = _place_in_classes(y, probabilities, classes)
    of_true = probabilities[np.arange(len(labels)), labels]
    return float(-np.log(np.maximum(of_true, SMALLEST_PROBABILITY)).mean())


def brier(y: Any, probabilities: Any, classes: Any = None) -> float:
    """Half the mean squared distance of the probabilities from the truth: 0 to 1.

    With two classes that is the squared error of the probability of either.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
    probabilities : array-like of shape (n_rows, n_classes)
    classes : array-like of shape (n_classes,), default=None
        Labels of the columns; None: those in `y`, ascending.

    Examples
    --------
    >>> round(brier(["no", "yes"], [[0.8, 0.2], [0.4, 0.6]]), 4)
    0.1
    """
    probabilities = _as_matrix(probabilities)
    labels = _place_in_classes(y, probabilities, classes)
    truth = np.eye(probabilities.shape[1])[labels]
    return float(0.5 * ((probabilities - truth) ** 2).sum(axis=1).mean())


def expected_calibration_error(
    y: Any, probabilities: Any, classes: Any = None, n_bins: int = 10
) -> float:
    """Mean distance between how sure the predictions are and how often they are right.

    Over bins that hold equally many rows, so that no bin is nearly empty. It never vanishes on
    few rows: chance alone makes the share of hits in a bin differ from its probability.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
    probabilities : array-like of shape (n_rows, n_classes)
    classes : array-like of shape (n_classes,), default=None
        Labels of the columns; None: those in `y`, ascending.
    n_bins : int, default=10

    Examples
    --------
    >>> round(expected_calibration_error([0, 1, 1, 1], [0.2, 0.6, 0.7, 0.9], n_bins=2), 4)
    0.25
    """
    return calibration_error(*_confidence(y, probabilities, classes), n_bins)


def calibration_error(confidence: FloatArray, is_right: FloatArray, n_bins: int = 10) -> float:
    """Mean distance between confidence and hits, over bins that hold equally many rows.

    Parameters
    ----------
    confidence : array of shape (n_rows,)
        Probability of the predicted class.
    is_right : array of shape (n_rows,)
        Whether that is the row's class.
    n_bins : int, default=10

    Examples
    --------
    >>> calibration_error(np.full(4, 0.75), np.array([1.0, 1.0, 1.0, 0.0]), n_bins=1)
    0.0
    """
    bins = _reliability(confidence, is_right, n_bins)
    distance = np.abs(bins.accuracy - bins.confidence)
    return float((bins.n_rows * distance).sum() / bins.n_rows.sum())


def reliability_table(y: Any, probabilities: Any, classes: Any = None, n_bins: int = 10) -> Any:
    """Show how often predictions are right against how sure they are.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
    probabilities : array-like of shape (n_rows, n_classes)
    classes : array-like of shape (n_classes,), default=None
        Labels of the columns; None: those in `y`, ascending.
    n_bins : int, default=10
        Bins of equally many rows, by the probability of the predicted class.

    Returns
    -------
    DataFrame, or structured ndarray where pandas is not installed
        Columns `n_rows`; `confidence`, the mean probability of the predicted class; `accuracy`,
        the share of predictions that are right; `standard_error`, of the accuracy, were the
        probabilities true.

    Examples
    --------
    >>> table = reliability_table([0, 1, 1, 1], [0.2, 0.6, 0.7, 0.9], n_bins=2)
    >>> table["confidence"].round(2).tolist(), table["accuracy"].tolist()
    ([0.65, 0.85], [1.0, 1.0])
    """
    return make_frame(_reliability(*_confidence(y, probabilities, classes), n_bins)._asdict())


class _Reliability(NamedTuple):
    """One value for each bin."""

    n_rows: npt.NDArray[np.intp]
    confidence: FloatArray
    accuracy: FloatArray
    standard_error: FloatArray


def _confidence(y: Any, probabilities: Any, classes: Any) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each row's predicted class, and whether that is its class."""
    probabilities = _as_matrix(probabilities)
    labels = _place_in_classes(y, probabilities, classes)
    is_right = probabilities.argmax(axis=1) == labels
    return probabilities.max(axis=1), is_right.astype(float)


def _reliability(confidence: FloatArray, is_right: FloatArray, n_bins: int) -> _Reliability:
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, got {n_bins!r}.")
    order = np.argsort(confidence, kind="stable")
    bins = [rows for rows in np.array_split(order, n_bins) if len(rows)]
    variance = confidence * (1 - confidence)
    return _Reliability(
        n_rows=np.array([len(rows) for rows in bins]),
        confidence=np.array([confidence[rows].mean() for rows in bins]),
        accuracy=np.array([is_right[rows].mean() for rows in bins]),
        standard_error=np.array([np.sqrt(variance[rows].sum()) / len(rows) for rows in bins]),
    )


class ProbabilityScorer:
    """A score as a scikit-learn scorer: larger is better, so that losses change their sign.

    Parameters
    ----------
    score : callable
        ``score(y, probabilities, classes=...)``, of which less is better: `log_loss`, `brier` or
        `expected_calibration_error`.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> losses = cross_val_score(tree, X, y, scoring=ProbabilityScorer(brier))
    >>> bool((losses < 0).all())
    True
    """

    def __init__(self, score: Score) -> None:
        self.score = score

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Score an estimator that has `predict_proba` and `classes_`."""
        return -self.score(y, estimator.predict_proba(X), classes=estimator.classes_)

    def __repr__(self) -> str:
        return f"ProbabilityScorer({self.score.__name__})"


SCORERS = {
    "neg_log_loss": ProbabilityScorer(log_loss),
    "neg_brier": ProbabilityScorer(brier),
    "neg_expected_calibration_error": ProbabilityScorer(expected_calibration_error),
}
"""For `scoring=` in scikit-learn. Entropy and sharpness are none: they do not know the truth."""


def _as_matrix(probabilities: Any) -> FloatArray:
    matrix: FloatArray = np.asarray(probabilities, dtype=float)
    if matrix.ndim == 1 or matrix.shape[1] == 1:
        of_second = matrix.ravel()
        matrix = np.column_stack((1 - of_second, of_second))
    return matrix


def _place_in_classes(y: Any, probabilities: FloatArray, classes: Any) -> npt.NDArray[np.intp]:
    y = np.asarray(y).ravel()
    if len(y) != len(probabilities):
        raise ValueError(f"y has {len(y)} labels and there are {len(probabilities)} predictions.")
    refuse_missing_labels(y)
    known = np.unique(y) if classes is None else np.asarray(classes)
    if len(known) != probabilities.shape[1]:
        raise ValueError(
            f"There are {probabilities.shape[1]} columns of probabilities and {len(known)} "
            f"classes, {known.tolist()}; say with classes= what the columns stand for."
        )
    return place_in_classes(y, known)
