"""A user's table as a matrix of numbers, with errors that name the column."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import numpy.typing as npt
from narwhals.dependencies import is_into_series
from sklearn.utils.validation import check_consistent_length, validate_data

from sweeptree.columns import LARGEST_EXACT, Column
from sweeptree.encoding import FloatArray
from sweeptree.labels import plain_labels, refuse_missing_labels
from sweeptree.learned_columns import are_named, encode_table, learn_again, learn_columns
from sweeptree.odd_text import HOW_TO_PARSE, OddTextWarning, find_odd_text
from sweeptree.partitions import require_rows_here
from sweeptree.raw_table import (
    RawTable,
    as_array,
    exceeds_floats,
    is_table_with_names,
    read_matrix_of_numbers,
    read_matrix_of_objects,
    read_named_table,
    read_names,
    without_mask,
)
from sweeptree.table_names import check_names, learn_names

MOST_CASES = 2**31 - 1
"""Rows with their weights; the engines count them in 32 bits."""

ADVICE = {
    "dates": HOW_TO_PARSE,
    "months": HOW_TO_PARSE,
    "quantities": "take the unit off, and turn the rest into numbers",
    "numbers": (
        'turn it into numbers with pandas.to_numeric(..., errors="coerce"), or read it with '
        'decimal="," or thousands="," of pandas.read_csv; codes are best of the dtype "category"'
    ),
    "names": "drop it unless it means something",
}
"""On columns of text that had better be something else."""


class TrainingTable(NamedTuple):
    """What `fit` works on."""

    X: FloatArray
    """(row, column): numbers, places of levels, NaN for what is missing."""
    y: npt.NDArray[Any]
    columns: tuple[Column, ...]
    is_borrowed: bool
    """Whether X may be the caller's own array."""


def read_training_table(
    estimator: Any, X: Any, y: Any, categorical_features: Any = "from_dtype"
) -> TrainingTable:
    """Turn the table and the labels of `fit` into arrays, and learn the columns."""
    require_rows_here("X", X)
    require_rows_here("y", y)
    given = X
    y = plain_labels(y)
    refuse_missing_labels(y)
    if is_table_with_names(X):
        y = validate_data(estimator, "no_validation", y)
        table = read_named_table(X)
    elif _holds_objects(X):
        X = _as_objects(X)
        _, y = validate_data(estimator, X, y, dtype=None, ensure_all_finite=False)
        table = read_matrix_of_objects(X)
    else:
        X, y = _validate_numbers(estimator, X, y, reset=True)
        table = read_matrix_of_numbers(X)
    matrix, columns = _learn(table, categorical_features, _declared_categories(X))
    check_consistent_length(matrix, y)
    learn_names(estimator, table)
    return TrainingTable(matrix, y, columns, matrix is given or not matrix.flags.owndata)


def learn_table(
    X: Any, categorical_features: Any = "from_dtype"
) -> tuple[FloatArray, tuple[Column, ...]]:
    """Turn a table into a matrix, and learn its columns on the way."""
    return _learn(read_raw(X), categorical_features, _declared_categories(X))


def _learn(
    table: RawTable, categorical_features: Any, declared: Collection[int]
) -> tuple[FloatArray, tuple[Column, ...]]:
    _check_not_empty(table)
    columns = learn_columns(table, categorical_features)
    matrix = encode_table(table, columns)
    _check_finite(matrix, table)
    _check_ranges(matrix, table)
    _warn_about_empty_columns(matrix, table)
    named = np.flatnonzero(are_named(categorical_features, table)).tolist()
    _warn_about_odd_text(matrix, table, columns, {*declared, *named})
    return matrix, columns


