"""`sweeptree completion`."""

from __future__ import annotations

import argparse

from sweeptree.cli.completion import completion_script
from sweeptree.cli.parser import make_parser


def run(options: argparse.Namespace) -> None:
    """Print a script that completes commands and options in a shell."""
    print(completion_script(make_parser(), options.shell), end="")
