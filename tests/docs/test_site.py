"""The site is built without a warning, and works from a disk, without a network."""

import html
import os
import re
import shutil
import subprocess
import sys
from argparse import _SubParsersAction

import pytest

from doc_pages import ROOT
from sweeptree.cli.parser import make_parser

pytestmark = pytest.mark.slow

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    directory = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(directory)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return directory


@pytest.fixture(scope="module")
def search_page(site):
    """The site's first page in a browser, and all that it asks for."""
    if BROWSER is None:
        pytest.skip("no chromium is installed; apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER)
        page = browser.new_context(offline=True).new_page()
        asked_for = []
        page.on("request", lambda request: asked_for.append(request.url))
        page.goto((site / "index.html").as_uri())
        yield page, asked_for
        browser.close()


def commands_of(parser):
    """Commands of a parser by name, with what they have inside."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for name, command in action.choices.items():
                yield name, command
                yield from ((f"{name} {sub}", inner) for sub, inner in commands_of(command))


def words_of(path):
    return html.unescape(re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8")))


def test_pages_load_nothing_from_elsewhere(site):
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        loaded = re.findall(
            r"<(?:script|img|link|iframe)\b[^>]*(?:src|href)=\"(https?:[^\"]*)\"", text
        )
        assert not loaded, path.name


def test_every_command_and_option_is_in_the_reference(site):
    words = words_of(site / "reference" / "commands.html")
    commands = dict(commands_of(make_parser()))
    assert {"fit", "predict", "datasets export"} <= set(commands)
    for name, command in commands.items():
        assert f"sweeptree {name}" in words
        for action in command._actions:
            assert all(flag in words for flag in action.option_strings)


def test_every_method_of_the_model_is_in_the_reference(site):
    page = (site / "reference" / "python.html").read_text(encoding="utf-8")
    for name in ("fit", "predict_proba_draws", "uncertainty", "explain", "save", "report", "score"):
        assert re.search(rf"id=\"sweeptree\.[\w.]*\.{name}\"", page), name


def test_errors_and_types_of_attributes_are_in_the_reference(site):
    page = (site / "reference" / "python.html").read_text(encoding="utf-8")
    errors = ("ModelFileError", "CheckpointError", "ClusterError", "OddTextWarning")
    for name in (*errors, "Posterior", "Column", "TrainingRows"):
        assert re.search(rf"id=\"sweeptree\.[\w.]*\.{name}\"", page), name


def test_what_pages_show_from_outside_docs_is_there(site):
    shown = re.findall(r"src=\"(benchmarks/[^\"]+)\"", (site / "performance.html").read_text())
    assert len(shown) == 6
    assert all((site / picture).is_file() for picture in shown)
    assert (site / "examples" / "abstaining.py").is_file()


def test_the_search_finds_pages_without_a_server(search_page):
    page, asked_for = search_page
    page.click(".md-search__input")
    page.keyboard.type("threshold", delay=20)
    page.wait_for_selector(".md-search-result__link", state="attached")
    assert "matching documents" in page.inner_text(".md-search-result__meta")
    assert all(url.startswith(("file:", "data:", "about:")) for url in asked_for)
