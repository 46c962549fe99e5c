"""A table as it comes out of a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.names import nearest_name
from sweeptree.table_files.errors import WrongColumnError

Array = npt.NDArray[Any]

MOST_NAMED = 5
"""Columns that an error names; of more it tells the number."""


@dataclass(frozen=True)
class Table:
    """Columns by name, and where in the file each row stands."""

    source: str
    """The file as messages call it."""
    columns: dict[str, Array]
    """Numbers as float64 with NaN, dates as datetime64 with NaT, truth values as bool, text as
    objects; a column of objects has None where a value is missing."""
    places: npt.NDArray[np.int64]
    """Line of a CSV file in which each row starts; number of a row, from 0, of a Parquet file."""
    unit: str = "line"
    """What the places count: "line" or "row"."""
    notes: tuple[str, ...] = ()
    """What a reader should know of how the file was taken."""

    def __len__(self) -> int:
        return len(self.places)

    def column(self, name: str) -> Array:
        """Return a column; if there is none of that name, the error tells the nearest.

        Examples
        --------
        >>> table = Table("t.csv", {"age": np.array([1.0])}, np.array([2]))
        >>> try:
        ...     table.column("Age")
        ... except WrongColumnError as error:
        ...     print(error)
        t.csv has no column 'Age'; did you mean 'age'?
        """
        check_has(self.source, list(self.columns), [name])
        return self.columns[name]

    def without(self, left_out: str) -> Table:
        """Leave a column out."""
        kept = {name: column for name, column in self.columns.items() if name != left_out}
        return replace(self, columns=kept)

    def rows(self, which: slice) -> Table:
        """Return some of the rows."""
        columns = {name: column[which] for name, column in self.columns.items()}
        return replace(self, columns=columns, places=self.places[which])


def check_has(source: str, names: Sequence[str], wanted: Iterable[str]) -> None:
    """Refuse names that the table does not have.

    Examples
    --------
    >>> try:
    ...     check_has("t.csv", ["age", "dose", "sex"], ["Age", "dose", "sx"])
    ... except WrongColumnError as error:
    ...     print(error)
    t.csv has no columns 'Age', 'sx'; did you mean 'age', 'sex'?
    """
    known = set(names)
    missing = [name for name in wanted if name not in known]
    if not missing:
        return
    hint = "is it another table?"
    if len(missing) <= MOST_NAMED and any(names):
        near = dict.fromkeys(nearest_name(name, filter(None, names)) for name in missing)
        hint = f"did you mean {_named(list(near))}?"
    raise WrongColumnError(
        f"{source} has no column{'s' * (len(missing) > 1)} {_named(missing)}; {hint}"
    )


def _named(names: Sequence[Any]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" * (len(names) > MOST_NAMED)
    return ", ".join(map(repr, names[:MOST_NAMED])) + more


def joined(tables: Sequence[Table]) -> Table:
    """Put chunks of one file below each other."""
    first = tables[0]
    columns = {
        name: np.concatenate([table.columns[name] for table in tables]) for name in first.columns
    }
    places = np.concatenate([table.places for table in tables])
    return replace(first, columns=columns, places=places)


def is_missing(column: Array) -> npt.NDArray[np.bool_]:
    """Tell where a column has no value.

    Examples
    --------
    >>> is_missing(np.array(["a", None], dtype=object)), is_missing(np.array([np.nan]))
    (array([False,  True]), array([ True]))
    """
    if column.dtype == object:
        return np.array([value is None for value in column], dtype=bool)
    if column.dtype.kind == "M":
        return np.isnat(column)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=bool)
