"""Columns of text that had better be something else: numbers, dates, or names of the rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import Literal, NamedTuple

MOST_LEVELS_OF_DATES = 20
"""Up to so many different dates may well be categories, such as the waves of a study."""
MOST_LEVELS_OF_NUMBERS = 20
"""Up to so many different numbers in text may well be codes."""
FEWEST_NAMES = 20
SHARE_OF_NAMES = 0.9
"""A column with so many different texts for its rows looks like an identifier."""
SHARE_WITH_UNIT = 0.9
SHORTEST_EVEN_CODE = 4
"""Whole numbers that all have equally many digits, at least so many, may be codes of places."""
SHORTEST_UNEVEN_CODE = 6
"""Those that all have at least so many may be codes of findings, as SNOMED CT has them."""

HOW_TO_PARSE = (
    "parse it with pandas.to_datetime, parse_dates of pandas.read_csv, or str.to_date of polars"
)

MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{4}"
    rf"|\d{{1,2}}[-/. ]*{MONTH}[-/., ]*\d{{2}}(\d{{2}})?|{MONTH}[-/. ]*\d{{1,2}}[-/., ]+\d{{4}})"
    r"([ T]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?(Z|AM|PM|[+-]\d{2}:?\d{2}))?)?",
    re.IGNORECASE,
)
YEAR_MONTH = re.compile(r"\d{4}[-/.](0[1-9]|1[0-2])|(0[1-9]|1[0-2])[-/]\d{4}")

SEPARATED = re.compile(r"[+-]?(\d+,\d+|\d{1,3}([.,'’ \u00a0\u202f]\d{3})+([.,]\d+)?)")
"""What may be a number with a decimal comma, or with its thousands set apart."""
NUMBER = re.compile(rf"{SEPARATED.pattern}|[+-]?(\d+\.?\d*|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)
WITH_UNIT = re.compile(rf"({NUMBER.pattern})\s*(?P<unit>([^\W\d_]|[%‰°])\S*)", re.IGNORECASE)
CODE = re.compile(r"0\d+|[A-Z]+\d[\d.]*", re.IGNORECASE)
"""Text with digits that nobody would take for a number, such as 01067 or E11.9."""


class OddTextWarning(UserWarning):
    """A column of text looks like numbers, like dates, or like names of the rows."""


class OddText(NamedTuple):
    """What a column of text looks like."""

    kind: Literal["dates", "months", "quantities", "numbers", "names"]
    in_words: str
    """To stand after the column's name."""


def find_odd_text(levels: Collection[str], n_values: int) -> OddText | None:
    """Tell whether a column of text looks like dates, numbers or names of the rows.

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
    >>> find_odd_text(["<0.5", *(f"{i}.5" for i in range(40))], 100).in_words
    "is taken as text: most of it is numbers, such as '0.5', but there is '<0.5'"
    >>> find_odd_text([f"{i} kg" for i in range(40)], 100).kind
    'quantities'
    >>> find_odd_text([f"P{i:03}" for i in range(100)], 100).kind
    'names'
    >>> find_odd_text(["A", "B"], 100) is None
    True
    """
    for find in (_find_dates, _find_months, _find_quantities, _find_numbers, _find_names):
        odd = find(levels, n_values)
        if odd:
            return odd
    return None


def _find_dates(levels: Collection[str], n_values: int) -> OddText | None:
    dates = _those_like(DATE, levels)
    if not _are_many(len(dates), n_values) or not _are_most(dates, levels):
        return None
    other = _first_other(DATE, levels)
    beside = "" if other is None else f", beside {other!r}"
    words = f"holds dates as text, such as {_example(dates)!r}{beside}"
    return OddText("dates", f"{words}, so that each is a category of its own")


def _find_months(levels: Collection[str], n_values: int) -> OddText | None:
    if not _are_many(len(levels), n_values) or not all(map(YEAR_MONTH.fullmatch, levels)):
        return None
    words = f"holds months as text, such as {next(iter(levels))!r}"
    return OddText("months", f"{words}, so that each is a category of its own")


def _find_quantities(levels: Collection[str], n_values: int) -> OddText | None:
    quantities = [found for level in levels if (found := WITH_UNIT.fullmatch(level))]
    units = Counter(quantity["unit"] for quantity in quantities)
    if len(levels) <= MOST_LEVELS_OF_NUMBERS or not units:
        return None
    unit, times = units.most_common(1)[0]
    if times < SHARE_WITH_UNIT * len(levels):
        return None
    example = next(each[0] for each in quantities if each["unit"] == unit)
    words = f"holds numbers with their unit as text, such as {example!r}"
    return OddText("quantities", f"{words}, so that each is a category of its own")


def _find_numbers(levels: Collection[str], n_values: int) -> OddText | None:
    numbers = _those_like(NUMBER, levels)
    is_few = len(numbers) <= MOST_LEVELS_OF_NUMBERS
    if is_few or not _are_most(numbers, levels) or _are_codes(levels):
        return None
    other = _first_other(NUMBER, levels)
    most, but = ("all", "") if other is None else ("most", f", but there is {other!r}")
    words = f"is taken as text: {most} of it is numbers, such as {numbers[0]!r}{but}"
    return OddText("numbers", words)


def _find_names(levels: Collection[str], n_values: int) -> OddText | None:
    if n_values < FEWEST_NAMES or len(levels) <= SHARE_OF_NAMES * n_values:
        return None
    words = "has a different text in nearly each row and looks like an identifier"
    return OddText("names", words)


def _are_many(n_levels: int, n_values: int) -> bool:
    return n_levels > MOST_LEVELS_OF_DATES or n_levels > n_values / 2


def _are_most(some: Collection[str], levels: Collection[str]) -> bool:
    return len(some) > len(levels) / 2


def _those_like(form: re.Pattern[str], levels: Collection[str]) -> list[str]:
    return [level for level in levels if form.fullmatch(level.strip())]


def _first_other(form: re.Pattern[str], levels: Collection[str]) -> str | None:
    return next((level for level in levels if not form.fullmatch(level.strip())), None)


def _are_codes(levels: Collection[str]) -> bool:
    if any(map(CODE.fullmatch, levels)):
        return True
    lengths = {len(level) for level in levels}
    shortest = SHORTEST_EVEN_CODE if len(lengths) == 1 else SHORTEST_UNEVEN_CODE
    return min(lengths) >= shortest and all(map(str.isdigit, levels))


def _example(dates: Collection[str]) -> str:
    """Return the first date that is not written as in ISO 8601, if there is one."""
    return next((date for date in dates if not _is_iso(date)), next(iter(dates)))


def _is_iso(date: str) -> bool:
    try:
        datetime.fromisoformat(date)
    except ValueError:
        return False
    return True
