"""What a model that looks at no column would score: the least to be better than."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.labels import place_in_classes
from sweeptree.posterior import Posterior
from sweeptree.scores import brier, log_loss


class Baseline(NamedTuple):
    """Scores of knowing nothing but how frequent each class is in training."""

    commonest: Any
    """The class that most training rows are of."""
    accuracy: float
    """Of always saying that class."""
    log_loss: float
    """Of the shares of the classes as probabilities."""
    brier: float
    """Of the same."""


def training_counts(posterior: Posterior) -> npt.NDArray[np.integer[Any]]:
    """Training rows of each class: the leaves of any tree hold them all."""
    trees = posterior.trees
    counts: npt.NDArray[np.integer[Any]] = trees.leaf_counts[: trees.leaf_offsets[1]].sum(axis=0)
    return counts


def baseline_scores(counts: Any, labels: Any, classes: Any) -> Baseline:
    """Score the class shares of training on rows whose classes are known.

    Parameters
    ----------
    counts : array-like of shape (n_classes,)
        Training rows of each class.
    labels : array-like of shape (n_rows,)
        True classes of the rows to score.
    classes : array-like of shape (n_classes,)

    Examples
    --------
    >>> found = baseline_scores([75, 25], ["home", "died", "home"], ["home", "died"])
    >>> found.commonest, round(found.accuracy, 3), round(found.log_loss, 3), round(found.brier, 3)
    ('home', 0.667, 0.654, 0.229)
    """
    classes = np.asarray(classes)
    place = place_in_classes(labels, classes)
    counts = np.asarray(counts)
    shares: FloatArray = np.tile(counts / counts.sum(), (len(place), 1))
    return Baseline(
        commonest=classes.tolist()[counts.argmax()],
        accuracy=float((place == counts.argmax()).mean()),
        log_loss=log_loss(labels, shares, classes),
        brier=brier(labels, shares, classes),
    )
