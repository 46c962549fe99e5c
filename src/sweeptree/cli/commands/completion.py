"""`sweeptree completion`."""

from __future__ import annotations

import argparse

from sweeptree.cli.completion import completion_script
from sweeptree.cli.parser import make_parser
from sweeptree.cli.showing import as_json


def run(options: argparse.Namespace) -> None:
    """Print a script that completes commands and options in a shell."""
    script = completion_script(make_parser(), options.shell)
    if options.json:
        script = as_json({"shell": options.shell, "script": script}) + "\n"
    print(script, end="")
