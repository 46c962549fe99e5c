"""Why one case is predicted as it is, in words that can be checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_share, column_names, rows_of
from sweeptree.frames import make_frame
from sweeptree.interpretation.tree import short_number
from sweeptree.posterior import Posterior
from sweeptree.prediction import forest_of, mean_probabilities
from sweeptree.uncertainty.envelope import ROUNDING
from sweeptree.uncertainty.report import uncertainty

N_TRIED = 64
"""Thresholds tried at once in one direction, when looking for what would change the class."""
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
    `value` of the case, `relation` ("<=" or ">"), `share` of the draws with such a condition,
    and the `threshold`: its median and the range, `lower` to `upper`, that holds 90 % of it."""
    changes: Any
    """Table of what would change the class, one variable at a time: `variable`, `value` of the
    case, `needed` value, the new class, `becomes`, its `probability`, and how far away it is as a
    share of the variable's range, `distance`; nearest first."""
    similar: Any
    """Table of the training cases most similar to it: `row` number, `class`, and the `share` of
    the draws in which both fall into the same leaf."""

    def to_text(self) -> str:
        """Write the explanation as text."""
        parts = [
            self.sentence,
            _section("Most draws ask", _condition_lines(self.conditions)),
            _section("The class would change, all else equal, with", _change_lines(self.changes)),
            _section("Most similar training cases", _similar_lines(self.similar)),
        ]
        return "\n".join(parts)

    def __str__(self) -> str:
        return self.to_text()


def explain(
    model: FittedModel, x: Any, level: float = 0.95, min_share: float = 0.5, n_similar: int = 5
) -> Explanation:
    """Explain the prediction of one case.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    x : array-like of shape (n_columns,) or (1, n_columns)
        The case; one row of a table, as a Series or a table of one row.
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
    first that does not. It speaks of the model, not of causes: that a larger value would be
    predicted otherwise does not mean that raising the value would help.

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
    case = _as_one_row(model, x)
    row = rows_of(model, case)
    table = uncertainty(model, case, level)
    prediction = {name: _first(table[name]) for name in _names_of(table)}
    return Explanation(
        sentence=_sentence(prediction, level),
        prediction=prediction,
        conditions=_conditions(model, row[0], min_share),
        changes=_changes(model, row[0]),
        similar=_similar(model, row, n_similar),
    )


def _as_one_row(model: FittedModel, x: Any) -> Any:
    if hasattr(x, "to_frame") and hasattr(x, "index"):  # a Series: one row of a DataFrame
        x = x.to_frame().T
    if not hasattr(x, "columns"):
        x = np.asarray(x)
        x = x[None] if x.ndim == 1 else x
        if hasattr(model, "feature_names_in_") and x.shape[-1] == model.n_features_in_:
            x = _named(model, x)
    if len(x) != 1:
        raise ValueError(f"explain takes one case, got {len(x)}; choose a row.")
    return x


def _named(model: FittedModel, x: npt.NDArray[Any]) -> Any:
    """Give a bare row the names that the table had in fit, so that it counts as the same."""
    names = zip(column_names(model), x.T, strict=True)
    table = make_frame(dict(names))
    return table if hasattr(table, "columns") else x


def _names_of(table: Any) -> list[str]:
    return list(table.columns) if hasattr(table, "columns") else list(table.dtype.names)


def _first(column: Any) -> Any:
    return np.asarray(column)[0]


def _sentence(prediction: dict[str, Any], level: float) -> str:
    words = (
        f"Predicted {prediction['predicted']} with probability {prediction['probability']:.3f} "
        f"({100 * level:g} % interval {prediction['lower']:.3f} to {prediction['upper']:.3f}); "
        f"{100 * prediction['agreement']:.1f} % of the draws agree."
    )
    if prediction["is_lead_in_doubt"]:
        words += " The lead over the next class is smaller than its Monte-Carlo error."
    if prediction["is_outside"]:
        words += f" The case lies outside the training range in {prediction['outside_in']}."
    return words


class _Rule(NamedTuple):
    """A condition on the case's path through one tree."""

    column: int
    is_left: bool
    threshold: float


