"""Columns of text that had better be something else: dates, or names of the rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from typing import Literal, NamedTuple

MOST_LEVELS_OF_DATES = 20
"""Up to so many different dates may well be categories, such as the waves of a study."""
FEWEST_NAMES = 20
SHARE_OF_NAMES = 0.9
"""A column with so many different texts for its rows looks like an identifier."""

HOW_TO_PARSE = (
    "parse it with pandas.to_datetime, parse_dates of pandas.read_csv, or str.to_date of polars"
)

DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{4})"
    r"([ T]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?(Z|[AaPp][Mm]|[+-]\d{2}:?\d{2}))?)?"
)


class OddTextWarning(UserWarning):
    """A column of text looks like dates, or like names of the rows."""


class OddText(NamedTuple):
    """What a column of text looks like."""

    kind: Literal["dates", "names"]
    in_words: str
    """To stand after the column's name."""


def find_odd_text(levels: Collection[str], n_values: int) -> OddText | None:
    """Tell whether a column of text looks like dates or like names of the rows.

    Parameters
    ----------
    levels : collection of str
        Its different values.
    n_values : int
        How many rows have a value.

    Examples
    --------
    >>> find_odd_text(["20/01/2024", "21/01/2024", "3/2/2024"], 3).in_words
    "holds dates as text, such as '20/01/2024', so that each is a category of its own"
    >>> find_odd_text([f"P{i:03}" for i in range(100)], 100).kind
    'names'
    >>> find_odd_text(["A", "B"], 100) is None
    True
    """
    if _are_many(len(levels), n_values) and all(map(DATE.fullmatch, levels)):
        words = f"holds dates as text, such as {_example(levels)!r}"
        return OddText("dates", f"{words}, so that each is a category of its own")
    if n_values >= FEWEST_NAMES and len(levels) > SHARE_OF_NAMES * n_values:
        words = "has a different text in nearly each row and looks like an identifier"
        return OddText("names", words)
    return None


def _are_many(n_levels: int, n_values: int) -> bool:
    return n_levels > MOST_LEVELS_OF_DATES or n_levels > n_values / 2


def _example(dates: Collection[str]) -> str:
    """Return the first date that is not written as in ISO 8601, if there is one."""
    return next((date for date in dates if not _is_iso(date)), next(iter(dates)))


def _is_iso(date: str) -> bool:
    try:
        datetime.fromisoformat(date)
    except ValueError:
        return False
    return True
