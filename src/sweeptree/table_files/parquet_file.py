"""Parquet files, by pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from sweeptree.table_files.cells import CellKind
from sweeptree.table_files.csv_rows import check_unique
from sweeptree.table_files.errors import TableFileError
from sweeptree.table_files.table import Array, Table


def import_pyarrow() -> Any:
    """Return pyarrow with its reader of Parquet, or say how to get it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise TableFileError(
            'Parquet files need pyarrow; install it with: pip install "sweeptree[parquet]"'
        ) from error
    return pyarrow


def parquet_names(path: Path) -> list[str]:
    """Names of the columns."""
    with _opened(path) as file:
        return list(file.schema_arrow.names)


def parquet_kinds(path: Path, names: Sequence[str]) -> dict[str, CellKind]:
    """Return what some columns are, by their types."""
    with _opened(path) as file:
        return {name: _kind_of(file.schema_arrow.field(name), path) for name in names}


def parquet_chunks(path: Path, kinds: Mapping[str, CellKind], n_rows: int) -> Iterator[Table]:
    """Yield the columns asked for, so many rows at a time; a file without rows is an error."""
    with _opened(path) as file:
        if file.metadata.num_rows == 0:
            raise TableFileError(f"{path} has no rows.")
        n_before = 0
        for batch in file.iter_batches(n_rows, columns=list(kinds)):
            places = np.arange(n_before, n_before + len(batch))
            columns = {
                name: _convert(batch.column(name), kind, path, name, n_before)
                for name, kind in kinds.items()
            }
            yield Table(str(path), columns, places, unit="row")
            n_before += len(batch)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    pyarrow = import_pyarrow()
    try:
        file = pyarrow.parquet.ParquetFile(path)
    except pyarrow.ArrowInvalid as error:
        raise TableFileError(f"{path} is no Parquet file, or a damaged one.") from error
    with file:
        check_unique(list(file.schema_arrow.names), str(path))
        yield file


def _kind_of(field: Any, path: Path) -> CellKind:
    types = import_pyarrow().types
    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_duration(kind):  # as seconds
        return "number"
    if types.is_boolean(kind):
        return "boolean"
    if types.is_date(kind) or types.is_timestamp(kind):
        return "date"
    if types.is_string(kind) or types.is_large_string(kind) or types.is_null(kind):
        return "text"
    raise TableFileError(
        f"Column {field.name!r} of {path} holds {field.type}; only numbers, text, dates, time "
        f"spans and truth values can be used, so leave it out with --drop {field.name!r}."
    )


def _convert(column: Any, kind: CellKind, path: Path, name: str, n_before: int) -> Array:
    arrow = import_pyarrow()
    if arrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if kind == "text":
        return np.array([_as_text(value) for value in column.to_pylist()], dtype=object)
    try:
        return _CONVERSIONS[kind](arrow, column, path, name, n_before)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError) as error:
        raise TableFileError(
            f"Column {name!r} of {path} holds {column.type} where a {kind} is needed."
        ) from error


def _as_text(value: object) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def _numbers(arrow: Any, column: Any, path: Path, name: str, n_before: int) -> Array:
    values = _seconds(column) if arrow.types.is_duration(column.type) else _floats(arrow, column)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise TableFileError(
            f"{path}, row {n_before + infinite[0]}, column {name!r}: {values[infinite[0]]} is not "
            "a finite number; correct it, or leave it out if the value is not known."
        )
    return values


def _floats(arrow: Any, column: Any) -> Array:
    is_whole = arrow.types.is_integer(column.type)  # large ones are rounded, as those of CSV are
    floats: Array = column.cast(arrow.float64(), safe=not is_whole).to_numpy(zero_copy_only=False)
    return floats.astype(np.float64)


def _seconds(spans: Any) -> Array:
    """Count time spans in seconds, as `fit` does; NaN where there is none."""
    seconds: Array = spans.to_numpy(zero_copy_only=False) / np.timedelta64(1, "s")
    return seconds


def _truth_values(arrow: Any, column: Any, path: Path, name: str, n_before: int) -> Array:
    values = column.cast(arrow.bool_()).to_pylist()
    return np.array(values, dtype=object if None in values else bool)


def _dates(arrow: Any, column: Any, path: Path, name: str, n_before: int) -> Array:
    dates: Array = column.cast(arrow.timestamp("us")).to_numpy(zero_copy_only=False)
    return dates.astype("datetime64[us]")


_CONVERSIONS: dict[CellKind, Callable[..., Array]] = {
    "number": _numbers,
    "boolean": _truth_values,
    "date": _dates,
}


class ParquetRows:
    """Writes rows below each other into an open file; a context manager.

    Parameters
    ----------
    file : binary file
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._arrow = import_pyarrow()
        self._file = file
        self._writer: Any = None

    def write(self, columns: Mapping[str, Array]) -> None:
        """Add rows; all calls give the same columns."""
        arrays = {name: self._arrow.array(_plain(column)) for name, column in columns.items()}
        batch = self._arrow.table(arrays)
        if self._writer is None:
            self._writer = self._arrow.parquet.ParquetWriter(self._file, batch.schema)
        self._writer.write_table(batch.cast(self._writer.schema))

    def __enter__(self) -> ParquetRows:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._writer is not None:
            self._writer.close()


def _plain(column: Array) -> Any:
    return column.tolist() if column.dtype.kind in "OU" else column
