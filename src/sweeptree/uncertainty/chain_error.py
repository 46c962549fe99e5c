"""How far predictions may be off because chains are finite: told by how chains differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, rows_of
from sweeptree.prediction import chain_means


def monte_carlo_error(model: FittedModel, X: Any) -> FloatArray:
    """Tell how far each predicted probability may be off because chains are finite.

    The standard error of the mean over chains: the standard deviation between the chains' own
    probabilities, divided by the square root of their number. A single chain is taken as two, its
    halves. With few chains this is a rough figure; it says nothing of what all chains missed.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : array-like of shape (n_rows, n_columns)

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        NaN if there is but one draw.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=500, random_state=0).fit(X, y)
    >>> bool(model.monte_carlo_error(X).mean() < 0.02)
    True
    """
    X = rows_of(model, X)
    return standard_error(chain_means(model.posterior_, X, model.engine))


def standard_error(by_chain: FloatArray) -> FloatArray:
    """Take the standard error of a mean over chains, the first axis; NaN if there are none."""
    if len(by_chain) == 0:
        return np.full(by_chain.shape[1:], np.nan)
    error: FloatArray = by_chain.std(axis=0, ddof=1) / np.sqrt(len(by_chain))
    return error


def lead_and_error(by_chain: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how far the first class is ahead of the second in each row, and its error.

    Parameters
    ----------
    by_chain : array of shape (n_chains, n_rows, n_classes)
    """
    mean = by_chain.mean(axis=0)
    second, first = np.argsort(mean, axis=1, kind="stable")[:, -2:].T
    rows = np.arange(len(mean))
    lead = by_chain[:, rows, first] - by_chain[:, rows, second]
    return lead.mean(axis=0), standard_error(lead)
