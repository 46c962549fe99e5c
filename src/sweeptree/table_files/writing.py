"""Writing table files, chunk by chunk: there as a whole or not at all."""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from sweeptree.table_files.errors import UnknownFormatError
from sweeptree.table_files.parquet_file import ParquetRows, import_pyarrow
from sweeptree.table_files.table import Array
from sweeptree.writing import whole_file

STANDARD_STREAM = "-"
CSV_SUFFIXES = (".csv", ".tsv", ".txt")
PARQUET_SUFFIXES = (".parquet", ".pq")

Write = Callable[[Mapping[str, Array]], None]


def check_output(path: str) -> None:
    """Refuse a file that could not be written, before any work is done for it.

    Parameters
    ----------
    path : str
        "-" is standard output.
    """
    if path == STANDARD_STREAM:
        return
    suffix = Path(path).suffix.lower()
    if suffix not in CSV_SUFFIXES + PARQUET_SUFFIXES:
        raise UnknownFormatError(
            f"Cannot tell by its name what kind of file {path} is to be; end it in .csv or "
            ".parquet."
        )
    if suffix in PARQUET_SUFFIXES:
        import_pyarrow()


@contextmanager
def table_writer(path: str) -> Iterator[Write]:
    """Open a file for rows: give chunks of columns to the function that comes out.

    Parameters
    ----------
    path : str
        CSV or Parquet by its suffix; "-" is standard output, in CSV.

    Examples
    --------
    >>> with table_writer("-") as write:
    ...     write({"x": np.array([1.0, np.nan, 0.1]), "kind": np.array(["a", "b", "c"])})
    x,kind
    1,a
    ,b
    0.1,c
    """
    check_output(path)
    if path == STANDARD_STREAM:
        yield _CsvWriter(sys.stdout, ",").write
        sys.stdout.flush()
        return
    with whole_file(Path(path)) as file:
        if Path(path).suffix.lower() in PARQUET_SUFFIXES:
            with ParquetRows(file) as rows:
                yield rows.write
        else:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            yield _CsvWriter(text, "\t" if path.lower().endswith(".tsv") else ",").write
            text.flush()
            text.detach()


class _CsvWriter:
    def __init__(self, file: IO[str], delimiter: str) -> None:
        self._writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        self._has_header = False

    def write(self, columns: Mapping[str, Array]) -> None:
        if not self._has_header:
            self._writer.writerow(columns)
            self._has_header = True
        self._writer.writerows(zip(*map(cells_of, columns.values()), strict=True))


def cells_of(column: Array) -> list[str]:
    """Write the values of a column as cells of a CSV file.

    Examples
    --------
    >>> cells_of(np.array([20.0, np.nan])), cells_of(np.array([True, False]))
    (['20', ''], ['true', 'false'])
    """
    return [_cell(value) for value in _values(column)]


def _values(column: Array) -> list[Any]:
    if column.dtype.kind == "M":
        return [None if np.isnat(date) else str(date) for date in column]
    values: list[Any] = column.tolist()
    return values


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value).replace("\r\n", "\n").replace("\r", "\n")  # csv would not quote it
