"""Columns that `fit` and `compare` had better not learn from as they are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sweeptree.odd_text import FEWEST_NAMES, OddText, find_odd_text
from sweeptree.table_files.table import Array

ADVICE = {
    "dates": "write them as YYYY-MM-DD in a CSV file, as dates in Parquet",
    "names": "leave it out with --drop {!r} unless it means something",
}


def notes_on_columns(columns: Mapping[str, Array]) -> list[str]:
    """Say which columns hold dates in text, or only name or count the rows."""
    return [
        f"Column {name!r} {odd.in_words}; {ADVICE[odd.kind].format(name)}."
        for name, column in columns.items()
        if (odd := _find_odd(column))
    ]


def _find_odd(column: Array) -> OddText | None:
    if column.dtype == object:
        texts = [value for value in column if isinstance(value, str)]
        return find_odd_text(sorted(set(texts)), len(texts)) if texts else None
    is_counter = column.dtype.kind == "f" and (np.diff(column) == 1).all()
    if is_counter and len(column) >= FEWEST_NAMES:
        return OddText("names", "goes up by one from row to row and looks like a row number")
    return None
