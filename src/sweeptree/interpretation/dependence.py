"""How predictions depend on one variable, with credible bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.columns import Column
from sweeptree.encoding import FloatArray
from sweeptree.fitted import (
    FittedModel,
    check_share,
    column_names,
    find_column,
    find_column_with_values,
    rows_of,
)
from sweeptree.frames import make_frame
from sweeptree.interpretation.variables import as_the_user_has
from sweeptree.leaf_draws import DrawnLeaves
from sweeptree.prediction import forest_of, mean_probabilities
from sweeptree.raw_table import microseconds
from sweeptree.spacing import evenly_spaced
from sweeptree.uncertainty.intervals import probability_quantiles, tails_of

N_GRID = 30
MOST_ROWS = 200

IN_A_GRID: dict[str, str] = {
    "number": "finite numbers",
    "boolean": "True and False",
    "date": "dates, such as '2024-01-31'",
}


@dataclass(frozen=True)
class DependenceCurve:
    """How the probability of each class depends on one variable."""

    variable: str
    grid: npt.NDArray[Any]
    """Values of the variable, as the user has them: numbers, truth values, dates, or levels of a
    category."""
    values: FloatArray
    """As the model counts them: truth values as 0 and 1, dates in microseconds since 1970, levels
    by their place."""
    classes: npt.NDArray[Any]
    """Class labels, in the order of the last axis of what follows."""
    mean: FloatArray
    """(value, class), or (row, value, class) for individual curves: posterior mean."""
    lower: FloatArray
    upper: FloatArray
    """Ends of the credible band, at each value apart."""

    def to_frame(self) -> Any:
        """Return a table with one line for each value and class, and row if there are several.

        Columns `row` (of individual curves), the variable's own, `class`, `mean`, `lower` and
        `upper`.
        """
        places = np.indices(self.mean.shape).reshape(self.mean.ndim, -1)
        columns: dict[str, Any] = {"row": places[0]} if self.mean.ndim == 3 else {}
        columns[self.variable] = self.grid[places[-2]]
        columns["class"] = self.classes[places[-1]]
        for name in ("mean", "lower", "upper"):
            columns[name] = getattr(self, name).ravel()
        return make_frame(columns)


def partial_dependence(
    model: FittedModel,
    X: Any,
    variable: str | int,
    grid: Sequence[Any] | None = None,
    level: float = 0.95,
    random_state: int = 0,
) -> DependenceCurve:
    """Show how the mean prediction depends on one variable, with a credible band.

    Every row is given each value of the grid in turn, whatever its other values, and the
    predictions are averaged over the rows: by each draw, so that the band shows what the
    posterior leaves open. The class probabilities of each leaf are drawn from their Dirichlet.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : array-like of shape (n_rows, n_columns)
        Rows to average over; of more than 200, 200 evenly spaced ones are taken.
    variable : str or int
        Name or number of a column.
    grid : sequence of float, of bool, of dates, or of levels, default=None
        Values to give it; None: its training values, or 30 quantiles of them if there are more;
        of a category all levels.
    level : float, default=0.95
        Of the band, at each value apart.
    random_state : int, default=0
        Seed of the draws inside leaves.

    Returns
    -------
    DependenceCurve
        `mean`, `lower` and `upper` have the shape (n_values, n_classes).

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X, y)
    >>> curve = model.partial_dependence(X, 1)
    >>> bool(curve.mean[-1, 1] > curve.mean[0, 1])
    True
    """
    found, rows = _read(model, X, variable, grid, level)
    return _mean_curve(model, rows, found, level, random_state)


def dependence_in_training(model: FittedModel, variable: str | int) -> DependenceCurve:
    """Show how the mean prediction of the training rows depends on one variable."""
    column = find_column(model, variable)
    return _mean_curve(model, model.training_.X, _default_grid(model, column), 0.95, 0)


def _mean_curve(
    model: FittedModel, rows: FloatArray, grid: _Grid, level: float, random_state: int
) -> DependenceCurve:
    column, values, shown = grid
    rows = rows[evenly_spaced(len(rows), MOST_ROWS)]
    posterior = model.posterior_
    drawn = DrawnLeaves(posterior, np.random.default_rng(random_state))
    forest = forest_of(posterior.trees, model.engine)
    n_leaves = len(posterior.trees.leaf_counts)
    tables = [_with_value(rows, column, value) for value in values]
    mean = mean_probabilities(posterior, np.concatenate(tables), model.engine)
    lower, upper = [], []
    for table in tables:
        share = np.bincount(forest.apply(table).ravel(), minlength=n_leaves) / len(rows)
        low, high = np.quantile(drawn.means(share), tails_of(level), axis=0)
        lower.append(low)
        upper.append(high)
    return DependenceCurve(
        variable=column_names(model)[column],
        grid=shown,
        values=values,
        classes=model.classes_,
        mean=mean.reshape(len(values), len(rows), -1).mean(axis=1),
        lower=np.array(lower),
        upper=np.array(upper),
    )


def individual_curves(
    model: FittedModel,
    X: Any,
    variable: str | int,
    grid: Sequence[Any] | None = None,
    level: float = 0.95,
) -> DependenceCurve:
    """Show how the prediction of each row depends on one variable, with credible bands.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : array-like of shape (n_rows, n_columns)
    variable : str or int
        Name or number of a column.
    grid : sequence of float, of bool, of dates, or of levels, default=None
        Values to give it; None: its training values, or 30 quantiles of them if there are more;
        of a category all levels.
    level : float, default=0.95
        Of the bands, at each value apart; the same as those of `predict_interval`.

    Returns
    -------
    DependenceCurve
        `mean`, `lower` and `upper` have the shape (n_rows, n_values, n_classes).

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X, y)
    >>> model.individual_curves(X[:2], 1, grid=[1, 5, 10]).mean.shape
    (2, 3, 2)
    """
    (column, values, shown), rows = _read(model, X, variable, grid, level)
    repeated = np.repeat(rows, len(values), axis=0)
    repeated[:, column] = np.tile(values, len(rows))
    shape = (len(rows), len(values), len(model.classes_))
    ends = probability_quantiles(model.posterior_, repeated, model.engine, tails_of(level))
    return DependenceCurve(
        variable=column_names(model)[column],
        grid=shown,
        values=values,
        classes=model.classes_,
        mean=mean_probabilities(model.posterior_, repeated, model.engine).reshape(shape),
        lower=ends[..., 0].reshape(shape),
        upper=ends[..., 1].reshape(shape),
    )


class _Grid(NamedTuple):
    """Values to give a column."""

    column: int
    values: FloatArray
    """As they are in the encoded table."""
    shown: npt.NDArray[Any]
    """As they are in the user's."""


