"""What the estimator predicts: classes and their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree import memory, prediction
from sweeptree.elsewhere import n_threads_to_predict
from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, rows_of
from sweeptree.labels import refuse_missing_labels
from sweeptree.partitions import maps_partitions


class PredictionMixin:
    """The predicting half of a scikit-learn classifier."""

    @maps_partitions
    def predict_proba(self: FittedModel, X: Any) -> FloatArray:
        """Predict class probabilities: the posterior mean.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`; rows sum to one.
        """
        X = rows_of(self, X)
        n_threads = n_threads_to_predict(self.n_jobs)
        return prediction.mean_probabilities(self.posterior_, X, self.engine, n_threads)

    def predict_log_proba(self: FittedModel, X: Any) -> FloatArray:
        """Predict the logarithms of the class probabilities.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        with np.errstate(divide="ignore"):  # the plug-in likelihood gives probabilities of zero
            return np.log(self.predict_proba(X))

    @maps_partitions
    def predict(self: FittedModel, X: Any) -> npt.NDArray[Any]:
        """Predict the most probable class.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        most_probable = self.predict_proba(X).argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[most_probable]
        return labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the rows whose class is predicted.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts.
        """
        refuse_missing_labels(y)
        accuracy: float = super().score(X, y, sample_weight)  # type: ignore[misc]
        return accuracy

    def predict_proba_draws(self: FittedModel, X: Any) -> FloatArray:
        """Predict class probabilities by each draw apart.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_chains, n_draws, n_rows, n_classes)
            Its mean over chains and draws is `predict_proba`.

        Examples
        --------
        >>> from sweeptree import BayesianTreeClassifier
        >>> from sweeptree.datasets import load_wisconsin
        >>> X, y = load_wisconsin(return_X_y=True)
        >>> model = BayesianTreeClassifier(n_draws=500, random_state=0).fit(X, y)
        >>> model.predict_proba_draws(X[:3]).shape
        (4, 500, 3, 2)
        """
        X = rows_of(self, X)
        memory.check_predictions_fit(self.posterior_, len(X), len(self.classes_))
        return prediction.probability_draws(self.posterior_, X, self.engine)
