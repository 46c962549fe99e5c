"""Reading a user's table, with errors that name the column."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import validate_data

from sweeptree.encoding import FloatArray


def read_training_table(estimator: Any, X: Any, y: Any) -> tuple[FloatArray, npt.NDArray[Any]]:
    """Turn the table and the labels of `fit` into arrays, and learn the columns' names."""
    X, y = _validate(estimator, X, y, reset=True)
    _check_finite(estimator, X)
    _check_ranges(estimator, X)
    return X, y


def read_rows(estimator: Any, X: Any) -> FloatArray:
    """Turn rows to predict into an array, with the columns that `fit` saw."""
    rows: FloatArray = _validate(estimator, X, "no_validation", reset=False)
    _check_finite(estimator, rows)
    return rows


def column_name(estimator: Any, column: int) -> str:
    """Return a column in words: its name if the table has names, else its number."""
    names = getattr(estimator, "feature_names_in_", None)
    return f"column {column}" if names is None else f"column {str(names[column])!r}"


def _validate(estimator: Any, X: Any, y: Any, *, reset: bool) -> Any:
    try:
        return validate_data(
            estimator, X, y, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False
        )
    except (ValueError, TypeError) as error:
        message = _describe_text_or_dates(X)
        if message is None:
            raise
        raise ValueError(message) from error


def _check_finite(estimator: Any, X: FloatArray) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(X.sum()):
            return
    bad = np.argwhere(~np.isfinite(X))
    if len(bad) == 0:
        return
    row, column = bad[0]
    what = "NaN" if np.isnan(X[row, column]) else "infinity"
    raise ValueError(
        f"X contains {what} in {column_name(estimator, column)} (first in row {row}); "
        "fill or drop such rows."
    )


def _check_ranges(estimator: Any, X: FloatArray) -> None:
    with np.errstate(over="ignore"):
        too_wide = np.flatnonzero(~np.isfinite(np.ptp(X, axis=0)))
    if len(too_wide):
        raise ValueError(
            f"The values of {column_name(estimator, too_wide[0])} span more than the largest "
            "number that a float can hold; rescale it."
        )


def _describe_text_or_dates(X: Any) -> str | None:
    """Say which column holds text or dates, if one does."""
    for name, column in _columns_of_objects(X):
        for row, value in enumerate(column):
            if _is_text_or_date(value):
                return (
                    f"X has text or dates in column {name!r}: {value!r} (first in row {row}). "
                    "Encode such columns as numbers first."
                )
    return None


def _columns_of_objects(X: Any) -> Iterator[tuple[Any, npt.NDArray[np.object_]]]:
    if hasattr(X, "columns") and hasattr(X, "__getitem__"):
        columns = [(name, np.asarray(X[name])) for name in X.columns]
    else:
        table = np.asarray(X)
        columns = list(enumerate(table.T)) if table.ndim == 2 else []
    for name, column in columns:
        if column.dtype.kind not in "biufc":
            yield name, column.astype(object)


def _is_text_or_date(value: Any) -> bool:
    if not isinstance(value, str | bytes):
        return isinstance(value, date | timedelta | np.datetime64 | np.timedelta64)
    try:
        float(value)
    except ValueError:
        return True
    return False
