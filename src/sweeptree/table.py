"""A user's table as a matrix of numbers, with errors that name the column."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length, validate_data

from sweeptree.columns import IN_WORDS, UNSEEN, Column, Level, show_date
from sweeptree.encoding import FloatArray
from sweeptree.partitions import refuse_collection
from sweeptree.raw_table import (
    RawColumn,
    RawTable,
    is_table_with_names,
    read_matrix_of_objects,
    read_named_table,
    read_names,
)


class TrainingTable(NamedTuple):
    """What `fit` works on."""

    X: FloatArray
    """(row, column): numbers, places of levels, NaN for what is missing."""
    y: npt.NDArray[Any]
    columns: tuple[Column, ...]


def read_training_table(
    estimator: Any, X: Any, y: Any, categorical_features: Any = "from_dtype"
) -> TrainingTable:
    """Turn the table and the labels of `fit` into arrays, and learn the columns."""
    refuse_collection("X", X)
    refuse_collection("y", y)
    _refuse_missing_labels(y)
    if is_table_with_names(X):
        y = validate_data(estimator, "no_validation", y)
    elif _holds_objects(X):
        X = np.asarray(X, dtype=object)
        _, y = validate_data(estimator, X, y, dtype=None, ensure_all_finite=False)
    else:
        X, y = _validate_numbers(estimator, X, y, reset=True)
    matrix, columns = learn_table(X, categorical_features)
    check_consistent_length(matrix, y)
    _learn_names(estimator, X, len(columns))
    return TrainingTable(matrix, y, columns)


def learn_table(
    X: Any, categorical_features: Any = "from_dtype"
) -> tuple[FloatArray, tuple[Column, ...]]:
    """Turn a table into a matrix, and learn its columns on the way."""
    table = read_raw(X)
    _check_not_empty(table)
    is_category = _resolve_categories(categorical_features, table)
    columns = tuple(_learn_column(table, i, is_category[i]) for i in range(len(table.columns)))
    matrix = _encode(table, columns)
    _check_finite(matrix, table)
    _check_ranges(matrix, table)
    _warn_about_empty_columns(matrix, table)
    return matrix, columns


def read_rows(estimator: Any, X: Any) -> FloatArray:
    """Turn rows to predict into a matrix, with the columns that `fit` saw."""
    refuse_collection("X", X)
    if is_table_with_names(X):
        check_names(estimator, read_names(X))
    elif _holds_objects(X):
        X = np.asarray(X, dtype=object)
        validate_data(estimator, X, reset=False, dtype=None, ensure_all_finite=False)
    else:
        X = _validate_numbers(estimator, X, "no_validation", reset=False)
    return encode_rows(estimator.columns_, X)


def encode_rows(columns: Sequence[Column], X: Any) -> FloatArray:
    """Turn rows into a matrix, with columns that are known."""
    table = read_raw(X)
    _check_not_empty(table)
    if len(table.columns) != len(columns):
        raise ValueError(
            f"X has {len(table.columns)} columns; the trees were grown on {len(columns)}."
        )
    rows = _encode(table, columns)
    _check_finite(rows, table)
    return rows


def read_raw(X: Any) -> RawTable:
    """Read the columns of a table as they are, before a model has learned them."""
    if is_table_with_names(X):
        return read_named_table(X)
    if _holds_objects(X):
        return read_matrix_of_objects(np.asarray(X, dtype=object))
    matrix = np.asarray(X, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"X has the shape {matrix.shape}; a table has rows and columns.")
    return RawTable(None, [RawColumn("number", column) for column in matrix.T])


def repeat_rows(table: TrainingTable, sample_weight: Any) -> TrainingTable:
    """Give each row as many times as it has cases; those without any might as well not be there."""
    X, y, columns = table
    weights = np.asarray(sample_weight, dtype=np.float64)
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
    n_times = weights.astype(np.int64)
    X = np.repeat(X, n_times, axis=0)
    columns = tuple(_learn_again(column, X[:, i]) for i, column in enumerate(columns))
    return TrainingTable(X, np.repeat(y, n_times), columns)


def _learn_again(column: Column, values: FloatArray) -> Column:
    """Learn a column from fewer rows; places of levels are brought up to date in place."""
    is_missing = np.isnan(values)
    used, place = np.unique(values[~is_missing], return_inverse=True)
    levels = column.levels
    if column.is_category:
        values[~is_missing] = place
        levels = tuple(levels[int(level)] for level in used)
    return replace(column, levels=levels, has_missing=bool(is_missing.any()))


# Names


def _learn_names(estimator: Any, X: Any, n_columns: int) -> None:
    estimator.n_features_in_ = n_columns
    names = read_names(X) if is_table_with_names(X) else None
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def check_names(estimator: Any, names: list[str] | None) -> None:
    """Hold the names of the columns of rows to predict against those that `fit` saw."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and names is not None:
        _compare_names([str(name) for name in known], names)
    elif known is None and names is not None:
        _warn_about_names("X has feature names, but", estimator, "without feature names")
    elif known is not None:
        _warn_about_names(
            "X does not have valid feature names, but", estimator, "with feature names"
        )


