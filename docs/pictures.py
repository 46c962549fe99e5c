"""Makes the pictures of the docs: ``python docs/pictures.py``."""

import re
from pathlib import Path

from rich.console import Console

from sweeptree.demo import run_demo

IMAGES = Path(__file__).parent / "images"


def picture_of_demo() -> None:
    """Save what ``make demo`` prints as a picture, without fonts from elsewhere."""
    console = Console(record=True, width=76)
    run_demo(0, console)
    svg = console.export_svg(title="make demo")
    (IMAGES / "demo.svg").write_text(re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL))


if __name__ == "__main__":
    picture_of_demo()