def _read(
    model: FittedModel, X: Any, variable: str | int, grid: Sequence[Any] | None, level: float
) -> tuple[_Grid, FloatArray]:
    check_share("level", level)
    rows = rows_of(model, X)
    if grid is None:
        return _default_grid(model, find_column_with_values(model, variable)), rows
    column = find_column(model, variable)
    known = model.columns_[column]
    if known.is_category:
        return _grid_of_levels(column, known, grid), rows
    return _grid_of_values(column, known, _read_values(known, grid)), rows


def _default_grid(model: FittedModel, column: int) -> _Grid:
    known = model.columns_[column]
    if known.is_category:
        return _grid_of_levels(column, known, known.levels)
    return _grid_of_values(column, known, _values_to_show(model.training_.X[:, column]))


def _grid_of_values(column: int, known: Column, values: FloatArray) -> _Grid:
    return _Grid(column, values, as_the_user_has(known, values))


def _date(value: Any) -> np.datetime64:
    if isinstance(value, int | np.integer):
        raise TypeError("a number is no date")
    return np.datetime64(value, "us")


def _read_values(known: Column, grid: Sequence[Any]) -> FloatArray:
    """Read numbers, truth values, or dates as microseconds since 1970; all must be there."""
    try:
        if known.kind == "date":
            values = microseconds(np.array([_date(each) for each in grid]))
        else:
            values = np.asarray(grid, dtype=float)
    except (TypeError, ValueError):
        values = np.empty(0)
    can_be = np.isin(values, (0, 1)) if known.kind == "boolean" else np.isfinite(values)
    if values.ndim != 1 or not can_be.all() or len(values) == 0:
        what = IN_A_GRID[known.kind]
        raise ValueError(f"grid must be a sequence of {what}, for {known.name!r} holds such.")
    return values


def _grid_of_levels(column: int, known: Column, grid: Sequence[Any]) -> _Grid:
    levels = list(grid)
    for level in levels:
        if level not in known.levels:
            raise ValueError(
                f"grid has {level!r}, which is no level of {known.name!r}; these are "
                f"{', '.join(map(str, known.levels))}."
            )
    places = np.array([known.levels.index(level) for level in levels], dtype=float)
    return _Grid(column, places, np.array(levels))


def _values_to_show(training_values: FloatArray) -> FloatArray:
    present = training_values[~np.isnan(training_values)]
    distinct = np.unique(present)
    if len(distinct) <= N_GRID:
        return distinct
    return np.unique(np.quantile(present, np.linspace(0, 1, N_GRID)))


def _with_value(rows: FloatArray, column: int, value: float) -> FloatArray:
    changed = rows.copy()
    changed[:, column] = value
    return changed
