"""A table as it comes out of a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.names import MOST_NAMED, listed, nearest_name
from sweeptree.table_files.errors import WrongColumnError

Array = npt.NDArray[Any]


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
    known, asked = set(names), dict.fromkeys(wanted)
    missing = [name for name in asked if name not in known]
    if missing:
        others = [name for name in names if name and name not in asked]
        begin = "the others are" if known & asked.keys() else "there are"
        message = f"{lack_of(source, missing)}; {hint_at_columns(missing, others, begin)}"
        raise WrongColumnError(message, source, missing, [name for name in names if name])


def lack_of(source: str, missing: Sequence[str]) -> str:
    """Say which columns a table does not have, to begin a sentence."""
    return f"{source} has no column{'s' * (len(missing) > 1)} {listed(missing)}"


def hint_at_columns(missing: Sequence[str], others: Sequence[str], begin: str = "there are") -> str:
    """Say which of the other columns may be meant, or else which these are."""
    if len(missing) > MOST_NAMED or not others:
        return "is it another table?"
    near = [nearest_name(name, others) for name in missing]
    meant = list(dict.fromkeys(name for name in near if name))
    return f"did you mean {listed(meant)}?" if meant else f"{begin} {listed(others)}."


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
