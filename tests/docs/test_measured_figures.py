"""The figures that the README and the docs show are those of the results that are kept."""

import re

import pytest
from benchmarks.peers.contestants import OF_MOVES

from benchmarks import digest, pages, results
from doc_pages import ROOT, name_of

KEPT = ROOT / digest.KEPT
PAGES = {page: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}
README = (ROOT / "README.md").read_text(encoding="utf-8")


def cells_of_results():
    for path in KEPT.glob("*.json"):
        for table in results.tables_of(results.read(path)):
            for row in table.rows:
                yield from row


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.json")), ids=lambda path: path.stem)
def test_one_page_shows_each_result_that_is_kept(path):
    (page,) = [page for page, text in PAGES.items() if pages.begin(path.stem) in text]
    stale = f"stale: python -m benchmarks table {name_of(path)} --into {name_of(page)}"
    assert pages.shown_on(PAGES[page], path.stem) == pages.text_of(page, path), stale


def test_pages_show_no_result_that_is_not_kept():
    shown = re.findall(pages.begin(r"(\w+)"), "".join(PAGES.values()))
    assert sorted(shown) == sorted(path.stem for path in KEPT.glob("*.json"))


def test_the_readme_shows_the_digest_of_the_kept_results():
    stale = "stale: python -m benchmarks digest --into README.md"
    assert pages.shown_on(README, digest.NAME) == digest.text_of(KEPT), stale


def test_every_figure_of_the_digest_stands_in_a_result():
    rows = re.findall(r"(?m)^\| (?!package|table|---)(.+) \|$", digest.text_of(KEPT))
    assert len(rows) > 10
    assert {cell for row in rows for cell in row.split(" | ")} <= {*cells_of_results(), "–"}


def test_packages_are_compared_in_the_versions_that_are_measured():
    measured = {each.package.requirement for each in OF_MOVES if each.package.requirement}
    assert len(measured) == 4
    assert all(requirement.replace("==", " ") in README for requirement in measured)
