"""`sweeptree demo`."""

from __future__ import annotations

import argparse

from sweeptree.cli.showing import PipeConsole, show
from sweeptree.demo import run_demo


def run(options: argparse.Namespace) -> None:
    """Fit the built-in Wisconsin data, show the result, and write a report."""
    record = run_demo(options.random_state, PipeConsole(quiet=options.json))
    if options.json:
        show(options, record)
