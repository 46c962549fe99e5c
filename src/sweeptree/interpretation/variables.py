"""Which variables trees ask about, where they cut them, and trees without the weak ones."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.columns import DAY, Column
from sweeptree.diagnostics import judge_traces, standard_error_of_mean
from sweeptree.encoding import FloatArray
from sweeptree.fitted import (
    FittedModel,
    check_fitted,
    column_names,
    find_column,
    find_column_with_values,
)
from sweeptree.frames import make_frame
from sweeptree.interpretation.words import levels_left
from sweeptree.prediction import spread_between_chains
from sweeptree.settings import TESTS

MOST_BINS = 30


def variable_use(model: FittedModel) -> Any:
    """Tell how trees use each variable, averaged over the posterior.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.

    Returns
    -------
    DataFrame, or structured ndarray where pandas is not installed
        One row for each column of the table, with

        - `variable`: its name;
        - `used`: posterior probability that a tree asks about it at all;
        - `splits`: mean number of splits on it;
        - `root`: share of the trees whose first split is on it;
        - `used_error`, `splits_error`, `root_error`: Monte-Carlo standard errors of these.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import make_xor3
    >>> X, y = make_xor3(500, random_state=0, return_X_y=True)
    >>> model = BayesianTreeClassifier(leaf_penalty=2, n_draws=200, random_state=0).fit(X, y)
    >>> model.variable_use()["used"].round(1).tolist()[:2]
    [1.0, 1.0]
    """
    check_fitted(model)
    posterior = model.posterior_
    n_splits = posterior.trees.splits_by_column(model.n_features_in_)
    root = posterior.trees.variable[posterior.trees.node_offsets[:-1]]
    of_column: dict[str, list[FloatArray]] = {"used": [], "splits": [], "root": []}
    for column in range(model.n_features_in_):
        splits = n_splits[:, column][posterior.tree_index].astype(float)
        of_column["used"].append((splits > 0).astype(float))
        of_column["splits"].append(splits)
        of_column["root"].append((root == column)[posterior.tree_index].astype(float))
    columns: dict[str, Any] = {"variable": np.array(column_names(model), dtype=object)}
    for name, traces in of_column.items():
        columns[name] = np.array([trace.mean() for trace in traces])
    for name, traces in of_column.items():
        columns[f"{name}_error"] = np.array([standard_error_of_mean(trace) for trace in traces])
    return make_frame(columns)


def rule_density(model: FittedModel, variable: str | int) -> Any:
    """Tell where trees cut a variable.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    variable : str or int
        Name or number of a column.

    Returns
    -------
    DataFrame, or structured ndarray where pandas is not installed
        Columns `lower` and `upper`, the ends of a piece of the variable's range; `splits`, the
        mean number of splits of a tree in it; `density`, their share of all splits on the
        variable, per unit. The pieces lie between neighbouring training values; of a variable
        with more than 31 of these, 30 equally wide pieces are shown. Of dates, `lower` and `upper`
        are dates, and `density` is per day; of truth values there is one piece, from False to
        True. Of a category: `level`, `splits`, the mean number of splits of a tree that ask for
        it, alone or in a group, and their `share`.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X, y)
    >>> table = model.rule_density(1)
    >>> float(table["lower"].min()), float(table["upper"].max())
    (1.0, 10.0)
    """
    column = find_column_to_cut(model, variable)
    known = model.columns_[column]
    if known.is_category:
        return _splits_by_level(model, column)
    cuts = cuts_of(model, column)
    edges = as_the_user_has(known, cuts.edges)
    widths = np.diff(cuts.edges) / (DAY if known.kind == "date" else 1.0)
    tiny = np.finfo(float).tiny
    density = cuts.splits / max(cuts.splits.sum(), tiny) / np.maximum(widths, tiny)
    columns = {"lower": edges[:-1], "upper": edges[1:], "splits": cuts.splits, "density": density}
    return make_frame(columns)


def find_column_to_cut(model: FittedModel, variable: str | int) -> int:
    """Return the number of a column that has several values, so that trees can cut it."""
    column = find_column_with_values(model, variable)
    values = model.training_.X[:, column]
    if np.nanmin(values) == np.nanmax(values):
        name = model.columns_[column].name
        raise ValueError(
            f"Column {name!r} has one value only in the training rows, so that no tree can cut "
            "it; choose another."
        )
    return column


class Cuts(NamedTuple):
    """How often trees cut an ordered column in each piece of its range."""

    edges: FloatArray
    """Ends of the pieces, as the model counts them; one more than there are pieces."""
    splits: FloatArray
    """Mean number of splits of a tree in each piece."""


def cuts_of(model: FittedModel, column: int) -> Cuts:
    """Count the cuts of a column of numbers, dates or truth values."""
    training = model.training_.X[:, column]
    edges = np.unique(training[~np.isnan(training)])
    if len(edges) > MOST_BINS + 1:
        edges = np.linspace(edges[0], edges[-1], MOST_BINS + 1)
    if len(edges) == 1:
        edges = np.repeat(edges, 2)
    thresholds, weights = thresholds_asked(model, column, "at most")
    piece = np.searchsorted(edges, thresholds, side="right") - 1
    n_pieces = len(edges) - 1
    splits = np.bincount(piece.clip(0, n_pieces - 1), weights, minlength=n_pieces)
    return Cuts(edges, splits.astype(np.float64))


def as_the_user_has(column: Column, values: FloatArray) -> npt.NDArray[Any]:
    """Return values of an ordered column as dates or truth values, if it holds such.

    Examples
    --------
    >>> as_the_user_has(Column("smoker", "boolean"), np.array([0.0, 1.0]))
    array([False,  True])
    """
    if column.kind == "date":
        return np.round(values).astype("datetime64[us]")
    return values.astype(bool) if column.kind == "boolean" else values


def _splits_by_level(model: FittedModel, column: int) -> Any:
    known = model.columns_[column]
    splits = np.zeros(len(known.levels))
    for test in ("is level", "in group"):
        for threshold, weight in zip(*thresholds_asked(model, column, test), strict=True):
            splits[levels_left(known, TESTS.index(test), threshold)] += weight
    share = splits / max(splits.sum(), np.finfo(float).tiny)
    return make_frame({"level": np.array(known.levels), "splits": splits, "share": share})


def thresholds_asked(model: FittedModel, column: int, test: str) -> tuple[FloatArray, FloatArray]:
    """Thresholds of all nodes that ask this of a column, and the share of the draws with each."""
    trees = model.posterior_.trees
    is_wanted = trees.nodes_asking(column, test)
    weight_of_node = np.repeat(model.posterior_.tree_weights, np.diff(trees.node_offsets))
    return trees.threshold[is_wanted], weight_of_node[is_wanted]


def weak_variables(model: FittedModel, threshold: float = 0.05) -> list[str]:
    """Name the variables that few trees ask about.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    threshold : float, default=0.05
        A variable is weak if the posterior probability that a tree asks about it is below this.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import make_xor3
    >>> X, y = make_xor3(500, random_state=0, return_X_y=True)
    >>> model = BayesianTreeClassifier(leaf_penalty=3, n_draws=200, random_state=0).fit(X, y)
    >>> model.weak_variables(0.5)
    ['column 2']
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be between 0 and 1, got {threshold!r}.")
    table = variable_use(model)
    names = zip(table["variable"], table["used"], strict=True)
    return [name for name, used in names if used < threshold]


