"""Examples hold what they say, each in a process of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_all_examples_are_found():
    assert len(EXAMPLES) == 4


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_its_claims_hold(path, tmp_path):
    """Nothing is written beside it."""
    environment = {
        **os.environ,
        "MPLBACKEND": "Agg",
        "TMPDIR": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    before = set(path.parent.iterdir())
    done = subprocess.run(
        [sys.executable, str(path)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert set(path.parent.iterdir()) == before


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_a_notebook_with_claims_that_are_checked(path):
    text = path.read_text(encoding="utf-8")
    cells = re.split(r"(?m)^# %%", text)[1:]
    assert "format_name: percent" in text.split("# %%")[0]
    assert re.match(r" \[markdown\]\n# # \w", cells[0])
    assert sum(cell.startswith(" [markdown]") for cell in cells) >= 4
    assert len(re.findall(r"(?m)^ *(?:assert|np\.testing\.assert)", text)) >= 5


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_list_of_examples_has_it(path):
    assert f"({path.name})" in (path.parent / "README.md").read_text(encoding="utf-8")