def _warn_about_names(what: str, estimator: Any, how: str) -> None:
    warnings.warn(f"{what} {type(estimator).__name__} was fitted {how}", stacklevel=5)


def _compare_names(known: list[str], given: list[str]) -> None:
    if known == given:
        return
    unseen = sorted(set(given) - set(known))
    gone = sorted(set(known) - set(given))
    message = "The feature names should match those that were passed during fit.\n"
    advice = []
    if unseen:
        message += f"Feature names unseen at fit time:\n{_listed(unseen)}"
        advice.append("drop the columns that are new")
    if gone:
        message += f"Feature names seen at fit time, yet now missing:\n{_listed(gone)}"
        nearest = get_close_matches(gone[0], unseen, n=1, cutoff=0.6)
        hint = f" (is {nearest[0]!r} meant for {gone[0]!r}?)" if nearest else ""
        advice.append(f"give the columns that are missing{hint}")
    if not unseen and not gone:
        message += "Feature names must be in the same order as they were in fit.\n"
        advice.append("use X[list(model.feature_names_in_)]")
    sentence = " and ".join(advice)
    raise ValueError(f"{message}{sentence[0].upper()}{sentence[1:]}.")


def _listed(names: list[str], most: int = 5) -> str:
    lines = [f"- {name}\n" for name in names[:most]]
    return "".join([*lines, "- ...\n"] if len(names) > most else lines)


# Columns


def _resolve_categories(categorical_features: Any, table: RawTable) -> npt.NDArray[np.bool_]:
    """Whether each column is a category: text always is, columns of numbers if they are named."""
    is_category = np.array([column.kind == "category" for column in table.columns])
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        return is_category
    chosen = np.asarray(categorical_features)
    if chosen.dtype == bool:
        if chosen.shape != is_category.shape:
            raise ValueError(
                f"categorical_features is a mask of {chosen.size} values, and X has "
                f"{len(is_category)} columns; give one for each."
            )
        is_category |= chosen
        return is_category
    for which in chosen.ravel().tolist():
        is_category[_place_of(which, table)] = True
    return is_category


def _place_of(which: Any, table: RawTable) -> int:
    n_columns = len(table.columns)
    if isinstance(which, int) and -n_columns <= which < n_columns:
        return which
    if isinstance(which, str) and table.names is not None:
        if which in table.names:
            return table.names.index(which)
        nearest = get_close_matches(which, table.names, n=1, cutoff=0.0)[0]
        raise ValueError(
            f"categorical_features names a column {which!r} that X does not have; did you mean "
            f"{nearest!r}?"
        )
    raise ValueError(
        f"categorical_features names {which!r}, which is neither the name of a column nor a "
        f"number from 0 to {n_columns - 1}."
    )


def _learn_column(table: RawTable, place: int, is_category: bool) -> Column:
    kind, values = table.columns[place]
    name = f"column {place}" if table.names is None else table.names[place]
    is_missing = _is_missing(table.columns[place])
    if not is_category:
        return Column(name, kind, has_missing=bool(is_missing.any()))
    levels = _levels_of(values[~is_missing])
    return Column(name, "category", levels, has_missing=bool(is_missing.any()))


