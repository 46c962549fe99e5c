"""Pages of the docs that show results: each between two marks that name it."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks import results
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


def text_of(page: Path, path: Path) -> str:
    """Write a result as a page shows it: its pictures and its tables."""
    result = results.read(path)
    place = os.path.relpath(path.parent, page.parent)
    pictures = [f"![{Path(name).stem}]({place}/{name})" for name in result["pictures"]]
    return "\n\n".join([*pictures, results.as_markdown(result).strip()])


def show(page: Path, path: Path) -> None:
    """Put a result into its place on a page."""
    put(page, path.stem, text_of(page, path))


def put(page: Path, name: str, shown: str) -> None:
    """Put a text into the place of that name on a page."""
    text = page.read_text(encoding="utf-8")
    shown_on(text, name)
    before, mark, after = text.partition(begin(name))
    rest = after.partition(END)[2]
    write_atomically(page, f"{before}{mark}\n\n{shown}\n\n{END}{rest}")
