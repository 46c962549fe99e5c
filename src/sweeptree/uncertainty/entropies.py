"""How uncertain a prediction is, and of which kind (Eq. 17 and its parts), in nats."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, rows_of
from sweeptree.posterior import Draws, IntArray
from sweeptree.prediction import leaf_probabilities, mean_leaf_value
from sweeptree.scores import entropy


class Entropies(NamedTuple):
    """Entropy of each row's predicted class: the whole, and its two parts."""

    total: FloatArray
    """Of the posterior mean; the sum of the parts."""
    aleatoric: FloatArray
    """What would remain if tree and class probabilities were known: the expected entropy."""
    epistemic: FloatArray
    """What more data could take away: the mutual information of the class and the model."""


def entropies(model: FittedModel, X: Any) -> Entropies:
    """Split each prediction's entropy into noise and lack of knowledge.

    Total entropy is that of the mean probabilities (one row's term of Eq. 17). Its aleatoric part
    is the expected entropy over the posterior of trees and of the class probabilities in their
    leaves; the epistemic part is the rest, the mutual information between the class and both. For
    a Dirichlet with parameters a_j and sum A the expected entropy is
    ψ(A + 1) − Σ (a_j/A) ψ(a_j + 1). Under the plug-in likelihood it is the entropy of the leaf's
    frequencies, and the epistemic part that between trees alone.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : array-like of shape (n_rows, n_columns)

    Returns
    -------
    Entropies
        `total`, `aleatoric` and `epistemic`, each an array of shape (n_rows,), in nats.

    Examples
    --------
    >>> import numpy as np
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X, y)
    >>> found = model.entropies(X[:5])
    >>> bool(np.allclose(found.total, found.aleatoric + found.epistemic))
    True
    """
    X = rows_of(model, X)
    return split_entropy(model.posterior_, X, model.engine)


def split_entropy(draws: Draws, X: FloatArray, engine: str) -> Entropies:
    """Split the entropy of each row's mean probabilities."""
    means = mean_leaf_value(draws, X, engine, _probabilities_and_entropy)
    total = entropy(means[:, :-1] / means[:, :-1].sum(axis=1, keepdims=True))
    aleatoric = np.minimum(means[:, -1], total)  # rounding may lift it above
    return Entropies(total, aleatoric, total - aleatoric)


def _probabilities_and_entropy(leaf_counts: IntArray, alpha: FloatArray) -> FloatArray:
    probabilities = leaf_probabilities(leaf_counts, alpha)
    return np.column_stack((probabilities, expected_leaf_entropy(leaf_counts, alpha)))


def expected_leaf_entropy(leaf_counts: IntArray, alpha: FloatArray) -> FloatArray:
    """Entropy expected under each leaf's Dirichlet; with α = 0, that of its frequencies."""
    from scipy.special import digamma

    probabilities = leaf_probabilities(leaf_counts, alpha)
    if not alpha.any():
        return entropy(probabilities)
    parameters = leaf_counts + alpha
    expected: FloatArray = digamma(parameters.sum(axis=1) + 1)
    expected -= (probabilities * digamma(parameters + 1)).sum(axis=1)
    return expected