def without_trees_using(model: FittedModel, variables: Sequence[str] | Sequence[int]) -> Any:
    """Return a model whose trees do not ask about some variables.

    The draws that ask about any of them are left out. What remains is the posterior given that
    none of these variables matters; with few draws left it is known only roughly.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method. It is not changed.
    variables : sequence of str, or of int
        Names or numbers of columns; or one of them.

    Returns
    -------
    BayesianTreeClassifier
        The remaining draws are pooled into one chain, since the chains may have unequally many.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import make_xor3
    >>> X, y = make_xor3(500, random_state=0, return_X_y=True)
    >>> model = BayesianTreeClassifier(leaf_penalty=2, n_draws=200, random_state=0).fit(X, y)
    >>> refined = model.without_trees_using([2])
    >>> float(refined.feature_importances_[2])
    0.0
    """
    check_fitted(model)
    columns = [find_column(model, variable) for variable in np.atleast_1d(variables).tolist()]
    posterior = model.posterior_
    n_splits = posterior.trees.splits_by_column(model.n_features_in_)
    is_kept = (n_splits[:, columns].sum(axis=1) == 0)[posterior.tree_index]
    if not is_kept.any():
        named = ", ".join(column_names(model)[column] for column in columns)
        raise ValueError(
            f"Every draw asks about one of {named}; name fewer variables, or fit without these "
            "columns."
        )
    refined: Any = copy(model)
    kept = replace(posterior, **posterior.take(is_kept), full_trace=None)
    spread = spread_between_chains(kept, model.training_.X, model.engine)
    refined.posterior_ = replace(kept, verdict=judge_traces(kept)._replace(spread=spread))
    refined.feature_importances_ = refined.posterior_.split_shares(model.n_features_in_)
    return refined
