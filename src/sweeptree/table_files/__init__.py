"""Tables in files: CSV by a reader of our own, Parquet by pyarrow."""

from sweeptree.table_files.cells import CellKind
from sweeptree.table_files.errors import TableFileError, UnknownFormatError, WrongColumnError
from sweeptree.table_files.labels import labels_of, labels_to_learn
from sweeptree.table_files.reading import read_chunks, read_names, read_table
from sweeptree.table_files.table import Table
from sweeptree.table_files.writing import STANDARD_STREAM, check_output, table_writer

__all__ = [
    "STANDARD_STREAM",
    "CellKind",
    "Table",
    "TableFileError",
    "UnknownFormatError",
    "WrongColumnError",
    "check_output",
    "labels_of",
    "labels_to_learn",
    "read_chunks",
    "read_names",
    "read_table",
    "table_writer",
]
