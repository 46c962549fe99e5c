"""Columns that `fit` and `compare` had better not learn from as they are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sweeptree.odd_text import FEWEST_NAMES, OddText, find_odd_text
from sweeptree.table_files.guessing import guess_of_texts
from sweeptree.table_files.table import Array

ADVICE = {
    "dates": "write them as YYYY-MM-DD in a CSV file, as dates in Parquet",
    "months": "write whole dates, such as 2024-05-01 for 2024-05",
    "quantities": "write the numbers alone, and the unit in the column's name",
    "numbers": "correct such cells, or leave them empty, if numbers are meant",
    "names": "leave it out with --drop {!r} unless it means something",
}


def notes_on_columns(columns: Mapping[str, Array]) -> list[str]:
    """Say which columns hold dates or numbers in text, or only name or count the rows."""
    return [
        f"Column {name!r} {odd.in_words}; {ADVICE[odd.kind].format(name)}."
        for name, column in columns.items()
        if (odd := _find_odd(column))
    ]


def _find_odd(column: Array) -> OddText | None:
    if column.dtype == object:
        return _find_odd_text([value for value in column if isinstance(value, str)])
    is_counter = column.dtype.kind == "f" and (np.diff(column) == 1).all()
    if is_counter and len(column) >= FEWEST_NAMES:
        return OddText("names", "goes up by one from row to row and looks like a row number")
    return None


def _find_odd_text(texts: list[str]) -> OddText | None:
    odd = find_odd_text(sorted(set(texts)), len(texts)) if texts else None
    return odd if odd and not _is_noted_by_the_reader(odd, texts) else None


def _is_noted_by_the_reader(odd: OddText, texts: list[str]) -> bool:
    """Whether `read_table` has a note on such a column, which names a line if it can."""
    guess = guess_of_texts(texts, range(len(texts)))
    return guess.mostly is not None or (guess.kind == "number" and odd.kind == "numbers")