def read_rows(estimator: Any, X: Any) -> FloatArray:
    """Turn rows to predict into a matrix, with the columns that `fit` saw."""
    require_rows_here("X", X)
    if is_table_with_names(X):
        check_names(estimator, read_names(X))
        table = read_named_table(X)
    elif _holds_objects(X):
        X = _as_objects(X)
        validate_data(estimator, X, reset=False, dtype=None, ensure_all_finite=False)
        table = read_matrix_of_objects(X)
    else:
        X = _validate_numbers(estimator, X, "no_validation", reset=False)
        table = read_matrix_of_numbers(X)
    return _encode_known(table, estimator.columns_)


def encode_rows(columns: Sequence[Column], X: Any) -> FloatArray:
    """Turn rows into a matrix, with columns that are known."""
    return _encode_known(read_raw(X), columns)


def _encode_known(table: RawTable, columns: Sequence[Column]) -> FloatArray:
    _check_not_empty(table)
    if len(table.columns) != len(columns):
        raise ValueError(
            f"X has {len(table.columns)} columns; the trees were grown on {len(columns)}."
        )
    rows = encode_table(table, columns)
    _check_finite(rows, table)
    return rows


def read_raw(X: Any) -> RawTable:
    """Read the columns of a table as they are, before a model has learned them."""
    if is_table_with_names(X):
        return read_named_table(X)
    if _holds_objects(X):
        return read_matrix_of_objects(_as_objects(X))
    return read_matrix_of_numbers(_as_matrix(X))


def repeat_rows(table: TrainingTable, sample_weight: Any) -> TrainingTable:
    """Give each row as many times as it has cases; those without any might as well not be there."""
    X, y, columns, _ = table
    weights = _read_weights(sample_weight)
    if weights.shape != y.shape:
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {y.shape}: one weight for each row."
        )
    bad = np.flatnonzero(~((weights >= 0) & (weights == np.floor(weights)) & (weights < 2**31)))
    if len(bad):
        raise ValueError(
            f"sample_weight is {weights[bad[0]]:g} in row {bad[0]}; it must be a whole number, how "
            "many cases the row stands for: the likelihood counts cases, and no others make sense."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; at least one must count.")
    if weights.sum() > MOST_CASES:
        raise ValueError(
            f"sample_weight adds up to {weights.sum():,.0f} cases, more than the {MOST_CASES:,} "
            "that can be counted; divide it."
        )
    n_times = weights.astype(np.int64)
    X = np.repeat(X, n_times, axis=0)
    columns = tuple(learn_again(column, X[:, i]) for i, column in enumerate(columns))
    return TrainingTable(X, np.repeat(y, n_times), columns, is_borrowed=False)


def _read_weights(sample_weight: Any) -> FloatArray:
    try:
        return np.asarray(without_mask(sample_weight), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "sample_weight must be numbers, one for each row: how many cases it stands for."
        ) from error


# Checks


def _holds_objects(X: Any) -> bool:
    """Whether something without names holds other things than numbers that floats can hold."""
    if hasattr(X, "toarray"):  # sparse
        return False
    try:
        array = as_array(X)
    except ValueError:  # ragged
        return False
    if array.ndim != 2:
        return False
    if array.dtype.kind == "O":
        return not all(map(_is_held_by_a_float, array.ravel().tolist()))
    return array.dtype.kind in "USMm" or (array.dtype.kind in "iu" and exceeds_floats(array))


def _is_held_by_a_float(value: Any) -> bool:
    if isinstance(value, np.timedelta64):
        return False
    if isinstance(value, int | np.integer):
        return bool(-LARGEST_EXACT <= value <= LARGEST_EXACT)
    return isinstance(value, float | np.number)


def _as_objects(X: Any) -> npt.NDArray[np.object_]:
    array = as_array(X)
    if array.dtype.kind in "mM":  # of nanoseconds NumPy would make numbers
        array = array.astype(f"{array.dtype.kind}8[us]")
    return array.astype(object)


def _validate_numbers(estimator: Any, X: Any, y: Any, *, reset: bool) -> Any:
    """Read a matrix of numbers, without a copy where it is as wanted."""
    return validate_data(
        estimator,
        _as_matrix(X),
        y,
        reset=reset,
        dtype=np.float64,
        order="C",
        ensure_all_finite=False,
    )


def _as_matrix(X: Any) -> Any:
    """Refuse what scikit-learn would try to turn into numbers, only to fail without a word."""
    if hasattr(X, "toarray"):  # sparse, and refused as such
        return X
    try:
        array = np.asarray(without_mask(X))
    except ValueError as error:
        raise ValueError(
            "The rows of X are not of the same length; give every row a value for each column."
        ) from error
    if is_into_series(X) or array.dtype.names or (array.dtype.kind in "OUS" and array.ndim != 2):
        raise ValueError(
            f"Expected 2D array, a table with rows and columns, and X is {_what_to_do_with(X)}."
        )
    return array


def _what_to_do_with(X: Any) -> str:
    """Say what something is that is no table, and how it becomes one."""
    if isinstance(X, str | PathLike):
        return f"{X!r:.60}; if that names a file, read the file first"
    if is_into_series(X):
        return (
            f"a {type(X).__name__}; give a row of a frame as df.iloc[[0]], and a column of it as "
            'df[["name"]]'
        )
    if isinstance(X, np.ndarray) and X.dtype.names:
        return "a structured array; give pandas.DataFrame(X)"
    if isinstance(X, list | tuple) and X and isinstance(X[0], Mapping):
        return f"a {type(X).__name__} of mappings; give pandas.DataFrame(X)"
    return f"{X!r:.60}; give a frame, an array with two dimensions, or a mapping of columns"


def _check_not_empty(table: RawTable) -> None:
    if not table.columns:
        raise ValueError("The table has 0 feature(s): at least one column is required.")
    if len(table.columns[0].values) == 0:
        raise ValueError("The table has 0 sample(s): at least one row is required.")


def _check_finite(X: FloatArray, table: RawTable) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(X.sum()):
            return
    bad = np.argwhere(np.isinf(X))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"X contains infinity in {table.describe(column)} (first in row {row}); replace it, "
            "or leave the value out: missing values are allowed."
        )


