"""The README's measured figures: of some of the kept results the table that says most.

``python -m benchmarks digest --into README.md`` puts them there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import pages, results
from benchmarks.outcome import ReportTable

KEPT = Path("benchmarks/results")
NAME = "digest"
"""Of the place on a page."""


def moves_by_size(tables: Sequence[ReportTable]) -> ReportTable:
    """Put the medians of all sizes of tables beside each other."""
    sizes = [table.title.partition(":")[0] for table in tables]
    joined = ReportTable("Moves per CPU second, one thread", ["package"], sizes)
    medians = [column_of(table, "median") for table in tables]
    for package in medians[0]:
        joined.add_row(package, *(of_size.get(package, "–") for of_size in medians))
    return joined


def first(tables: Sequence[ReportTable]) -> ReportTable:
    """Keep the first table as it is."""
    return tables[0]


DIGESTS: dict[str, Callable[[Sequence[ReportTable]], ReportTable]] = {
    "peers_speed": moves_by_size,
    "peers_quality": first,
    "held_out": first,
}
"""What is shown of which result, in this order."""


def column_of(table: ReportTable, number: str) -> dict[str, str]:
    """Return one column of numbers by the first label of its row."""
    place = len(table.labels) + table.numbers.index(number)
    return {row[0]: row[place] for row in table.rows}


def text_of(directory: Path = KEPT) -> str:
    """Write the tables of all results that are kept, each with the command that made it."""
    parts = [
        _part(results.read(path), digest)
        for name, digest in DIGESTS.items()
        if (path := directory / f"{name}.json").exists()
    ]
    return "\n".join(parts).strip()


def _part(result: dict[str, Any], digest: Callable[[Sequence[ReportTable]], ReportTable]) -> str:
    return f"{digest(results.tables_of(result)).as_markdown()}\n{results.made_by(result)}"


def show(page: Path, directory: Path = KEPT) -> None:
    """Put the digest into its place on a page."""
    pages.put(page, NAME, text_of(directory))
