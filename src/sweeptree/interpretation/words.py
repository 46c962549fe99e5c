"""Rules and values in the user's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from sweeptree.columns import DAY, HOUR, MINUTE, SECOND, Column, show_date
from sweeptree.encoding import FloatArray
from sweeptree.settings import TESTS


class Question(NamedTuple):
    """The two answers to what a node asks: on the left side, and on the right."""

    yes: str
    no: str


def put_in_words(
    column: Column, test: int, threshold: float, missing_left: bool, shown: str
) -> Question:
    """Put a rule in words.

    Parameters
    ----------
    column : Column
    test : int
        Place in `TESTS`.
    threshold : float
        As in `Trees.threshold`.
    missing_left : bool
        Whether missing values go left; only told if training had any.
    shown : str
        The threshold as it is written.

    Examples
    --------
    >>> age = Column("age", "number", has_missing=True)
    >>> put_in_words(age, 0, 41.5, True, "41")
    Question(yes='age <= 41, or missing', no='age >  41')
    >>> put_in_words(Column("ward", "category", ("A", "B", "C")), 2, 0b101, False, "")
    Question(yes='ward is one of A, C', no='ward is B')
    """
    yes, no = (relation(column, test, threshold, is_left) for is_left in (True, False))
    if yes == "<=":
        yes, no = f"{yes} {shown}", f"{no}  {shown}"
    if column.has_missing and TESTS[test] != "is missing":
        yes, no = (f"{yes}, or missing", no) if missing_left else (yes, f"{no}, or missing")
    return Question(f"{column.name} {yes}", f"{column.name} {no}")


def relation(column: Column, test: int, threshold: float, is_left: bool) -> str:
    """Say what holds of a value on one side of a rule; what a threshold is, is left out.

    Examples
    --------
    >>> ward = Column("ward", "category", ("A", "B", "C"))
    >>> relation(ward, 1, 2.0, True), relation(ward, 1, 2.0, False), relation(ward, 3, 0.0, False)
    ('is C', 'is not C', 'is not missing')
    """
    if TESTS[test] == "is missing":
        return "is missing" if is_left else "is not missing"
    if column.kind == "boolean":
        return f"is {not is_left}"
    if TESTS[test] == "at most":
        return "<=" if is_left else ">"
    left = levels_left(column, test, threshold)
    if is_left:
        return among(column, left)
    if TESTS[test] == "is level" and len(column.levels) > 2:
        return f"is not {column.levels[left[0]]}"
    return among(column, [level for level in range(len(column.levels)) if level not in left])


def levels_left(column: Column, test: int, threshold: float) -> list[int]:
    """Places of the levels that a question about a category sends left."""
    if TESTS[test] == "is level":
        return [int(threshold)]
    return [level for level in range(len(column.levels)) if int(threshold) >> level & 1]


def among(column: Column, levels: Iterable[int]) -> str:
    """Say that a value is one of some levels.

    Examples
    --------
    >>> ward = Column("ward", "category", ("A", "B", "C"))
    >>> among(ward, [1]), among(ward, [0, 2])
    ('is B', 'is one of A, C')
    """
    names = [str(column.levels[level]) for level in levels]
    return f"is {names[0]}" if len(names) == 1 else f"is one of {', '.join(names)}"


def show_threshold(column: Column, threshold: float, training: FloatArray) -> str:
    """Write a threshold as short as possible: it must still send the same training rows left."""
    present = training[~np.isnan(training)]
    low, high = present[present <= threshold].max(), present[present > threshold].min()
    if column.kind == "date":
        return _roundest_date(threshold, low, high)
    return roundest_between(threshold, low, high)


def roundest_between(threshold: float, low: float, high: float) -> str:
    """Write a number with the fewest decimals that keep it between two others.

    It may be as small as `low`, but not as large as `high`.

    Examples
    --------
    >>> roundest_between(59.9824, 59.0, 60.0), roundest_between(44.7, 30.0, 59.0)
    ('59', '45')
    >>> roundest_between(-0.2, -1.0, 3.0)
    '0'
    """
    for n_decimals in range(7):
        scale = 10.0**n_decimals
        for rounded in (round(threshold, n_decimals), np.floor(threshold * scale) / scale):
            if low <= rounded < high:
                return f"{unsigned_zero(rounded):.{n_decimals}f}"
    return short_number(threshold, 12)


def _roundest_date(threshold: float, low: float, high: float) -> str:
    for unit in (DAY, HOUR, MINUTE, SECOND):
        rounded = np.floor(threshold / unit) * unit
        if low <= rounded < high:
            return show_date(rounded)
    return show_date(threshold)


def show_value(column: Column, value: float, n_digits: int = 6) -> str:
    """Write a value of a column.

    Examples
    --------
    >>> show_value(Column("age", "number"), 41.25), show_value(Column("age", "number"), np.nan)
    ('41.25', 'missing')
    """
    if np.isnan(value):
        return "missing"
    if column.kind == "date":
        return show_date(np.floor(value / MINUTE) * MINUTE)
    return short_number(value, n_digits) if column.kind == "number" else str(column.show(value))


def short_number(value: float, n_digits: int = 6) -> str:
    """Write a number with so many digits at most.

    Examples
    --------
    >>> short_number(2.50000001), short_number(1234.5678)
    ('2.5', '1234.57')
    """
    return f"{unsigned_zero(value):.{n_digits}g}" if abs(value) < 10**n_digits else f"{value:.0f}"


def unsigned_zero(value: float) -> float:
    """Return the number itself, but zero without a minus.

    Examples
    --------
    >>> unsigned_zero(-0.0), unsigned_zero(-1.5)
    (0.0, -1.5)
    """
    return value + 0.0
