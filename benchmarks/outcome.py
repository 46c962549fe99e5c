"""What a benchmark hands over: tables to read, figures to compute with, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.table import Table

from sweeptree.summary import new_table

Drawing = Callable[[str], None]
"""Draws a picture into the file of that name."""


@dataclass
class ReportTable:
    """A table of texts: columns of labels to the left, columns of numbers to the right."""

    title: str
    labels: list[str]
    numbers: list[str]
    rows: list[list[str]] = field(default_factory=list)

    def add_row(self, *cells: str) -> None:
        n_columns = len(self.labels) + len(self.numbers)
        if len(cells) != n_columns:
            raise ValueError(f"{self.title!r} has {n_columns} columns, the row {len(cells)} cells.")
        self.rows.append(list(cells))

    def for_terminal(self) -> Table:
        table = new_table(self.title, self.labels, self.numbers)
        for row in self.rows:
            table.add_row(*row)
        return table

    def as_markdown(self) -> str:
        """Write a title and a table in Markdown, numbers to the right."""
        rule = ["---"] * len(self.labels) + ["---:"] * len(self.numbers)
        lines = [[*self.labels, *self.numbers], rule, *self.rows]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"**{self.title}**\n\n{table}\n"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Outcome:
    """What has been found so far."""

    tables: Sequence[ReportTable]
    measurements: Sequence[dict[str, Any]] = ()
    """The figures behind the tables, unrounded."""
    pictures: dict[str, Drawing] = field(default_factory=dict)
