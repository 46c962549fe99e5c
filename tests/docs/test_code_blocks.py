"""The Python code on every page runs."""

import matplotlib.pyplot as plt
import pytest

from doc_pages import PAGES_WITH_CODE, ROOT, name_of, python_blocks
from doc_preludes import PRELUDES

SLOW = {
    *("README.md", "docs/index.md", "docs/report.md", "docs/scaling.md", "docs/tutorial.md"),
}
FULL_OF_WARNINGS = {
    "docs/arviz.md",  # ArviZ's, about few draws and about matplotlib
    "docs/scaling.md",  # Dask's, about pandas, when it writes Parquet
}
NAMES = [name_of(page) for page in PAGES_WITH_CODE if python_blocks(page)]


def page_to_run(name):
    marks = [pytest.mark.slow] * (name in SLOW)
    marks += [pytest.mark.filterwarnings("ignore")] * (name in FULL_OF_WARNINGS)
    return pytest.param(name, marks=marks)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", [page_to_run(name) for name in NAMES])
def test_the_code_of_a_page_runs(name, tmp_path, monkeypatch):
    """All blocks in one namespace, where files that they write are in nobody's way."""
    monkeypatch.chdir(tmp_path)
    namespace = PRELUDES[name]() if name in PRELUDES else {}
    for block in python_blocks(ROOT / name):
        if not block.why_not_run:
            code_in_its_line = "\n" * block.line + block.code
            exec(compile(code_in_its_line, str(ROOT / name), "exec"), namespace)
    plt.close("all")


def test_what_is_said_of_pages_is_said_of_pages_that_have_code():
    assert {*PRELUDES, *SLOW, *FULL_OF_WARNINGS} <= set(NAMES)


def test_only_code_that_says_why_is_left_out():
    left_out = {
        (name, block.why_not_run)
        for name in NAMES
        for block in python_blocks(ROOT / name)
        if block.why_not_run
    }
    assert {name for name, _ in left_out} == {"docs/scaling.md"}
    assert len(left_out) == 3
