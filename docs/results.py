"""Makes the results in the docs and in the README: ``python docs/results.py``.

Runs ``sweeptree reproduce`` and keeps what it found in docs/reproduction, its Fig. 3 in
docs/images, and its short tables in the README. ``--render`` lays out anew what was found before.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from sweeptree.cli import main
from sweeptree.experiments.figures import draw_all
from sweeptree.experiments.report import README_BEGIN, README_END, account, readme_block

DOCS = Path(__file__).parent
README = DOCS.parent / "README.md"
KEPT = DOCS / "reproduction"
FIGURES = ["../images/figure-3.svg"]


def run() -> None:
    """Run everything, beside the sources but outside version control."""
    output = DOCS.parent / "build" / "reproduction"
    shutil.rmtree(output, ignore_errors=True)  # parts may come from another kernel
    status = main(["reproduce", "--output", str(output)])
    if status:
        sys.exit(status)
    KEPT.mkdir(exist_ok=True)
    shutil.copy(output / "results.json", KEPT)


def render() -> None:
    """Lay out the kept results as Fig. 3, as the account and as the README's tables."""
    results = json.loads((KEPT / "results.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as directory:
        draw_all(results, Path(directory))
        shutil.copy(Path(directory) / "figure-3.svg", DOCS / "images")
    (KEPT / "reproduction.md").write_text(account(results, FIGURES), encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(README_BEGIN)
    after = rest.partition(README_END)[2]
    README.write_text(before + readme_block(results) + after, encoding="utf-8")


if __name__ == "__main__":
    if "--render" not in sys.argv:
        run()
    render()
