"""Telling by its cells what kind of column it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from sweeptree.odd_text import SEPARATED
from sweeptree.table_files.cells import (
    MISSING,
    CellKind,
    first_odd,
    is_impossible_date,
    number,
)
from sweeptree.table_files.csv_rows import Rows

KINDS: tuple[CellKind, ...] = ("number", "boolean", "date")
"""In the order in which they are preferred; text is what remains."""

Look = Literal["number", "separated number", "date", "impossible date", "word"]
"""What a cell looks like by itself."""

DECIMAL_COMMA = re.compile(r"[+-]?[\d.]*,\d+([eE][+-]?\d+)?")
POINTED = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
POINTED_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
"""What may be thousands where decimals are written with commas."""


class Cell(NamedTuple):
    """A cell and where it stands."""

    text: str
    line: int


class ColumnGuess:
    """What a column may be, by the cells seen so far.

    Infinite numbers count as numbers here: whoever reads the column as numbers refuses them.

    Parameters
    ----------
    has_decimal_commas : bool
        Whether 1,5 is a number.

    Examples
    --------
    >>> guess = ColumnGuess(has_decimal_commas=False)
    >>> guess.look_at(["1", "2", "NA", "many"], [2, 3, 4, 5])
    >>> guess.kind, guess.mostly, guess.odd_cell
    ('text', 'numbers', Cell(text='many', line=5))
    >>> guess = ColumnGuess(has_decimal_commas=False)
    >>> guess.look_at(["27,5", "130,000"], [2, 3])
    >>> guess.kind, guess.separated_cell
    ('text', Cell(text='27,5', line=2))
    """

    def __init__(self, has_decimal_commas: bool) -> None:
        self._has_decimal_commas = has_decimal_commas
        self._possible = list(KINDS)
        self._counts: Counter[Look] = Counter()
        self._first: dict[Look, Cell] = {}

    @property
    def is_empty(self) -> bool:
        """Whether no cell had a value."""
        return not self._counts

    @property
    def kind(self) -> CellKind:
        """What all cells are."""
        return self._possible[0] if self._possible else "text"

    @property
    def mostly(self) -> Literal["numbers", "dates"] | None:
        """What most cells are, if the column is text because of a few others."""
        if self.kind != "text":
            return None
        half = self._counts.total() / 2
        if self._counts["number"] + self._counts["separated number"] > half:
            return "numbers"
        if self._counts["date"] + self._counts["impossible date"] > half:
            return "dates"
        return None

    @property
    def odd_cell(self) -> Cell | None:
        """The first that is not what most cells are."""
        if self.mostly == "numbers":
            return self._first_but("number", "separated number")
        return self._first_but("date") if self.mostly == "dates" else None

    @property
    def separated_cell(self) -> Cell | None:
        """The first that may be a number with commas or the like, if most cells are numbers.

        Which it is, cannot be told: 130,000 may be 130 or 130000.
        """
        return self._first.get("separated number") if self.mostly == "numbers" else None

    def look_at(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take further cells into account.

        Parameters
        ----------
        cells : sequence of str
            Without space around them.
        lines : sequence of int
            Where each stands.
        """
        for kind in tuple(self._possible):
            if kind != "number" and first_odd(cells, kind, self._has_decimal_commas) is not None:
                self._possible.remove(kind)
        if self._counts["word"] <= self._counts.total() / 2:  # else text by more than a few
            self._count(cells, lines)

    def doubt(self, cell: Cell) -> None:
        """Take a number for one of which it cannot be told which it is."""
        self._rule_out_numbers()
        self._first.setdefault("separated number", cell)

    def _count(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        for cell, line in zip(cells, lines, strict=True):
            if cell in MISSING:
                continue
            look = self._look_of(cell)
            self._counts[look] += 1
            self._first.setdefault(look, Cell(cell, line))
            if look != "number":
                self._rule_out_numbers()

    def _look_of(self, cell: str) -> Look:
        if self._is_number(cell):
            return "number"
        if SEPARATED.fullmatch(cell):
            return "separated number"
        if is_impossible_date(cell):
            return "impossible date"
        return "date" if first_odd([cell], "date", self._has_decimal_commas) is None else "word"

    def _is_number(self, cell: str) -> bool:
        try:
            number(cell.replace(",", ".") if self._has_decimal_commas else cell)
        except ValueError:
            return False
        return True

    def _rule_out_numbers(self) -> None:
        self._possible = [kind for kind in self._possible if kind != "number"]

    def _first_but(self, *looks: Look) -> Cell | None:
        others = [cell for look, cell in self._first.items() if look not in looks]
        return min(others, key=lambda cell: cell.line, default=None)


def guess_of_texts(texts: Iterable[str | None], places: Sequence[int]) -> ColumnGuess:
    """Guess what a column of text with holes may be."""
    guess = ColumnGuess(has_decimal_commas=False)
    guess.look_at(["" if text is None else text.strip() for text in texts], places)
    return guess


class DecimalMarks:
    """Whether points part decimals in the columns of a file where commas may.

    Parameters
    ----------
    n_columns : int

    Examples
    --------
    >>> marks = DecimalMarks(2)
    >>> marks.look_at(Rows([("5,3", "0,6"), ("843", "1.218")], [2, 3]))
    >>> marks.doubtful_cell(0), marks.doubtful_cell(1)
    (None, Cell(text='1.218', line=3))
    """

    def __init__(self, n_columns: int) -> None:
        self._has_comma = [False] * n_columns
        self._has_decimal_point = [False] * n_columns
        self._first_point: list[Cell | None] = [None] * n_columns

    def look_at(self, rows: Rows) -> None:
        """Take further rows into account."""
        for place, cells in enumerate(rows.columns):
            for cell, line in zip(cells, rows.lines, strict=True):
                if DECIMAL_COMMA.fullmatch(cell):
                    self._has_comma[place] = True
                elif POINTED.fullmatch(cell):
                    self._take_point(place, Cell(cell, line))

    def doubtful_cell(self, place: int) -> Cell | None:
        """Return the first number of a column whose point may not part decimals, if any.

        It may set thousands apart where there are decimal commas: in the same column, or in
        others while no number of this one must have a decimal point, as 2.5 must.
        """
        has_commas_beside = any(self._has_comma) and not self._has_decimal_point[place]
        is_in_doubt = self._has_comma[place] or has_commas_beside
        return self._first_point[place] if is_in_doubt else None

    def _take_point(self, place: int, cell: Cell) -> None:
        self._first_point[place] = self._first_point[place] or cell
        if not POINTED_THOUSANDS.fullmatch(cell.text):
            self._has_decimal_point[place] = True
