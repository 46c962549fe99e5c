"""Why one case is predicted as it is, in words that can be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sweeptree.columns import Column
from sweeptree.encoding import FloatArray
from sweeptree.fitted import (
    FittedModel,
    check_count,
    check_fitted,
    check_share,
    column_names,
    rows_of,
)
from sweeptree.frames import make_frame, names_of, records_of
from sweeptree.interpretation.changes import changes_in_words, find_changes
from sweeptree.interpretation.conditions import conditions_in_words, find_conditions
from sweeptree.markup import text_in_html
from sweeptree.names import visible
from sweeptree.prediction import forest_of
from sweeptree.raw_table import as_array, is_table_with_names
from sweeptree.uncertainty.report import uncertainty

MOST_PLACES = 2_000_000
"""Trees times rows that are looked at together, to bound the memory."""


@dataclass(frozen=True)
class Explanation:
    """Why one case is predicted as it is. Printing it shows all of it."""

    sentence: str
    """The prediction and its uncertainty."""
    prediction: dict[str, Any]
    """The case's row of `uncertainty`."""
    conditions: Any
    """Table of the conditions that most draws agree on along the case's path: `variable`,
    `value` of the case, `relation` ("<=" or ">", or in words, such as "is not B"), `share` of the
    draws with such a condition, and the `threshold` if there is one: its median and the range,
    `lower` to `upper`, that holds 90 % of it. Dates are microseconds since 1970."""
    changes: Any
    """Table of what would change the class, one variable at a time: `variable`, `value` of the
    case, `needed` value, the new class, `becomes`, its `probability`, and how far away it is as a
    share of the variable's range, `distance`; nearest first. Every other level of a category is
    at a distance of 1, and so is every value from a missing one."""
    similar: Any
    """Table of the training cases most similar to it: `row` number, `class`, and the `share` of
    the draws in which both fall into the same leaf."""
    columns: tuple[Column, ...] = field(repr=False)
    """What is known of the columns."""

    def to_text(self) -> str:
        """Write the explanation as text."""
        parts = [
            self.sentence,
            _section("Most draws ask", conditions_in_words(self.conditions, self.columns)),
            _section(
                "The class would change, all else equal, with",
                changes_in_words(self.changes, self.columns),
            ),
            _section("Most similar training cases", similar_in_words(self.similar)),
        ]
        return "\n".join(parts)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return text_in_html(self.to_text())


def explain(
    model: FittedModel, x: Any, level: float = 0.95, min_share: float = 0.5, n_similar: int = 5
) -> Explanation:
    """Explain the prediction of one case.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    x : array-like of shape (n_columns,) or (1, n_columns)
        The case; one row of a table, as a Series, a dict or a table of one row.
    level : float, default=0.95
        Of the credible interval.
    min_share : float, default=0.5
        Conditions are shown if at least this share of the draws has them.
    n_similar : int, default=5
        How many similar training cases to show.

    Returns
    -------
    Explanation
        Its tables are DataFrames, or structured arrays where pandas is not installed.

    Notes
    -----
    What would change the class is looked for among the thresholds of all trees, one variable at a
    time: on 64 of them, evenly spread, then on 64 between the last that keeps the class and the
    first that does not. Of a number or a date that is missing, values that training had are tried
    instead, from its median downwards and upwards. It speaks of the model, not of causes: that a
    larger value would be predicted otherwise does not mean that raising the value would help.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> data = load_wisconsin(as_frame=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(data.data, data.target)
    >>> explanation = model.explain(data.data.iloc[0])
    >>> print(explanation)  # doctest: +ELLIPSIS
    Predicted 0 with probability ...
    >>> len(explanation.similar)
    5
    """
    check_share("level", level)
    check_share("min_share", min_share)
    n_similar = check_count("n_similar", n_similar)
    case = as_one_row(model, x)
    row = rows_of(model, case)
    table = uncertainty(model, case, level)
    prediction = {name: _first(table[name]) for name in names_of(table)}
    return Explanation(
        sentence=_sentence(prediction, level),
        prediction=prediction,
        conditions=find_conditions(model, row[0], min_share),
        changes=find_changes(model, row[0]),
        similar=similar_rows(model, row, n_similar),
        columns=model.columns_,
    )


def as_one_row(model: FittedModel, x: Any) -> Any:
    """Return a case as a table of one row, with the names that the table had in fit."""
    check_fitted(model)
    if hasattr(x, "to_frame") and hasattr(x, "index"):  # a Series: one row of a DataFrame
        x = x.to_frame().T
    if isinstance(x, Mapping):
        x = {name: np.atleast_1d(as_array(value)) for name, value in x.items()}
    if is_table_with_names(x):
        n_rows = len(next(iter(x.values()), ())) if isinstance(x, Mapping) else len(x)
    else:
        x = np.atleast_2d(as_array(x))
        n_rows = len(x)
    if n_rows != 1:
        raise ValueError(f"x must be one case, got {n_rows}; choose a row.")
    is_bare = isinstance(x, np.ndarray) and x.shape[1] == model.n_features_in_
    if is_bare and hasattr(model, "feature_names_in_"):
        return dict(zip(column_names(model), x.T, strict=True))
    return x


def _first(column: Any) -> Any:
    return np.asarray(column)[0]


def _sentence(prediction: dict[str, Any], level: float) -> str:
    words = (
        f"Predicted {prediction['predicted']} with probability {prediction['probability']:.3f} "
        f"({100 * level:g} % interval {prediction['lower']:.3f} to {prediction['upper']:.3f}); "
        f"in {100 * prediction['agreement']:.1f} % of the draws the most probable class is "
        f"{prediction['predicted']}."
    )
    if prediction["is_lead_in_doubt"]:
        words += f" {_doubt(prediction)}"
    if prediction["is_outside"]:
        words += f" It has values outside what training has seen, in {prediction['outside_in']}."
    return visible(words)


def _doubt(prediction: dict[str, Any]) -> str:
    if np.isnan(prediction["monte_carlo_error"]):
        return "From a single draw its Monte-Carlo error cannot be told."
    return "The lead over the next class is smaller than its Monte-Carlo error."


def similar_rows(model: FittedModel, row: FloatArray, n_similar: int) -> Any:
    """Find the training rows that share the case's leaf in most draws."""
    share = shares_of_common_leaf(model, row)
    nearest = np.argsort(-share, kind="stable")[:n_similar]
    return make_frame(
        {
            "row": nearest,
            "class": model.classes_[model.training_.labels[nearest]],
            "share": share[nearest].clip(max=1),
        }
    )


def shares_of_common_leaf(model: FittedModel, row: FloatArray) -> FloatArray:
    """Share of the draws in which each training row falls into the leaf of the given row."""
    posterior, X = model.posterior_, model.training_.X
    forest = forest_of(posterior.trees, model.engine)
    leaf = forest.apply(row)
    n_rows = max(1, MOST_PLACES // len(posterior.trees))
    weights = posterior.tree_weights
    shares = [
        weights @ (forest.apply(X[start : start + n_rows]) == leaf)
        for start in range(0, len(X), n_rows)
    ]
    return np.concatenate(shares)


def _section(title: str, lines: list[str]) -> str:
    return "\n".join(
        ["", f"{title}:", *(f"  {visible(line)}" for line in lines or ["nothing found"])]
    )


def similar_in_words(table: Any) -> list[str]:
    """Write each similar case on a line."""
    return [
        f"row {c['row']}, {c['class']}: in the same leaf in {100 * c['share']:.0f} % of the draws"
        for c in records_of(table)
    ]
