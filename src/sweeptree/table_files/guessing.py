"""Telling by its cells what kind of column it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sweeptree.table_files.cells import MISSING, CellKind, first_odd, number

KINDS: tuple[CellKind, ...] = ("number", "boolean", "date")
"""In the order in which they are preferred; text is what remains."""

SEPARATED = re.compile(r"[+-]?(\d+,\d+|\d{1,3}([.,'’ \u00a0\u202f]\d{3})+([.,]\d+)?)")
"""What may be a number with a decimal comma, or with its thousands set apart."""


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
    >>> guess.kind, guess.odd_cell
    ('text', Cell(text='many', line=5))
    >>> guess = ColumnGuess(has_decimal_commas=False)
    >>> guess.look_at(["27,5", "130,000"], [2, 3])
    >>> guess.kind, guess.separated_cell
    ('text', Cell(text='27,5', line=2))
    """

    def __init__(self, has_decimal_commas: bool) -> None:
        self._has_decimal_commas = has_decimal_commas
        self._possible = list(KINDS)
        self._n_numbers = 0
        self._n_separated = 0
        self._n_words = 0
        self._first_separated: Cell | None = None
        self._first_word: Cell | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no cell had a value."""
        return self._n_numbers + self._n_separated + self._n_words == 0

    @property
    def kind(self) -> CellKind:
        """What all cells are."""
        return self._possible[0] if self._possible else "text"

    @property
    def odd_cell(self) -> Cell | None:
        """The first that is no number, if the column is text but most cells are numbers."""
        return self._first_word if self._is_text_by_few_cells else None

    @property
    def separated_cell(self) -> Cell | None:
        """The first that may be a number with commas or the like, if most cells are numbers.

        Which it is, cannot be told: 130,000 may be 130 or 130000.
        """
        return self._first_separated if self._is_text_by_few_cells else None

    @property
    def _is_text_by_few_cells(self) -> bool:
        return self.kind == "text" and self._n_numbers + self._n_separated > self._n_words

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
        if self._n_words <= self._n_numbers + self._n_separated:  # else text by more than a few
            self._count(cells, lines)

    def _count(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        for cell, line in zip(cells, lines, strict=True):
            if cell in MISSING:
                continue
            if self._is_number(cell):
                self._n_numbers += 1
                continue
            self._possible = [kind for kind in self._possible if kind != "number"]
            if SEPARATED.fullmatch(cell):
                self._n_separated += 1
                self._first_separated = self._first_separated or Cell(cell, line)
            else:
                self._n_words += 1
                self._first_word = self._first_word or Cell(cell, line)

    def _is_number(self, cell: str) -> bool:
        try:
            number(cell.replace(",", ".") if self._has_decimal_commas else cell)
        except ValueError:
            return False
        return True
