"""Names that are written from right to left, kept from turning the words around them."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any
from unicodedata import bidirectional

import numpy as np

from sweeptree.columns import Column, Level
from sweeptree.fitted import FittedModel

TURNING = {"R", "AL", "RLE", "RLO", "LRE", "LRO", "PDF", "RLI", "LRI", "FSI", "PDI"}
"""Classes of characters that change the direction of what follows."""
START, END = "\u2068", "\u2069"
"""Unicode's first strong isolate, and the end of it."""


def isolated(text: str) -> str:
    """Wrap a text that may turn the words around it; others stay as they are.

    Examples
    --------
    >>> isolated("age"), len(isolated("גיל"))
    ('age', 5)
    """
    turns = any(bidirectional(character) in TURNING for character in text)
    return f"{START}{text}{END}" if turns else text


def with_isolated_names(model: FittedModel) -> Any:
    """Return the model with columns, levels and classes that can stand in any sentence."""
    calm: Any = copy(model)
    calm.columns_ = tuple(_with_isolated_name(column) for column in model.columns_)
    calm.classes_ = np.array([_isolated_label(x) for x in model.classes_.tolist()], dtype=object)
    return calm


def _with_isolated_name(column: Column) -> Column:
    levels: tuple[Level, ...] = tuple(_isolated_label(level) for level in column.levels)
    return replace(column, name=isolated(column.name), levels=levels)


def _isolated_label(label: Any) -> Any:
    return isolated(label) if isinstance(label, str) else label
