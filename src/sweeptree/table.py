"""Reading a user's table, with errors that name the column."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from sweeptree.encoding import FloatArray


def read_table(estimator: Any, X: Any, y: Any = None) -> Any:
    """Turn X (and y, when fitting) into finite arrays.

    Returns X alone if no y is given.
    """
    is_fitting = y is not None
    try:
        checked = validate_data(
            estimator,
            X,
            y if is_fitting else "no_validation",
            reset=is_fitting,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
        )
    except (ValueError, TypeError) as error:
        message = _name_text_column(X)
        if message is None:
            raise
        raise type(error)(message) from error
    X = checked[0] if is_fitting else checked
    _check_finite(estimator, X)
    _check_ranges(estimator, X)
    return checked


def column_name(estimator: Any, column: int) -> str:
    """Return a column in words: its name if the table has names, else its number."""
    names = getattr(estimator, "feature_names_in_", None)
    return f"column {column}" if names is None else f"column {str(names[column])!r}"


def _check_finite(estimator: Any, X: FloatArray) -> None:
    if np.isfinite(X.sum()) or np.isfinite(X).all():
        return
    row, column = np.argwhere(~np.isfinite(X))[0]
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


def _name_text_column(X: Any) -> str | None:
    """Say which column holds something that is not a number, if one does."""
    for name, column in _columns(X):
        for row, value in enumerate(column):
            if _is_text(value):
                return (
                    f"X has text in column {name!r}: {value!r} (first in row {row}). "
                    "Encode text columns as numbers first."
                )
    return None


def _columns(X: Any) -> list[tuple[Any, Any]]:
    if hasattr(X, "columns") and hasattr(X, "__getitem__"):
        return [(name, np.asarray(X[name], dtype=object)) for name in X.columns]
    array = np.asarray(X, dtype=object)
    return list(enumerate(array.T)) if array.ndim == 2 else []


def _is_text(value: Any) -> bool:
    if not isinstance(value, str | bytes):
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False
