"""Links between pages lead somewhere."""

from urllib.parse import unquote, urlsplit

import pytest

from doc_pages import PAGES, anchors_of, links_of, name_of


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_and_images_of_a_page_exist(page):
    for link in links_of(page):
        parts = urlsplit(link)
        if not parts.scheme:
            target = page.parent / unquote(parts.path) if parts.path else page
            assert target.exists(), f"{name_of(page)} has a link to {link}"
            if parts.fragment:
                assert parts.fragment in anchors_of(target), f"{name_of(page)}: {link}"


def test_links_are_found():
    found = [link for page in PAGES for link in links_of(page)]
    assert len(found) > 100
    assert "../benchmarks/results/growth-rows.svg" in found
    assert "uncertainty.md#where-single-trees-are-misspecified" in found
