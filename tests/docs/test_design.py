"""docs/design.md is true to the tree."""

import re

import pytest

from doc_pages import ROOT

PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
PLACES = ("benchmarks", "cpp", "docs", "src", "tests")

pytestmark = pytest.mark.skipif(
    not (ROOT / "cpp").is_dir(), reason="the sources are not beside the tests"
)


def is_there(name):
    return any(list((ROOT / place).rglob(name)) for place in PLACES)


def test_files_that_the_page_names_are_there():
    """A path is looked for by its last part: the page leaves out what stands above it."""
    named = {path.rpartition("/")[2] for path in re.findall(r"[\w/]+\.(?:py|hpp|cpp|md)\b", PAGE)}
    assert len(named) > 80
    assert [name for name in sorted(named) if not is_there(name)] == []


def test_modules_and_headers_that_matter_are_named():
    modules = (ROOT / "src" / "sweeptree").glob("*.py")
    matter = [path.name for path in (*modules, *(ROOT / "cpp").rglob("*.?pp"))]
    without_words = {"__init__.py", "__main__.py"}
    assert [name for name in matter if name not in PAGE and name not in without_words] == []