def _paths(posterior: Posterior, row: FloatArray) -> Iterator[list[_Rule]]:
    """Yield the conditions that lead to the row's leaf, tree by tree."""
    trees = posterior.trees
    variable, threshold = trees.variable.tolist(), trees.threshold.tolist()
    right, values = trees.right_children.tolist(), row.tolist()
    for node in trees.node_offsets[:-1].tolist():
        path = []
        while variable[node] >= 0:
            is_left = values[variable[node]] <= threshold[node]
            path.append(_Rule(variable[node], is_left, threshold[node]))
            node = node + 1 if is_left else right[node]
        yield path


def _conditions(model: FittedModel, row: FloatArray, min_share: float) -> Any:
    """Find the conditions that most draws have, the tightest of each kind in each tree."""
    found: dict[tuple[int, bool], dict[int, float]] = {}
    for tree, path in enumerate(_paths(model.posterior_, row)):
        for column, is_left, threshold in path:
            of_trees = found.setdefault((column, is_left), {})
            tighter = min if is_left else max
            of_trees[tree] = tighter(of_trees.get(tree, threshold), threshold)
    weights = model.posterior_.tree_weights
    rows = []
    for (column, is_left), of_trees in found.items():
        weight = weights[list(of_trees)]
        if weight.sum() < min_share - ROUNDING:
            continue
        thresholds = np.array(list(of_trees.values()))
        low, median, high = weighted_quantiles(thresholds, weight, np.array([0.05, 0.5, 0.95]))
        relation = "<=" if is_left else ">"
        rows.append((weight.sum(), column, relation, median, low, high))
    rows.sort(key=lambda condition: -condition[0])
    found_columns = np.array([condition[1] for condition in rows], dtype=int)
    relations = [condition[2] for condition in rows]
    figures = np.array([(c[0], *c[3:]) for c in rows], dtype=float).reshape(-1, 4)
    return make_frame(
        {
            "variable": np.array(column_names(model), dtype=object)[found_columns],
            "value": row[found_columns],
            "relation": np.array(relations, dtype=object),
            "share": figures[:, 0].clip(max=1),
            "threshold": figures[:, 1],
            "lower": figures[:, 2],
            "upper": figures[:, 3],
        }
    )


def weighted_quantiles(values: FloatArray, weights: FloatArray, shares: FloatArray) -> FloatArray:
    """Quantiles of weighted values: the least value that has at least the share at or below it.

    Examples
    --------
    >>> values, weights = np.array([3.0, 1.0, 2.0]), np.array([0.1, 0.6, 0.3])
    >>> weighted_quantiles(values, weights, np.array([0.5, 0.8])).tolist()
    [1.0, 2.0]
    """
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    place = np.searchsorted(below, shares * below[-1] * (1 - 1e-12))
    quantiles: FloatArray = values[order][place.clip(max=len(values) - 1)]
    return quantiles


def _changes(model: FittedModel, row: FloatArray) -> Any:
    """Find the nearest value of each variable, up and down, that changes the class."""
    engine, posterior = model.engine, model.posterior_
    present = int(mean_probabilities(posterior, row[None], engine)[0].argmax())
    ways = [
        (column, values)
        for column in np.unique(posterior.trees.variable[posterior.trees.variable >= 0]).tolist()
        for values in _values_to_cross(posterior, column, row[column])
        if len(values)
    ]
    coarse = [_spread_out(0, len(values) - 1) for _, values in ways]
    first = _first_changes(model, row, ways, coarse, present)
    fine = [
        np.empty(0, dtype=int)
        if at is None
        else _spread_out(tried[at - 1] + 1 if at else 0, tried[at])
        for tried, at in zip(coarse, first, strict=True)
    ]
    nearest = _first_changes(model, row, ways, fine, present)
    needed = [
        (column, values[tried[at]])
        for (column, values), tried, at in zip(ways, fine, nearest, strict=True)
        if at is not None
    ]
    return _table_of_changes(model, row, needed)


