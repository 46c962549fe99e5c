"""The command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="sweeptree",
        description="Bayesian decision-tree classification whose uncertainty can be trusted.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="fit the built-in Wisconsin data and show the result")
    demo.add_argument("--seed", type=int, default=0, help="seed of the split and of the chains")
    options = parser.parse_args(arguments)

    from rich.console import Console

    from sweeptree.demo import run_demo

    run_demo(options.seed, Console())
    return 0
