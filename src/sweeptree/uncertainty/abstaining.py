"""When to give no answer, and what that buys."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_labels, check_option, rows_of
from sweeptree.frames import make_frame
from sweeptree.labels import refuse_missing_labels
from sweeptree.prediction import mean_probabilities
from sweeptree.uncertainty.entropies import split_entropy
from sweeptree.uncertainty.envelope import ROUNDING, agreement_of_predicted
from sweeptree.uncertainty.intervals import probability_quantiles

MEASURES = ("probability", "lower", "agreement", "entropy", "epistemic")
LESS_IS_SURER = ("entropy", "epistemic")
TAILS = np.array([0.025, 0.975])
"""Of "lower": the ends of the 95 % interval."""


def reject_option(
    model: FittedModel, X: Any, threshold: float = 0.9, by: str = "probability"
) -> npt.NDArray[np.bool_]:
    """Tell on which rows the model had better give no answer.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : array-like of shape (n_rows, n_columns)
    threshold : float, default=0.9
        The least probability or agreement with which to answer, or the most entropy, in nats.
    by : {"probability", "lower", "agreement", "entropy", "epistemic"}, default="probability"
        What to judge by: the probability of the predicted class; the lower end of its 95 %
        interval; the share of draws that vote for it; the entropy, or its epistemic part. By
        probability, the rows left out are those on which most errors are to be expected.

    Returns
    -------
    ndarray of bool of shape (n_rows,)
        True where to abstain.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X[::2], y[::2])
    >>> abstains = model.reject_option(X[1::2], threshold=0.95)
    >>> answered = ~abstains
    >>> bool(model.score(X[1::2][answered], y[1::2][answered]) > model.score(X[1::2], y[1::2]))
    True
    """
    least = least_sureness(threshold, by)
    return sureness_of(model, rows_of(model, X), by) < least - ROUNDING


def least_sureness(threshold: Any, by: str) -> float:
    """Check a threshold, and turn it into the least sureness with which to answer.

    Examples
    --------
    >>> least_sureness(0.9, "probability"), least_sureness(0.3, "entropy")
    (0.9, -0.3)
    """
    most = math.inf if by in LESS_IS_SURER else 1 + ROUNDING
    if not isinstance(threshold, Real) or not 0 <= float(threshold) <= most:
        wanted = "at least 0, in nats" if by in LESS_IS_SURER else "between 0 and 1"
        raise ValueError(f"threshold must be {wanted}, by={by!r}; got {threshold!r}.")
    return -float(threshold) if by in LESS_IS_SURER else float(threshold)


class AccuracyCoverage(NamedTuple):
    """How accurate the answers are, against the share of rows that get one.

    Examples
    --------
    >>> curve = AccuracyCoverage(np.array([0.9, 0.6]), np.array([0.5, 1.0]), np.array([1.0, 0.8]))
    >>> curve.area
    0.9
    >>> len(curve.to_frame())
    2
    """

    threshold: FloatArray
    """Least sureness with which to answer (of entropies, the most entropy), falling."""
    coverage: FloatArray
    """Share of rows answered."""
    accuracy: FloatArray
    """Share of right answers among them."""

    @property
    def area(self) -> float:
        """Accuracy averaged over coverages from 0 to 1; 1 at best."""
        return float((np.diff(self.coverage, prepend=0.0) * self.accuracy).sum())

    def to_frame(self) -> Any:
        """Return the curve as a DataFrame, or a structured array where pandas is missing."""
        return make_frame(self._asdict())


def accuracy_coverage(
    model: FittedModel, X: Any, y: Any, by: str = "probability"
) -> AccuracyCoverage:
    """Show how accuracy grows as the model answers fewer rows.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : array-like of shape (n_rows, n_columns)
        Rows that the model has not seen.
    y : array-like of shape (n_rows,)
    by : {"probability", "lower", "agreement", "entropy", "epistemic"}, default="probability"
        What the rows are ordered by, as in `reject_option`.

    Returns
    -------
    AccuracyCoverage
        Arrays `threshold`, `coverage` and `accuracy`, one value per threshold that makes a
        difference, and the `area` under the curve.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X[::2], y[::2])
    >>> curve = model.accuracy_coverage(X[1::2], y[1::2])
    >>> float(curve.coverage[-1]), bool(curve.area > curve.accuracy[-1])
    (1.0, True)
    """
    X = rows_of(model, X)
    labels = check_labels(model, y, len(X))
    sureness = sureness_of(model, X, by)
    is_correct = mean_probabilities(model.posterior_, X, model.engine).argmax(axis=1) == labels
    return curve_of_coverage(sureness, is_correct)


def curve_of_coverage(sureness: FloatArray, is_correct: npt.NDArray[np.bool_]) -> AccuracyCoverage:
    """Show how accuracy grows as fewer rows are answered, the surest first."""
    order = np.argsort(-sureness, kind="stable")
    descending = sureness[order]
    is_last_of_ties = np.append(descending[1:] != descending[:-1], True)
    n_answered = np.arange(1, len(sureness) + 1)
    accuracy = np.cumsum(is_correct[order]) / n_answered
    return AccuracyCoverage(
        threshold=np.abs(descending)[is_last_of_ties],
        coverage=(n_answered / len(sureness))[is_last_of_ties],
        accuracy=accuracy[is_last_of_ties],
    )


def sureness_of(model: FittedModel, X: FloatArray, by: str) -> FloatArray:
    """How sure each prediction is, in the measure asked for; entropies with a minus."""
    check_option("by", by, MEASURES)
    if by in LESS_IS_SURER:
        found = split_entropy(model.posterior_, X, model.engine)
        return -(found.total if by == "entropy" else found.epistemic)
    if by == "agreement":
        return agreement_of_predicted(model, X)[1]
    probabilities = mean_probabilities(model.posterior_, X, model.engine)
    if by == "probability":
        highest: FloatArray = probabilities.max(axis=1)
        return highest
    quantiles = probability_quantiles(model.posterior_, X, model.engine, TAILS)
    lower: FloatArray = quantiles[np.arange(len(X)), probabilities.argmax(axis=1), 0]
    return lower


class AbstainingClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that answers only where the model is sure enough.

    Parameters
    ----------
    estimator : BayesianTreeClassifier
    threshold : float, default=0.9
        The least probability or agreement with which to answer, or the most entropy, in nats.
    by : {"probability", "lower", "agreement", "entropy", "epistemic"}, default="probability"
        What to judge by, as in `reject_option`.
    abstain_label : object, default=None
        What `predict` gives where it abstains. It must not be a class.

    Attributes
    ----------
    estimator_ : BayesianTreeClassifier
        Fitted.
    classes_ : ndarray of shape (n_classes,)

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> from sweeptree.uncertainty import AbstainingClassifier
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> tree = BayesianTreeClassifier(n_draws=200, random_state=0)
    >>> careful = AbstainingClassifier(tree, threshold=0.99).fit(X[::2], y[::2])
    >>> set(careful.predict(X[1::2])) == {0, 1, None}
    True
    >>> careful.coverage(X[1::2]) < 1 and careful.score(X[1::2], y[1::2]) > 0.97
    True
    """

    _required_parameters: ClassVar[list[str]] = ["estimator"]

    def __init__(
        self,
        estimator: Any,
        *,
        threshold: float = 0.9,
        by: str = "probability",
        abstain_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.by = by
        self.abstain_label = abstain_label

    def fit(self, X: Any, y: Any) -> AbstainingClassifier:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        """
        check_option("by", self.by, MEASURES)
        refuse_missing_labels(y)
        if self.abstain_label is not None and self.abstain_label in np.unique(y).tolist():
            raise ValueError(f"abstain_label={self.abstain_label!r} is one of the classes.")
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        return self

    def abstains(self, X: Any) -> npt.NDArray[np.bool_]:
        """Tell on which rows no answer is given.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        """
        check_is_fitted(self)
        return reject_option(self.estimator_, X, self.threshold, self.by)

    def predict(self, X: Any) -> npt.NDArray[np.object_]:
        """Predict the most probable class, or `abstain_label` where the model is not sure.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of object of shape (n_rows,)
        """
        abstains = self.abstains(X)
        answers: npt.NDArray[np.object_] = self.estimator_.predict(X).astype(object)
        answers[abstains] = self.abstain_label
        return answers

    def predict_proba(self, X: Any) -> FloatArray:
        """Predict class probabilities, of every row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        """
        check_is_fitted(self)
        probabilities: FloatArray = self.estimator_.predict_proba(X)
        return probabilities

    def coverage(self, X: Any) -> float:
        """Share of the rows that get an answer.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        """
        return float(1 - self.abstains(X).mean())

    def score(self, X: Any, y: Any) -> float:
        """Share of right answers among those given; NaN if none is.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        """
        refuse_missing_labels(y)
        answered = ~self.abstains(X)
        if not answered.any():
            return np.nan
        return float((self.estimator_.predict(X)[answered] == np.asarray(y)[answered]).mean())
