"""Whatever a user calls a table, as typed columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import numpy.typing as npt

from sweeptree.columns import LARGEST_EXACT, Kind
from sweeptree.encoding import FloatArray

Values = npt.NDArray[Any]
"""Float64 with NaN for what is missing; of a category an object array with None."""

MISSING_OF = {"f": "NaN", "M": "NaT", "m": "NaT"}
"""What stands for a missing value in arrays of some types; None does in those of objects."""


class RawColumn(NamedTuple):
    """One column, before a model has learned its levels."""

    kind: Kind
    values: Values
    exact: Values | None = None
    """Of numbers among which some are so large that floats may round them: whole numbers as such,
    others as floats, None or NaN where there is none."""

    @property
    def codes(self) -> Values:
        """Its values as levels, which are never rounded."""
        return self.values if self.exact is None else self.exact


class RawTable(NamedTuple):
    """A table's columns, and their names if it has any."""

    names: list[str] | None
    columns: list[RawColumn]
    matrix: FloatArray | None = None
    """All columns side by side, where the table came as a matrix of numbers."""

    def describe(self, column: int) -> str:
        """Return a column in words: its name if the table has names, else its number."""
        return f"column {column}" if self.names is None else f"column {self.names[column]!r}"


def is_table_with_names(X: Any) -> bool:
    """Whether a table has named columns: a frame or an Arrow table, or a mapping of columns."""
    if hasattr(X, "toarray"):  # sparse; one kind of it is a mapping
        return False
    return isinstance(X, Mapping) or nw.dependencies.is_into_dataframe(X)


def read_names(X: Any) -> list[str] | None:
    """Names of a table's columns, which must differ; None if they are not text."""
    if isinstance(X, Mapping):
        return _as_text(list(X))
    names = list(X.column_names if hasattr(X, "column_names") else X.columns)
    _check_unique(names)
    return _as_text(names)


def read_named_table(X: Any) -> RawTable:
    """Read a pandas or polars frame, an Arrow table, or a mapping of names to columns."""
    names = read_names(X)
    if isinstance(X, Mapping):
        columns = {name: as_array(column) for name, column in X.items()}
        _check_shapes(columns)
        read = [_read_array(column, f"column {name!r}") for name, column in columns.items()]
        return RawTable(names, read)
    frame = nw.from_native(X, eager_only=True)
    series = [frame.get_column(name) for name in frame.columns]
    return RawTable(names, [_read_series(each, f"column {each.name!r}") for each in series])


def read_matrix_of_numbers(X: Any) -> RawTable:
    """Take the columns of an array of numbers, which is not copied if it is of floats."""
    matrix = np.asarray(X, dtype=np.float64, order="C")
    if matrix.ndim != 2:
        raise ValueError(f"X has the shape {matrix.shape}; a table has rows and columns.")
    return RawTable(None, [RawColumn("number", column) for column in matrix.T], matrix)


def read_matrix_of_objects(X: npt.NDArray[np.object_]) -> RawTable:
    """Read the columns of an array that is not of numbers alone."""
    return RawTable(None, [_read_array(x, f"column {i}") for i, x in enumerate(X.T)])


def _as_text(names: list[Any]) -> list[str] | None:
    """Names that are all text; numbers as names, as an unnamed frame has them, count for none."""
    is_text = [isinstance(name, str) for name in names]
    if any(is_text) and not all(is_text):
        odd = names[is_text.index(False)]
        raise TypeError(
            f"Feature names are only supported if all input features have string names; {odd!r} "
            "is no string: rename it, or use X.columns.astype(str)."
        )
    return names if all(is_text) else None