def _is_missing(column: RawColumn) -> npt.NDArray[np.bool_]:
    if column.kind == "category":
        return np.array([value is None for value in column.values.tolist()], dtype=bool)
    is_missing: npt.NDArray[np.bool_] = np.isnan(column.values)
    return is_missing


def _levels_of(values: npt.NDArray[Any]) -> tuple[Level, ...]:
    """Distinct values, sorted; whole numbers as such."""
    distinct = {value.item() if isinstance(value, np.generic) else value for value in values}
    whole = [int(v) if isinstance(v, float) and v.is_integer() else v for v in distinct]
    return tuple(sorted(whole, key=lambda v: (isinstance(v, str), v)))


def _encode(table: RawTable, columns: Sequence[Column]) -> FloatArray:
    """Turn every column into numbers."""
    encoded = np.empty((len(table.columns[0].values), len(columns)))
    for place, (raw, column) in enumerate(zip(table.columns, columns, strict=True)):
        _check_kind(raw, column, table.describe(place))
        encode = _places_of_levels if column.is_category else _numbers
        encoded[:, place] = encode(raw, column)
    return encoded


def _numbers(raw: RawColumn, column: Column) -> FloatArray:
    values: FloatArray = np.full(len(raw.values), np.nan) if _is_empty(raw) else raw.values
    return values


def _places_of_levels(raw: RawColumn, column: Column) -> FloatArray:
    place_of = {level: float(place) for place, level in enumerate(column.levels)}
    places = np.array([place_of.get(value, UNSEEN) for value in raw.values.tolist()])
    places[_is_missing(raw)] = np.nan
    return places


def _is_empty(raw: RawColumn) -> bool:
    return bool(_is_missing(raw).all())


def _check_kind(raw: RawColumn, column: Column, where: str) -> None:
    """Refuse a column that holds something else than it did in `fit`."""
    expected = column.kind
    if column.is_category and not any(isinstance(level, str) for level in column.levels):
        expected = "number"  # codes that count as levels
        if raw.kind == "category" and not any(isinstance(v, str) for v in raw.values):
            return
    alike = {"number", "boolean"}
    if raw.kind == expected or {raw.kind, expected} <= alike or _is_empty(raw):
        return
    row = int(np.flatnonzero(~_is_missing(raw))[0])
    raise ValueError(
        f"{where[0].upper()}{where[1:]} held {IN_WORDS[column.kind]} in fit and holds "
        f"{IN_WORDS[raw.kind]} now: {_shown(raw, row)} in row {row}; convert it."
    )


def _shown(raw: RawColumn, row: int) -> str:
    value = raw.values[row]
    if raw.kind == "date":
        return show_date(value)
    return repr(value) if raw.kind == "category" else f"{value:g}"


# Checks


def _holds_objects(X: Any) -> bool:
    """Whether something without names holds other things than numbers."""
    if hasattr(X, "toarray"):  # sparse
        return False
    try:
        array = np.asarray(X)
    except ValueError:  # ragged
        return False
    if array.ndim != 2 or array.dtype.kind not in "OUSMm":
        return False
    return array.dtype.kind != "O" or not _are_numbers(array)


def _are_numbers(array: npt.NDArray[Any]) -> bool:
    return all(isinstance(v, int | float | np.number) for v in array.ravel().tolist())


def _validate_numbers(estimator: Any, X: Any, y: Any, *, reset: bool) -> Any:
    return validate_data(
        estimator, X, y, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False
    )


def _refuse_missing_labels(y: Any) -> None:
    labels = np.asarray(y)
    if labels.ndim == 1 and labels.dtype.kind == "O":
        is_missing = [label is None or label != label for label in labels.tolist()]
        if any(is_missing):
            raise ValueError(
                f"Input y contains NaN: the label of row {is_missing.index(True)} is missing; "
                "drop the rows without a label."
            )


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
