"""A table as text, laid out for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from sweeptree.summary import new_table

LONGEST_NUMBER = 14
"""Cells up to this length stay on one line in a narrow terminal; longer ones are words."""


@dataclass(frozen=True)
class Sheet:
    """A table as text: for the terminal and for Markdown."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    n_labels: int = 1
    """Columns of text at the left; numbers follow."""

    def to_rich(self) -> Table:
        """Lay it out for the terminal."""
        table = new_table(
            self.title, list(self.headings[: self.n_labels]), list(self.headings[self.n_labels :])
        )
        for column, cells in zip(table.columns, zip(*self.rows, strict=True), strict=True):
            column.no_wrap = max(map(len, cells)) <= LONGEST_NUMBER
        for row in self.rows:
            table.add_row(*row)
        table.caption = self.note or None
        table.caption_justify = "left"
        return table

    def to_markdown(self) -> str:
        """Lay it out as Markdown, without the title.

        Examples
        --------
        >>> print(Sheet("Sizes", ["set", "splits"], [["XOR3", "3.6"]]).to_markdown())
        | set | splits |
        |---|--:|
        | XOR3 | 3.6 |
        """
        n_numbers = len(self.headings) - self.n_labels
        rule = "|" + "---|" * self.n_labels + "--:|" * n_numbers
        lines = [_markdown_row(self.headings), rule, *map(_markdown_row, self.rows)]
        return "\n".join(lines + ["", self.note] * bool(self.note))


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
