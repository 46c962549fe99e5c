"""The columns of a table as a model knows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "boolean", "date", "category"]
Level = str | int | float | bool


@dataclass(frozen=True)
class Column:
    """What `fit` learned of a column, and what rows to predict are held against."""

    name: str
    """Its name, or "column 0" and so on if the table had no names."""
    kind: Kind
    """"boolean" counts as the numbers 0 and 1, "date" as microseconds since 1970."""
    levels: tuple[Level, ...] = ()
    """Of a category: its values, sorted. A row has the place of its value among them."""
    has_missing: bool = False
    """Whether the column had missing values in training."""
