"""The uncertainty envelope: which predictions are confident, and which of those are right.

After Fieldsend, Bailey, Everson, Krzanowski, Partridge and Schetinin (2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_labels, rows_of
from sweeptree.frames import make_frame
from sweeptree.prediction import mean_probabilities, vote_shares

CONFIDENCES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)
ROUNDING = 1e-9
"""Shares of draws are sums of thousands of weights."""


class Envelope(NamedTuple):
    """How many predictions are confident and correct, confident and incorrect, and uncertain.

    Examples
    --------
    >>> found = Envelope(90, 2, 8)
    >>> found.n_rows, found.confident_correct, found.confident_incorrect, found.uncertain
    (100, 0.9, 0.02, 0.08)
    """

    n_confident_correct: int
    n_confident_incorrect: int
    n_uncertain: int

    @property
    def n_rows(self) -> int:
        """Number of predictions."""
        return sum(self)

    @property
    def confident_correct(self) -> float:
        """Share of the predictions that are confident and correct."""
        return self.n_confident_correct / self.n_rows

    @property
    def confident_incorrect(self) -> float:
        """Share of the predictions that are confident and incorrect."""
        return self.n_confident_incorrect / self.n_rows

    @property
    def uncertain(self) -> float:
        """Share of the predictions that are uncertain."""
        return self.n_uncertain / self.n_rows


def envelope(model: FittedModel, X: Any, y: Any, confidence: float = 0.99) -> Envelope:
    """Count confident and uncertain predictions, and the errors among the confident ones.

    A prediction is confident if at least so large a share of the draws votes for the predicted
    class: γ >= `confidence`.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : array-like of shape (n_rows, n_columns)
        Rows that the model has not seen.
    y : array-like of shape (n_rows,)
    confidence : float, default=0.99
        Above 0, at most 1.

    Returns
    -------
    Envelope
        `n_confident_correct`, `n_confident_incorrect` and `n_uncertain`, and without `n_` their
        shares.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X[::2], y[::2])
    >>> found = model.envelope(X[1::2], y[1::2], confidence=0.95)
    >>> found.n_rows, found.confident_incorrect < 0.05
    (341, True)
    """
    _check_confidence(confidence)
    is_correct, agreement = _outcomes(model, X, y)
    return _count(is_correct, agreement, confidence)


def envelope_curve(
    model: FittedModel, X: Any, y: Any, confidences: Sequence[float] = CONFIDENCES
) -> Any:
    """Show the uncertainty envelope over several confidences.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : array-like of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
    confidences : sequence of float

    Returns
    -------
    DataFrame, or structured ndarray where pandas is not installed
        Columns `confidence` and, as shares, `confident_correct`, `confident_incorrect` and
        `uncertain`.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X[::2], y[::2])
    >>> model.envelope_curve(X[1::2], y[1::2], [0.5, 0.9, 0.99])["confidence"].tolist()
    [0.5, 0.9, 0.99]
    """
    for confidence in confidences:
        _check_confidence(confidence)
    is_correct, agreement = _outcomes(model, X, y)
    counted = [_count(is_correct, agreement, confidence) for confidence in confidences]
    columns: dict[str, Any] = {"confidence": np.array(confidences, dtype=float)}
    for name in ("confident_correct", "confident_incorrect", "uncertain"):
        columns[name] = np.array([getattr(each, name) for each in counted])
    return make_frame(columns)


def agreement_of_predicted(
    model: FittedModel, X: FloatArray
) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """Return each row's predicted class, as its place in `classes_`, and the share voting for it.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        As `rows_of` reads it.
    """
    predicted = mean_probabilities(model.posterior_, X, model.engine).argmax(axis=1)
    votes = vote_shares(model.posterior_, X, model.engine)
    return predicted, votes[np.arange(len(X)), predicted]


def is_confident(agreement: FloatArray, confidence: float) -> npt.NDArray[np.bool_]:
    """Whether enough of the draws agree."""
    return agreement >= confidence - ROUNDING


def _outcomes(model: FittedModel, X: Any, y: Any) -> tuple[npt.NDArray[np.bool_], FloatArray]:
    X = rows_of(model, X)
    labels = check_labels(model, y, len(X))
    predicted, agreement = agreement_of_predicted(model, X)
    return predicted == labels, agreement


def _count(is_correct: npt.NDArray[np.bool_], agreement: FloatArray, confidence: float) -> Envelope:
    confident = is_confident(agreement, confidence)
    return Envelope(
        n_confident_correct=int((confident & is_correct).sum()),
        n_confident_incorrect=int((confident & ~is_correct).sum()),
        n_uncertain=int((~confident).sum()),
    )


def _check_confidence(confidence: Any) -> None:
    if not isinstance(confidence, Real) or not 0 < float(confidence) <= 1:
        raise ValueError(f"confidence must be above 0 and at most 1, got {confidence!r}.")
