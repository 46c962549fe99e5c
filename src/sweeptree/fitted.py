"""A fitted model as those see it that explain it: names of columns, rows, checks of arguments."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from sweeptree.columns import Column
from sweeptree.encoding import FloatArray
from sweeptree.labels import place_in_classes
from sweeptree.names import hint_at_names, listed
from sweeptree.posterior import Posterior
from sweeptree.table import read_rows


class TrainingRows(NamedTuple):
    """The rows that a model was fitted on."""

    X: FloatArray
    """(row, column): numbers, places of levels, NaN for what is missing."""
    labels: npt.NDArray[np.int32]
    """Place of each row's class in `classes_`."""


class FittedModel(Protocol):
    """What is needed of a fitted BayesianTreeClassifier."""

    engine: str
    n_jobs: int | None
    progress: bool | str
    posterior_: Posterior
    training_: TrainingRows
    columns_: tuple[Column, ...]
    classes_: npt.NDArray[Any]
    n_features_in_: int

    def predict_proba(self, X: Any) -> FloatArray:
        """Predict class probabilities."""


def check_fitted(model: FittedModel) -> None:
    """Raise NotFittedError unless the model has been fitted."""
    check_is_fitted(model, "posterior_")


def rows_of(model: FittedModel, X: Any) -> FloatArray:
    """Read rows for a fitted model."""
    check_fitted(model)
    return read_rows(model, X)


def column_names(model: FittedModel) -> list[str]:
    """Names of the columns, or "column 0" and so on if the table had none."""
    return [column.name for column in model.columns_]


def find_column(model: FittedModel, variable: Any) -> int:
    """Return the number of a column given by its name or its number."""
    names = column_names(model)
    if isinstance(variable, int | np.integer):
        if 0 <= variable < len(names):
            return int(variable)
        raise ValueError(
            f"There is no column {variable}; the columns are numbered from 0 to {len(names) - 1}."
        )
    if not isinstance(variable, str):
        raise ValueError(
            f"A column is given by its name or its number, not by a {type(variable).__name__}; "
            f"there are {listed(names)}."
        )
    if variable in names:
        return names.index(variable)
    raise ValueError(f"There is no column {variable!r}; {hint_at_names(variable, names)}")


def find_column_with_values(model: FittedModel, variable: Any) -> int:
    """Return the number of a column that has something to show."""
    check_fitted(model)
    column = find_column(model, variable)
    if not _has_values(model, column):
        name = model.columns_[column].name
        raise ValueError(f"No training row has a value in column {name!r}; choose another.")
    return column


def _has_values(model: FittedModel, column: int) -> bool:
    if model.columns_[column].is_category:
        return len(model.columns_[column].levels) > 0
    return not np.isnan(model.training_.X[:, column]).all()


def check_share(name: str, value: Any) -> float:
    """Return an option that must lie between 0 and 1, both excluded."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, got {value!r}.")
    return float(value)


def check_count(name: str, value: Any) -> int:
    """Return an option that must be a whole number, 0 or more."""
    if not isinstance(value, Integral) or value < 0:
        raise ValueError(f"{name} must be a whole number, at least 0, got {value!r}.")
    return int(value)


def check_option(name: str, value: str, options: tuple[str, ...]) -> None:
    """Raise ValueError unless the option is one of those there are."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}.")


def check_labels(model: FittedModel, y: Any, n_rows: int) -> npt.NDArray[np.intp]:
    """Return the place of each label in `classes_`."""
    y = np.asarray(y).ravel()
    if len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(y)} labels.")
    return place_in_classes(y, model.classes_)
