"""Pages of the docs that show results: each between two marks that name it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.results import as_markdown
from sweeptree.writing import write_atomically

END = "<!-- end of result -->"


def begin(name: str) -> str:
    """Return the mark after which a benchmark's result is shown."""
    return f"<!-- result: {name} -->"


def shown_on(page: str, name: str) -> str:
    """Return what a page shows of a benchmark."""
    _, mark, after = page.partition(begin(name))
    if not mark or END not in after:
        raise ValueError(f"The page has no place for {name}: {begin(name)} … {END}.")
    return after.partition(END)[0].strip()


def show(path: Path, result: dict[str, Any]) -> None:
    """Put a result into its place on a page."""
    page = path.read_text(encoding="utf-8")
    name = result["benchmark"]
    shown_on(page, name)
    before, mark, after = page.partition(begin(name))
    rest = after.partition(END)[2]
    write_atomically(path, f"{before}{mark}\n\n{as_markdown(result).strip()}\n\n{END}{rest}")