def _check_unique(names: Sequence[Any]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(f"The table has two columns named {name!r}; rename one of them.")
        seen.add(name)


def _check_shapes(columns: Mapping[Any, Values]) -> None:
    shapes = {name: column.shape for name, column in columns.items()}
    first = next(iter(shapes.values()), ())
    for name, shape in shapes.items():
        if len(shape) != 1 or shape != first:
            raise ValueError(
                f"Column {name!r} has the shape {shape}; all columns must be sequences of one "
                f"length, and the first has the shape {first}."
            )


def as_array(values: Any) -> Values:
    """Take values without a type as objects: an array of their own would turn them into text."""
    return np.asarray(without_mask(values), dtype=None if hasattr(values, "dtype") else object)


def without_mask(values: Any) -> Any:
    """Put a missing value for each that is masked; what has no mask is returned as it is.

    Examples
    --------
    >>> without_mask(np.ma.masked_less([1.5, 60.0], 50))
    array([nan, 60.])
    >>> without_mask(np.ma.masked_less([1, 60], 50))
    array([None, 60], dtype=object)
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    missing = MISSING_OF.get(values.dtype.kind)
    plain = values.data.astype(object) if missing is None else values.data.copy()
    plain[np.ma.getmaskarray(values)] = missing
    return plain


def exceeds_floats(values: Any) -> bool:
    """Whether some of an array or a series of whole numbers may be rounded as floats."""
    if 0 in values.shape:
        return False
    largest = max(abs(int(values.min())), abs(int(values.max())))
    return largest > LARGEST_EXACT


def _read_series(series: nw.Series[Any], where: str) -> RawColumn:
    dtype = series.dtype
    if dtype == nw.Unknown and hasattr(series.to_native(), "sparse"):
        dense = series.to_native().sparse.to_dense()
        return _read_series(nw.from_native(dense, series_only=True), where)
    if dtype == nw.Decimal or (dtype.is_integer() and exceeds_floats(series.drop_nulls())):
        return _read_objects(_objects(series), where)
    if dtype.is_numeric() or dtype == nw.Boolean:
        kind: Kind = "boolean" if dtype == nw.Boolean else "number"
        return RawColumn(kind, _as_floats(series))
    if dtype == nw.Datetime or dtype == nw.Date:
        stamps = series.cast(nw.Datetime("us")) if dtype == nw.Date else series
        return RawColumn("date", _as_floats(stamps.dt.timestamp("us")))
    if dtype == nw.Duration:
        return RawColumn("number", _as_floats(series.dt.total_microseconds()) / 1e6)
    if dtype == nw.Object:
        return _read_objects(_objects(series), where)
    return RawColumn("category", _as_levels(without_missing(_objects(series)), where))


def _objects(series: nw.Series[Any]) -> npt.NDArray[np.object_]:
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values


def _as_floats(series: nw.Series[Any]) -> FloatArray:
    return np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _read_array(values: Values, where: str) -> RawColumn:
    if values.dtype.kind == "f" or (values.dtype.kind in "iu" and not exceeds_floats(values)):
        return RawColumn("number", values.astype(np.float64))
    if values.dtype.kind == "b":
        return RawColumn("boolean", values.astype(np.float64))
    if values.dtype.kind == "M":
        return RawColumn("date", microseconds(values))
    if values.dtype.kind == "m":
        return RawColumn("number", _seconds(values))
    return _read_objects(values.astype(object), where)


def microseconds(values: Values) -> FloatArray:
    """Count dates in microseconds since 1970; NaN where there is none."""
    stamps = values.astype("datetime64[us]")
    floats: FloatArray = stamps.astype(np.int64).astype(np.float64)
    floats[np.isnat(stamps)] = np.nan
    return floats


def _seconds(values: Values) -> FloatArray:
    seconds: FloatArray = values / np.timedelta64(1, "s")
    return seconds


FAMILIES: dict[str, tuple[type, ...]] = {
    "boolean": (bool, np.bool_),
    "time span": (timedelta, np.timedelta64),  # first, since NumPy counts it among the integers
    "number": (int, float, Decimal, np.integer, np.floating),
    "category": (str,),
    "date": (date, np.datetime64),
}


def _read_objects(values: npt.NDArray[np.object_], where: str) -> RawColumn:
    """Tell what Python objects are; those of a column must be alike."""
    values = without_missing(values)
    first_of: dict[str, int] = {}
    for row, value in enumerate(values):
        if value is not None:
            first_of.setdefault(_family_of(value, where, row), row)
    families = set(first_of)
    if families <= {"boolean", "number"}:
        kind: Kind = "boolean" if families == {"boolean"} else "number"
        floats = _floats(values, where)
        may_be_rounded = (np.abs(floats) >= LARGEST_EXACT).any()
        return RawColumn(kind, floats, _exact_numbers(values) if may_be_rounded else None)
    if len(families) > 1:
        one, other = sorted(first_of.values())[:2]
        raise ValueError(
            f"X has values of different types in {where}: {values[one]!r} in row {one} and "
            f"{values[other]!r} in row {other}; make them all numbers or all text."
        )
    if families == {"date"}:
        stamps = [np.datetime64("NaT", "us") if v is None else _without_zone(v) for v in values]
        return RawColumn("date", microseconds(np.array(stamps)))
    if families == {"time span"}:
        spans = [np.timedelta64("NaT", "us") if v is None else v for v in values]
        return RawColumn("number", _seconds(np.array(spans, dtype="timedelta64[us]")))
    return RawColumn("category", values)


def _without_zone(stamp: Any) -> Any:
    """Give a time that has a zone as that of UTC, as frames do; leave others as they are."""
    if not isinstance(stamp, datetime) or stamp.tzinfo is None:
        return stamp
    return stamp.astimezone(UTC).replace(tzinfo=None)


def _floats(values: npt.NDArray[np.object_], where: str) -> FloatArray:
    floats = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        try:
            floats[row] = np.nan if value is None else float(value)
        except (OverflowError, ValueError) as error:
            raise ValueError(
                f"X has a number in {where}, row {row}, that a float cannot hold; rescale it."
            ) from error
    return floats


def _exact_numbers(values: npt.NDArray[np.object_]) -> npt.NDArray[np.object_]:
    """Give whole numbers as such, whatever they came as, and other numbers as floats."""
    exact = np.empty(len(values), dtype=object)
    exact[:] = [None if value is None else _exact_number(value) for value in values]
    return exact


def _exact_number(value: Any) -> int | float:
    if isinstance(value, Decimal):
        is_whole = value.is_finite() and value == value.to_integral_value()
    else:
        is_whole = isinstance(value, int | np.integer)
    return int(value) if is_whole else float(value)


def _as_levels(values: npt.NDArray[np.object_], where: str) -> npt.NDArray[np.object_]:
    """Take text, numbers and booleans as they are, intervals and the like by their text."""
    levels = values.copy()
    for row, value in enumerate(values):
        if isinstance(value, list | dict | complex | bytes):
            raise _refusal_of(value, where, row)
        if value is not None and not isinstance(value, str | int | float | np.number | np.bool_):
            levels[row] = str(value)
    return levels


def _family_of(value: Any, where: str, row: int) -> str:
    for family, types in FAMILIES.items():
        if isinstance(value, types):
            return family
    raise _refusal_of(value, where, row)


def _refusal_of(value: Any, where: str, row: int) -> TypeError:
    return TypeError(
        f"Each value's argument must be a string or a number, and {where} has a "
        f"{type(value).__name__} in row {row}; turn the column into numbers or text."
    )


def without_missing(values: npt.NDArray[np.object_]) -> npt.NDArray[np.object_]:
    """Put None for everything that stands for a missing value."""
    return np.array([*_each_or_none(values), None], dtype=object)[:-1]


def _each_or_none(values: npt.NDArray[np.object_]) -> Iterator[Any]:
    for value in values:
        is_no_number = isinstance(value, float | np.floating) and value != value
        is_no_date = isinstance(value, np.datetime64 | np.timedelta64) and np.isnat(value)
        of_pandas = type(value).__name__ in ("NAType", "NaTType")
        yield None if value is None or is_no_number or is_no_date or of_pandas else value
