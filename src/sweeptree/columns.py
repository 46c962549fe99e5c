"""The columns of a table as a model knows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

Kind = Literal["number", "boolean", "date", "category"]
Level = str | int | float | bool

SECOND, MINUTE, HOUR, DAY = 1e6, 60e6, 3600e6, 24 * 3600e6
"""In the microseconds that dates count."""

UNSEEN = -1.0
"""Stands for a level that training did not have."""

LARGEST_EXACT = 2**53
"""Beyond it floats cannot tell neighbouring whole numbers apart."""

IN_WORDS: dict[str, str] = {
    "number": "numbers",
    "boolean": "true and false",
    "date": "dates",
    "category": "categories",
}


@dataclass(frozen=True)
class Column:
    """What `fit` learned of a column, and what rows to predict are held against."""

    name: str
    """Its name, or "column 0" and so on if the table had no names."""
    kind: Kind
    """A "boolean" counts as the numbers 0 and 1, a "date" as microseconds since 1970."""
    levels: tuple[Level, ...] = ()
    """Of a category: its values, sorted. A row has the place of its value among them."""
    has_missing: bool = False
    """Whether the column had missing values in training."""

    @property
    def is_category(self) -> bool:
        """Whether its values are levels without an order."""
        return self.kind == "category"

    def show(self, value: float) -> Level | None:
        """Return a value of the encoded table as it was in the user's; None if it is missing.

        Examples
        --------
        >>> Column("ward", "category", ("A", "B")).show(1.0), Column("age", "number").show(41.0)
        ('B', 41.0)
        >>> Column("admitted", "date").show(1704067200e6), Column("smoker", "boolean").show(1.0)
        ('2024-01-01', True)
        """
        if np.isnan(value):
            return None
        if self.kind == "category":
            return "a level not seen in training" if value == UNSEEN else self.levels[int(value)]
        if self.kind == "boolean":
            return bool(value)
        return show_date(value) if self.kind == "date" else float(value)


def show_date(microseconds: float) -> str:
    """Write a date, with the time unless it is midnight.

    Examples
    --------
    >>> show_date(0.0), show_date(61e6)
    ('1970-01-01', '1970-01-01 00:01:01')
    """
    text = str(np.datetime64(round(microseconds), "us")).rstrip("0").rstrip(".")
    day, time = text.split("T")
    return day if time == "00:00:00" else f"{day} {time}"
