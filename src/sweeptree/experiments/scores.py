"""How good class probabilities are on rows held out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray

IntArray = npt.NDArray[np.int64]

N_BINS = 10
SMALLEST_PROBABILITY = 1e-15
"""For the log-loss: the plug-in likelihood can give an outcome that happens no chance at all."""


def accuracy(probabilities: FloatArray, labels: IntArray) -> float:
    """Share of rows whose most probable class is theirs, in per cent."""
    return float(100.0 * np.mean(probabilities.argmax(axis=1) == labels))


def entropy(probabilities: FloatArray) -> float:
    """Entropy summed over rows, in nats (Eq. 17).

    Examples
    --------
    >>> import numpy as np
    >>> round(entropy(np.array([[0.5, 0.5], [1.0, 0.0]])), 4)
    0.6931
    """
    positive = probabilities[probabilities > 0.0]
    return float(-(positive * np.log(positive)).sum())


def log_loss(probabilities: FloatArray, labels: IntArray) -> float:
    """Mean of minus the log probability of the true class; no probability counts as 1e-15."""
    of_truth = probabilities[np.arange(len(labels)), labels]
    return float(-np.log(np.maximum(of_truth, SMALLEST_PROBABILITY)).mean())


def brier(probabilities: FloatArray, labels: IntArray) -> float:
    """Half the mean squared distance from the truth: between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> brier(np.array([[0.8, 0.2], [0.0, 1.0]]), np.array([0, 0]))
    0.52
    """
    truth = np.eye(probabilities.shape[1])[labels]
    return float(0.5 * ((probabilities - truth) ** 2).sum(axis=1).mean())


def calibration_error(confidence: FloatArray, is_correct: FloatArray) -> float:
    """Distance between confidence and accuracy, averaged over rows in ten bins of confidence.

    Parameters
    ----------
    confidence : array of shape (n_rows,)
        Probability of the most probable class.
    is_correct : array of shape (n_rows,)
        Whether that is the row's class.

    Examples
    --------
    >>> import numpy as np
    >>> calibration_error(np.array([0.75, 0.75, 0.75, 0.75]), np.array([1.0, 1.0, 1.0, 0.0]))
    0.0
    """
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    gaps = np.bincount(bins, confidence - is_correct, minlength=N_BINS)
    return float(np.abs(gaps).sum() / len(confidence))