def _check_ranges(X: FloatArray, table: RawTable) -> None:
    with np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns without any value
        too_wide = np.flatnonzero(np.isinf(np.nanmax(X, axis=0) - np.nanmin(X, axis=0)))
    if len(too_wide):
        raise ValueError(
            f"The values of {table.describe(too_wide[0])} span more than the largest number that "
            "a float can hold; rescale it."
        )


def _warn_about_empty_columns(X: FloatArray, table: RawTable) -> None:
    empty = np.flatnonzero(np.isnan(X).all(axis=0))
    if len(empty):
        names = ", ".join(table.describe(column) for column in empty[:5])
        more = f" and {len(empty) - 5} more" if len(empty) > 5 else ""
        warnings.warn(f"No row has a value in {names}{more}; left out.", stacklevel=5)


def _declared_categories(X: Any) -> set[int]:
    """Places of the columns that are categories by their type, whatever their levels look like."""
    if not is_table_with_names(X):
        return set()
    if isinstance(X, Mapping):
        dtypes = [str(getattr(column, "dtype", "")) for column in X.values()]
        return {place for place, dtype in enumerate(dtypes) if dtype == "category"}
    schema = nw.from_native(X, eager_only=True).schema
    kinds = (nw.Categorical, nw.Enum)
    return {place for place, dtype in enumerate(schema.values()) if dtype in kinds}


def _warn_about_odd_text(
    X: FloatArray, table: RawTable, columns: Sequence[Column], declared: Collection[int]
) -> None:
    for place, column in enumerate(columns):
        texts = [level for level in column.levels if isinstance(level, str)]
        odd = find_odd_text(texts, int((~np.isnan(X[:, place])).sum())) if texts else None
        if odd and not (odd.kind == "numbers" and place in declared):
            message = f"C{table.describe(place)[1:]} {odd.in_words}; {ADVICE[odd.kind]}."
            warnings.warn(message, OddTextWarning, stacklevel=5)
