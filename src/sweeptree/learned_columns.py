"""Columns learned from a table, and tables turned into numbers by them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.columns import IN_WORDS, LARGEST_EXACT, UNSEEN, Column, Level, show_date
from sweeptree.encoding import FloatArray
from sweeptree.names import hint_at_names
from sweeptree.odd_text import HOW_TO_PARSE
from sweeptree.raw_table import RawColumn, RawTable

NUMBERS = {"number", "boolean"}
"""Kinds of columns that may stand for each other."""


def learn_columns(table: RawTable, categorical_features: Any) -> tuple[Column, ...]:
    """Learn what each column holds.

    Parameters
    ----------
    table : RawTable
    categorical_features : "from_dtype", or names, numbers or a mask of columns
        Of columns of numbers, those that are codes without an order.
    """
    is_category = _resolve_categories(categorical_features, table)
    _refuse_dates(is_category, table)
    return tuple(_learn_column(table, i, is_category[i]) for i in range(len(table.columns)))


def learn_again(column: Column, values: FloatArray) -> Column:
    """Learn a column from fewer rows; places of levels are brought up to date in place."""
    is_missing = np.isnan(values)
    used, place = np.unique(values[~is_missing], return_inverse=True)
    levels = column.levels
    if column.is_category:
        values[~is_missing] = place
        levels = tuple(levels[int(level)] for level in used)
    return replace(column, levels=levels, has_missing=bool(is_missing.any()))


def _resolve_categories(categorical_features: Any, table: RawTable) -> npt.NDArray[np.bool_]:
    """Whether each column is a category: text always is, columns of numbers if they are named."""
    is_text = np.array([column.kind == "category" for column in table.columns])
    is_category: npt.NDArray[np.bool_] = is_text | are_named(categorical_features, table)
    return is_category


def are_named(categorical_features: Any, table: RawTable) -> npt.NDArray[np.bool_]:
    """Whether each column is among those that are named as categories."""
    named = np.zeros(len(table.columns), dtype=bool)
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        return named
    chosen = np.asarray(categorical_features)
    if chosen.dtype == bool:
        if chosen.shape != named.shape:
            raise ValueError(
                f"categorical_features is a mask of {chosen.size} values, and X has "
                f"{len(named)} columns; give one for each."
            )
        return chosen
    for which in chosen.ravel().tolist():
        named[_place_of(which, table)] = True
    return named


def _refuse_dates(is_category: npt.NDArray[np.bool_], table: RawTable) -> None:
    for place in np.flatnonzero(is_category).tolist():
        if table.columns[place].kind == "date":
            raise ValueError(
                f"categorical_features names {table.describe(place)}, which holds dates; turn them "
                "into text to have them as levels."
            )


def _place_of(which: Any, table: RawTable) -> int:
    n_columns = len(table.columns)
    if isinstance(which, int) and -n_columns <= which < n_columns:
        return which
    if isinstance(which, str) and table.names is not None:
        if which in table.names:
            return table.names.index(which)
        raise ValueError(
            f"categorical_features names a column {which!r} that X does not have; "
            f"{hint_at_names(which, table.names)}"
        )
    raise ValueError(
        f"categorical_features names {which!r}, which is neither the name of a column nor a "
        f"number from 0 to {n_columns - 1}."
    )


def _learn_column(table: RawTable, place: int, is_category: bool) -> Column:
    raw = table.columns[place]
    name = f"column {place}" if table.names is None else table.names[place]
    is_missing = _is_missing(raw)
    if not is_category:
        return Column(name, raw.kind, has_missing=bool(is_missing.any()))
    levels = _levels_of(raw.codes[~is_missing])
    if any(isinstance(level, float) and math.isinf(level) for level in levels):
        raise ValueError(
            f"X contains infinity in {table.describe(place)}, whose values are levels; replace it, "
            "or leave the value out: missing values are allowed."
        )
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


def encode_table(table: RawTable, columns: Sequence[Column]) -> FloatArray:
    """Turn every column into numbers; a matrix of numbers is taken as it is, without a copy."""
    if table.matrix is not None and {column.kind for column in columns} <= NUMBERS:
        return table.matrix
    encoded = np.empty((len(table.columns[0].values), len(columns)))
    for place, (raw, column) in enumerate(zip(table.columns, columns, strict=True)):
        where = table.describe(place)
        _check_kind(raw, column, where)
        if column.is_category:
            _check_codes(raw, where)
            encoded[:, place] = _places_of_levels(raw, column)
        else:
            _check_numbers(raw, where)
            encoded[:, place] = _numbers(raw)
    return encoded


def _numbers(raw: RawColumn) -> FloatArray:
    values: FloatArray = np.full(len(raw.values), np.nan) if _is_empty(raw) else raw.values
    return values


def _places_of_levels(raw: RawColumn, column: Column) -> FloatArray:
    place_of = {level: float(place) for place, level in enumerate(column.levels)}
    places = np.array([place_of.get(value, UNSEEN) for value in raw.codes.tolist()])
    places[_is_missing(raw)] = np.nan
    return places


def _check_numbers(raw: RawColumn, where: str) -> None:
    """Refuse whole numbers that are not the same as floats."""
    for row, number in enumerate([] if raw.exact is None else raw.exact):
        if isinstance(number, int) and float(number) != number:
            raise ValueError(
                f"{_capitalised(where)} has {number} in row {row}: whole numbers beyond 2**53 "
                "cannot be told apart as floats. If it holds codes, name it in "
                "categorical_features or give it as text; if they may be rounded, give floats."
            )


def _check_codes(raw: RawColumn, where: str) -> None:
    """Refuse whole numbers that were rounded before they came here, as far as can be told."""
    for row, code in enumerate(raw.codes.tolist()):
        if isinstance(code, float) and LARGEST_EXACT <= abs(code) < math.inf:
            raise ValueError(
                f"{_capitalised(where)} holds codes, and has {code:.20g} as a float in row {row}: "
                "floats cannot tell whole numbers beyond 2**53 apart, so that it may have been "
                "another code. Give the column as integers or as text; in a file, put a letter "
                "before each code."
            )


def _capitalised(where: str) -> str:
    return f"{where[0].upper()}{where[1:]}"


def _is_empty(raw: RawColumn) -> bool:
    return bool(_is_missing(raw).all())


def _check_kind(raw: RawColumn, column: Column, where: str) -> None:
    """Refuse a column that holds something else than it did in `fit`."""
    expected = column.kind
    if column.is_category and not any(isinstance(level, str) for level in column.levels):
        expected = "number"  # codes that count as levels
        if raw.kind == "category" and not any(isinstance(v, str) for v in raw.values):
            return
    if raw.kind == expected or {raw.kind, expected} <= NUMBERS or _is_empty(raw):
        return
    row = int(np.flatnonzero(~_is_missing(raw))[0])
    held = "codes" if (column.kind, expected) == ("category", "number") else IN_WORDS[column.kind]
    holds = "text" if held == "codes" and raw.kind == "category" else IN_WORDS[raw.kind]
    is_text_for_dates = (expected, raw.kind) == ("date", "category")
    advice = HOW_TO_PARSE if is_text_for_dates else "convert it"
    raise ValueError(
        f"{_capitalised(where)} held {held} in fit and holds {holds} now: "
        f"{_shown(raw, row)} in row {row}; {advice}."
    )


def _shown(raw: RawColumn, row: int) -> str:
    value = raw.values[row]
    if raw.kind == "date":
        return show_date(value)
    return repr(value) if raw.kind == "category" else f"{value:g}"
