"""All that is known of the uncertainty of predictions, in one table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_share, column_names, rows_of
from sweeptree.frames import index_of, make_frame
from sweeptree.partitions import maps_partitions
from sweeptree.prediction import chain_means, mean_probabilities, vote_shares
from sweeptree.uncertainty.chain_error import lead_and_error, standard_error
from sweeptree.uncertainty.entropies import split_entropy
from sweeptree.uncertainty.intervals import probability_quantiles, tails_of


@maps_partitions
def uncertainty(model: FittedModel, X: Any, level: float = 0.95, *, by_class: bool = False) -> Any:
    """Tell all that is known of how uncertain each prediction is.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : array-like of shape (n_rows, n_columns)
    level : float, default=0.95
        Of the credible interval.
    by_class : bool, default=False
        Whether to add `probability_a`, `lower_a` and `upper_a` for each class a.

    Returns
    -------
    DataFrame, or structured ndarray where pandas is not installed
        One row for each of X, with the columns

        - `predicted`: the most probable class;
        - `probability`, `lower`, `upper`: its probability and credible interval;
        - `entropy`, `aleatoric`, `epistemic`: in nats, the first the sum of the others;
        - `agreement`: γ, the share of draws that vote for the class;
        - `monte_carlo_error`: of the probability, because chains are finite;
        - `is_lead_in_doubt`: whether its lead over the second class is smaller than the
          Monte-Carlo error of that lead: more draws might predict another class;
        - `is_outside`, `outside_in`: whether the row lies outside what training has seen, and in
          which columns: a value beyond the range of the training rows, a level that none of them
          has, or a missing value where none was missing. Trees extend their outermost leaf
          without end, so that beyond the range nothing warns but this.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X, y)
    >>> table = model.uncertainty(X[:3])
    >>> len(table), bool((table["lower"] <= table["upper"]).all())
    (3, True)
    """
    level = check_share("level", level)
    columns = uncertainty_columns(model, rows_of(model, X), level, by_class=by_class)
    return make_frame(columns, index_of(X))


def uncertainty_columns(
    model: FittedModel,
    X: FloatArray,
    level: float,
    *,
    by_class: bool,
    knows_training: bool = True,
) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of `uncertainty` by name.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted.
    X : ndarray of shape (n_rows, n_columns)
        Encoded.
    level : float
        Of the credible interval.
    by_class : bool
        Whether to add the columns of each class.
    knows_training : bool, default=True
        Whether the model has its training rows; if not, `is_outside` and `outside_in` are left
        out.
    """
    posterior, engine = model.posterior_, model.engine
    probabilities = mean_probabilities(posterior, X, engine)
    predicted = probabilities.argmax(axis=1)
    of_predicted = (np.arange(len(X)), predicted)
    intervals = probability_quantiles(posterior, X, engine, tails_of(level))
    by_chain = chain_means(posterior, X, engine)
    votes = vote_shares(posterior, X, engine)
    entropies = split_entropy(posterior, X, engine)
    columns: dict[str, npt.NDArray[Any]] = {
        "predicted": model.classes_[predicted],
        "probability": probabilities[of_predicted],
        "lower": intervals[of_predicted][:, 0],
        "upper": intervals[of_predicted][:, 1],
        "entropy": entropies.total,
        "aleatoric": entropies.aleatoric,
        "epistemic": entropies.epistemic,
        "agreement": votes[of_predicted],
        "monte_carlo_error": standard_error(by_chain)[of_predicted],
        "is_lead_in_doubt": is_lead_in_doubt(by_chain),
    }
    if knows_training:
        is_outside = outside_training(model.training_.X, X)
        columns["is_outside"] = np.asarray(is_outside.any(axis=1))
        columns["outside_in"] = names_where(is_outside, column_names(model))
    if by_class:
        for place, label in enumerate(model.classes_.tolist()):
            columns[f"probability_{label}"] = probabilities[:, place]
            columns[f"lower_{label}"] = intervals[:, place, 0]
            columns[f"upper_{label}"] = intervals[:, place, 1]
    return columns


def is_lead_in_doubt(by_chain: FloatArray) -> npt.NDArray[np.bool_]:
    """Whether each row's first class leads by less than the Monte-Carlo error of its lead."""
    if len(by_chain) == 0:  # one draw: anything may be otherwise
        return np.ones(by_chain.shape[1], dtype=bool)
    lead, error = lead_and_error(by_chain)
    in_doubt: npt.NDArray[np.bool_] = (lead < error) | (lead == 0)
    return in_doubt


class Range(NamedTuple):
    """What training has seen of each column."""

    lowest: FloatArray
    highest: FloatArray
    has_missing: npt.NDArray[np.bool_]


def range_of(training: FloatArray) -> Range:
    """Tell what training has seen; of a column without values, nothing."""
    has_values = ~np.isnan(training).all(axis=0)
    return Range(
        np.nanmin(training, axis=0, where=has_values, initial=np.inf),
        np.nanmax(training, axis=0, where=has_values, initial=-np.inf),
        np.asarray(np.isnan(training).any(axis=0)),
    )


def outside_range(known: Range, X: FloatArray) -> npt.NDArray[np.bool_]:
    """(row, column): whether a value is outside what training has seen.

    Below the least or above the largest, as the place of an unseen level is; or missing where
    none was.
    """
    is_beyond = (known.lowest > X) | (known.highest < X)
    is_outside: npt.NDArray[np.bool_] = is_beyond | (np.isnan(X) & ~known.has_missing)
    return is_outside


def outside_training(training: FloatArray, X: FloatArray) -> npt.NDArray[np.bool_]:
    """(row, column): whether a value is outside what the training rows have."""
    return outside_range(range_of(training), X)


def most_affected(n_by_column: npt.NDArray[np.integer[Any]], names: list[str]) -> list[str]:
    """Names of the columns that have been counted at all, those with most first.

    Examples
    --------
    >>> most_affected(np.array([1, 0, 4]), ["age", "sex", "ward"])
    ['ward', 'age']
    """
    order = np.argsort(-n_by_column, kind="stable")
    return [names[place] for place in order if n_by_column[place]]


def names_where(is_so: npt.NDArray[np.bool_], names: list[str]) -> npt.NDArray[np.object_]:
    """For each row the names of the columns of which something is so."""
    words = [", ".join(names[c] for c in np.flatnonzero(row)) for row in is_so]
    return np.array(words, dtype=object)
