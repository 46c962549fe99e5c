"""The pages of the documentation: their code and their links."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGES_WITH_CODE = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = sorted({*ROOT.glob("*.md"), *PAGES_WITH_CODE, *(ROOT / "examples").glob("*.md")})

FENCE = re.compile(r"(?ms)^(?P<indent> *)(?P<fence>```+)(?P<language>\w*)[^\n]*\n(.*?)^\1\2 *$")
PYTHON = re.compile(r"(?ms)(?:^<!-- not run: (?P<why>.+?) -->\n)?^```python\n(?P<code>.*?)^```$")


class Block(NamedTuple):
    """Python code of a page, from the given line on, and why it is not run if it is not."""

    line: int
    code: str
    why_not_run: str | None


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def python_blocks(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(text.count("\n", 0, found.start("code")), found["code"], found["why"])
        for found in PYTHON.finditer(text)
    ]


def prose_of(page):
    """The page without its code, where brackets are no links and hashes no headings."""
    without_blocks = FENCE.sub("", page.read_text(encoding="utf-8"))
    return re.sub(r"`[^`\n]+`", lambda code: re.sub(r"[\[\]()]", "", code[0]), without_blocks)


def links_of(page):
    """Targets of links and images."""
    prose = prose_of(page)
    in_brackets = re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", prose)
    return in_brackets + re.findall(r"(?:src|href)=\"([^\"]+)\"", prose)


def anchors_of(page):
    """Names of the page's headings, as GitHub makes them of their text."""
    anchors, seen = [], Counter()
    for heading in re.findall(r"(?m)^#+ (.+)$", prose_of(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip())
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        anchors.append(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return anchors