def _values_to_cross(
    posterior: Posterior, column: int, value: float
) -> tuple[FloatArray, FloatArray]:
    """Values just beyond each threshold, nearest first: downwards, upwards."""
    thresholds = np.unique(posterior.trees.threshold[posterior.trees.variable == column])
    downwards = thresholds[thresholds < value][::-1]
    upwards = np.nextafter(thresholds[thresholds >= value], np.inf)
    return downwards, upwards


def _spread_out(first: int, last: int) -> npt.NDArray[np.intp]:
    """At most so many places from the first to the last, both included, evenly spread."""
    return np.unique(np.linspace(first, last, N_TRIED).round().astype(int))


def _first_changes(
    model: FittedModel,
    row: FloatArray,
    ways: list[tuple[int, FloatArray]],
    tried: list[npt.NDArray[np.intp]],
    present: int,
) -> list[int | None]:
    """Tell for each way the first of the values tried at which the class is another."""
    n_tried = [len(places) for places in tried]
    rows = np.repeat(row[None], sum(n_tried), axis=0)
    ends = np.cumsum(n_tried).tolist()
    for (column, values), places, end in zip(ways, tried, ends, strict=True):
        rows[end - len(places) : end, column] = values[places]
    predicted = mean_probabilities(model.posterior_, rows, model.engine).argmax(axis=1)
    first: list[int | None] = []
    for n, end in zip(n_tried, ends, strict=True):
        changed = np.flatnonzero(predicted[end - n : end] != present)
        first.append(int(changed[0]) if len(changed) else None)
    return first


def _table_of_changes(model: FittedModel, row: FloatArray, needed: list[tuple[int, float]]) -> Any:
    columns = np.array([column for column, _ in needed], dtype=int)
    values = np.array([value for _, value in needed], dtype=float)
    rows = np.repeat(row[None], len(needed), axis=0)
    rows[np.arange(len(needed)), columns] = values
    probabilities = mean_probabilities(model.posterior_, rows, model.engine)
    widths = np.ptp(model.training_.X, axis=0)
    distance = np.abs(values - row[columns]) / widths[columns]
    order = np.argsort(distance, kind="stable")
    table = {
        "variable": np.array(column_names(model), dtype=object)[columns],
        "value": row[columns],
        "needed": values,
        "becomes": model.classes_[probabilities.argmax(axis=1)],
        "probability": probabilities.max(axis=1, initial=0),
        "distance": distance,
    }
    return make_frame({name: column[order] for name, column in table.items()})


def _similar(model: FittedModel, row: FloatArray, n_similar: int) -> Any:
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
    return "\n".join(["", f"{title}:", *(f"  {line}" for line in lines or ["nothing found"])])


def _records(table: Any) -> Iterator[dict[str, Any]]:
    names = _names_of(table)
    columns = [np.asarray(table[name]).tolist() for name in names]
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


def _condition_lines(table: Any) -> list[str]:
    return [
        f"{c['variable']} {c['relation']} {short_number(c['threshold'], 4)} "
        f"({short_number(c['lower'], 4)} to {short_number(c['upper'], 4)}), "
        f"in {100 * c['share']:.0f} % of the draws; it is {short_number(c['value'])}"
        for c in _records(table)
    ]


def _change_lines(table: Any) -> list[str]:
    return [
        f"{c['variable']} {'down' if c['needed'] < c['value'] else 'up'} from "
        f"{short_number(c['value'])} to {short_number(c['needed'], 4)}: {c['becomes']} with "
        f"probability {c['probability']:.2f}"
        for c in _records(table)
    ]


def _similar_lines(table: Any) -> list[str]:
    return [
        f"row {c['row']}, {c['class']}: in the same leaf in {100 * c['share']:.0f} % of the draws"
        for c in _records(table)
    ]
