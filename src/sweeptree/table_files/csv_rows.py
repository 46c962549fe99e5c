"""The rows of a CSV file as cells, with errors that name the line."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from sweeptree.table_files.errors import TableFileError

DELIMITERS = ",;\t|"
N_LINES_SNIFFED = 20
SEPARATOR_LINE = re.compile(rf"sep=([{DELIMITERS}])\s*")
"""What Excel takes the separator from, above the header."""
GZIP = b"\x1f\x8b"
"""How a file begins that gzip has compressed."""


class Rows(NamedTuple):
    """Some rows of a file, column by column."""

    columns: list[tuple[str, ...]]
    """Cells without the space around them."""
    lines: list[int]
    """Where each row starts."""


class CsvRows:
    r"""A CSV file, read from its start: the header, then the rows.

    Parameters
    ----------
    file : binary file
        Left open.
    source : str
        The file as messages call it.

    Attributes
    ----------
    header : list of str
        Names of the columns; empty where there is none, as for numbers of rows.

    Examples
    --------
    >>> rows = CsvRows(io.BytesIO(b"x;y\n1,5;a\n2,5;b\n"), "t.csv")
    >>> rows.header, rows.has_decimal_commas
    (['x', 'y'], True)
    >>> next(rows.chunks(10))
    Rows(columns=[('1,5', '2,5'), ('a', 'b')], lines=[2, 3])
    """

    def __init__(self, file: BinaryIO, source: str) -> None:
        self.source = source
        lines = _decoded(file, source)
        first = list(itertools.islice(lines, N_LINES_SNIFFED))
        told = SEPARATOR_LINE.fullmatch(first[0]) if first else None
        if told:
            first[0] = "\n"  # passed over, and counted
        self._delimiter = told[1] if told else sniff_delimiter(first)
        self._records = _records(itertools.chain(first, lines), self._delimiter, source)
        _, self.header = next(self._records, (0, []))
        _check_header(self.header, source)

    @property
    def has_decimal_commas(self) -> bool:
        """Whether 1,5 may be a number: where columns are not parted by commas but semicolons."""
        return self._delimiter == ";"

    def chunks(self, n_rows: int) -> Iterator[Rows]:
        """Yield so many rows at a time; a file without rows is an error."""
        chunk = list(itertools.islice(self._records, n_rows))
        if not chunk:
            raise TableFileError(f"{self.source} has no rows below its header line.")
        while chunk:
            for line, cells in chunk:
                self._check_length(line, cells)
            yield Rows(
                columns=list(zip(*(cells for _, cells in chunk), strict=True)),
                lines=[line for line, _ in chunk],
            )
            chunk = list(itertools.islice(self._records, n_rows))

    def _check_length(self, line: int, cells: list[str]) -> None:
        if len(cells) != len(self.header):
            raise TableFileError(
                f"Line {line} of {self.source} has {_counted(len(cells), 'cell')}, but the header "
                f"has {len(self.header)}; put cells that hold {self._delimiter!r} in double "
                "quotes, and close every quote."
            )


def sniff_delimiter(lines: list[str]) -> str:
    r"""Tell what parts the cells: what gives every line equally many, and the most.

    Examples
    --------
    >>> sniff_delimiter(["weight, kg;height, m\n", "80;1,85\n"])
    ';'
    >>> sniff_delimiter(["only one column\n", "7\n"])
    ','
    """

    def goodness(delimiter: str) -> tuple[bool, int]:
        n_cells = [len(cells) for cells in csv.reader(lines, delimiter=delimiter) if cells]
        # The last line sniffed may end inside quotes.
        is_even = len(set(n_cells[:-1] if len(lines) == N_LINES_SNIFFED else n_cells)) == 1
        return is_even and n_cells[0] > 1, n_cells[0] if n_cells else 0

    return max(DELIMITERS, key=goodness)


def _decoded(file: BinaryIO, source: str) -> Iterator[str]:
    for number, line in enumerate(file, start=1):
        text = _decode(line.removeprefix(codecs.BOM_UTF8) if number == 1 else line, number, source)
        if "\r" in text:  # alone, it ends a line too
            yield from io.StringIO(text, newline="")
        else:
            yield text


def _decode(line: bytes, number: int, source: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        if number == 1 and line.startswith(GZIP):
            raise TableFileError(
                f"{source} is compressed by gzip; unpack it, perhaps with: gzip -dc OLD > NEW"
            ) from None
        is_utf16 = line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "UTF-16" if is_utf16 else "LATIN1"
        raise TableFileError(
            f"Line {number} of {source} is not UTF-8 (byte 0x{line[error.start]:02x}); convert the "
            f"file, perhaps with: iconv -f {encoding} -t UTF-8 OLD > NEW"
        ) from None


def _records(lines: Iterable[str], delimiter: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the line it starts in; empty lines are passed over."""
    reader = csv.reader(lines, delimiter=delimiter)
    start = 1
    try:
        for cells in reader:
            if cells:
                yield start, [cell.strip() for cell in cells]
            start = reader.line_num + 1
    except csv.Error as error:
        raise TableFileError(
            f"Line {start} of {source} cannot be parted into cells ({error}); close every quote."
        ) from None


def _check_header(header: list[str], source: str) -> None:
    if not header:
        raise TableFileError(f"{source} is empty; it needs a header line and rows below it.")
    check_unique([name for name in header if name], source)


def check_unique(names: list[str], source: str) -> None:
    """Refuse names that several columns share."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        named = ", ".join(map(repr, twice))
        raise TableFileError(f"{source} has several columns called {named}; rename all but one.")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
