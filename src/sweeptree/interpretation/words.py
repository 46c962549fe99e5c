"""Rules and values in the user's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from sweeptree.columns import DAY, HOUR, MINUTE, SECOND, Column, Level, show_date
from sweeptree.encoding import FloatArray
from sweeptree.names import visible
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
    name = visible(column.name)
    return Question(f"{name} {yes}", f"{name} {no}")


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
        return f"is not {_level_in_words(column.levels[left[0]])}"
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
    >>> among(ward, [1]), among(ward, [0, 2]), among(Column("ward", "category", ("", "B")), [0])
    ('is B', 'is one of A, C', "is ''")
    """
    names = [_level_in_words(column.levels[level]) for level in levels]
    return f"is {names[0]}" if len(names) == 1 else f"is one of {', '.join(names)}"


def _level_in_words(level: Level) -> str:
    """Quote a level that would not be seen, or would break the line."""
    text = str(level)
    return text if text.strip() and text.isprintable() else repr(text)


def show_threshold(column: Column, threshold: float, training: FloatArray) -> str:
    """Write a threshold as short as possible: it must still send the same training rows left."""
    present = training[~np.isnan(training)]
    low, high = present[present <= threshold].max(), present[present > threshold].min()
    if column.kind == "date":
        return _roundest_date(threshold, low, high)
    return roundest_between(threshold, low, high)


def roundest_between(threshold: float, low: float, high: float) -> str:
    """Write a number as roundly as keeps it between two others.

    Of a large one the first three digits are tried first, then one more at a time. It may be as
    small as `low`, but not as large as `high`.

    Examples
    --------
    >>> roundest_between(59.9824, 59.0, 60.0), roundest_between(44.7, 30.0, 59.0)
    ('59', '45')
    >>> roundest_between(-0.2, -1.0, 3.0), roundest_between(260871.3, 260000, 261000)
    ('0', '260000')
    >>> roundest_between(1.99476e-8, 1.99e-8, 2.01e-8)
    '2e-08'
    """
    n_digits_before_point = len(f"{abs(threshold):.0f}")
    for n_decimals in range(min(0, 3 - n_digits_before_point), 7):
        for round_it in (round, _floor):
            rounded = round_it(threshold, n_decimals)
            if low <= rounded < high:
                return f"{unsigned_zero(rounded):.{max(n_decimals, 0)}f}"
    for n_digits in range(1, 17):
        rounded = float(f"{threshold:.{n_digits}g}")
        if low <= rounded < high:
            return f"{rounded:g}" if n_digits <= 6 else f"{rounded:.{n_digits}g}"
    return repr(float(threshold))


def _floor(value: float, n_decimals: int) -> float:
    scale = 10.0**n_decimals
    return float(np.floor(value * scale) / scale)


def _roundest_date(threshold: float, low: float, high: float) -> str:
    for unit in (DAY, HOUR, MINUTE, SECOND):
        for rounded in (np.floor(threshold / unit) * unit, np.ceil(threshold / unit) * unit):
            if low <= rounded < high:
                return show_date(rounded)
    return show_date(threshold)


def show_beyond(column: Column, needed: float, value: float) -> str:
    """Write a number or a date that is needed, as seen from the present value.

    It is rounded away from that value, by a hundredth of the way at most.

    Examples
    --------
    >>> visits = Column("visits", "number")
    >>> show_beyond(visits, 0.02407, 7), show_beyond(visits, 1235.2463, 1235.2)
    ('0', '1235.2463')
    >>> show_beyond(Column("admitted", "date"), 1704102075.7e6, 1704067200e6)
    '2024-01-01 09:42:00'
    """
    away = np.ceil if needed > value else np.floor
    most = abs(needed - value) / 100
    if column.kind == "date":
        for unit in (DAY, HOUR, MINUTE, SECOND):
            rounded = away(needed / unit) * unit
            if abs(rounded - needed) <= most:
                return show_date(rounded)
        return show_date(needed)
    for n_decimals in range(13):
        rounded = float(away(needed * 10.0**n_decimals) / 10.0**n_decimals)
        if abs(rounded - needed) <= most:
            return f"{unsigned_zero(rounded):.{n_decimals}f}"
    return f"{needed:.17g}"


def show_beside(column: Column, threshold: float, value: float) -> str:
    """Write a threshold with few digits, but on the side of a value on which it is.

    Examples
    --------
    >>> p = Column("p", "number")
    >>> show_beside(p, 41.2513, 20), show_beside(p, 1235.25, 1235.2)
    ('41.25', '1235.2')
    """
    n_digits = 4
    while column.kind == "number" and n_digits < 17:
        if (float(f"{threshold:.{n_digits}g}") >= value) == (threshold >= value):
            break
        n_digits += 1
    return show_value(column, threshold, n_digits)


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


def is_missing(value: Any) -> bool:
    """Tell whether a value of a table handed out is missing: None, or NaN.

    Examples
    --------
    >>> is_missing(None), is_missing(np.nan), is_missing("A"), is_missing(0.0)
    (True, True, False, False)
    """
    return value is None or bool(value != value)


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
