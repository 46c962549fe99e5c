"""``python -m benchmarks``: list the benchmarks, run some, or show what runs have found."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmarks import digest, pages, results
from benchmarks.outcome import ReportTable
from benchmarks.registry import NAMES, Benchmark, benchmark

RESULTS = Path("build/benchmarks")
WIDTH = 120


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = made.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="name the benchmarks, or show the options of one")
    listing.add_argument("name", nargs="?", metavar="NAME")
    running = commands.add_parser(
        "run",
        help="run some and write what they find",
        description="Options of a benchmark's own follow its name; `list NAME` shows them.",
        allow_abbrev=False,
    )
    running.add_argument("names", nargs="+", metavar="NAME")
    running.add_argument("--quick", action="store_true", help="a short run, for a first look")
    running.add_argument(
        *("-o", "--output"),
        type=Path,
        default=RESULTS,
        metavar="DIR",
        help="where NAME.json, NAME.md and pictures go; %(default)s",
    )
    showing = commands.add_parser("table", help="print the tables of a result in Markdown")
    showing.add_argument("result", type=Path, metavar="RESULT.json")
    showing.add_argument("--into", type=Path, metavar="PAGE.md", help="put them into their place")
    summing_up = commands.add_parser("digest", help="print what the kept results come to")
    summing_up.add_argument(
        "--from", dest="kept", type=Path, default=digest.KEPT, metavar="DIR", help="%(default)s"
    )
    summing_up.add_argument("--into", type=Path, metavar="PAGE.md", help="put it into its place")
    return made


def show_list(name: str | None) -> None:
    """Print the names, or the options of one benchmark."""
    if name is not None:
        benchmark(name).parser().print_help()
        return
    report = ReportTable("Benchmarks", ["name", "what it measures"], [])
    for each in NAMES:
        report.add_row(each, benchmark(each).title)
    Console(width=WIDTH).print(report.for_terminal())


def show_tables(path: Path, page: Path | None) -> None:
    """Print the tables of a result, or put them into a page."""
    if page is None:
        print(results.as_markdown(results.read(path)), end="")
    else:
        pages.show(page, path)


def show_digest(kept: Path, page: Path | None) -> None:
    """Print what the kept results come to, or put it into a page."""
    if page is None:
        print(digest.text_of(kept))
    else:
        digest.show(page, kept)


def run(chosen: Benchmark, is_quick: bool, arguments: Sequence[str], directory: Path) -> None:
    """Run one benchmark; whatever it finds is written as soon as it is there."""
    options = chosen.parser(is_quick).parse_args(arguments)
    shown = [*(["--quick"] if is_quick else []), *arguments]
    start = time.perf_counter()
    for outcome in chosen.run(options):
        seconds = time.perf_counter() - start
        description = results.describe(chosen.name, chosen.title, shown, options, seconds)
        path = results.write(directory, description, outcome)
    console = Console(width=WIDTH)
    for table in outcome.tables:
        console.print(table.for_terminal())
    console.print(f"Written: {path}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says."""
    command_line = parser()
    options, others = command_line.parse_known_args(arguments)
    if others and options.command != "run":
        command_line.error(f"unrecognized arguments: {' '.join(others)}")
    try:
        if options.command == "list":
            show_list(options.name)
        elif options.command == "table":
            show_tables(options.result, options.into)
        elif options.command == "digest":
            show_digest(options.kept, options.into)
        else:
            for chosen in [benchmark(name) for name in options.names]:
                run(chosen, options.quick, others, options.output)
    except ValueError as error:
        sys.exit(f"benchmarks: {error}")


if __name__ == "__main__":
    main()
