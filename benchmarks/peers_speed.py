"""Moves per CPU second beside other packages that sample trees, one thread each.

A move is one proposal on one tree. Every package runs in a process of its own, pinned to one core,
on the same rows; set-up and compilation are timed apart. The packages take turns, one block of
moves each, so that a machine that slows down slows all of them; the ratio is the median over the
turns of ours to theirs in the same turn.

    python -m benchmarks run peers_speed
    python -m benchmarks run peers_speed --peers bartz tgp --sizes xor3
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.peers.contestants import OF_MOVES, Contestant, add_choice_of_peers, chosen_of
from benchmarks.peers.environments import NotInstalledError
from benchmarks.peers.process import PeerError, PeerProcess, write_table
from benchmarks.peers.worker import Table
from benchmarks.sets import PAPER_SETS, LabelledTable, noisy_xor

SIZES = {
    "xor3": ("XOR3, 1,000 × 3", PAPER_SETS["XOR3"]),
    "10k": ("noisy XOR, 10,000 × 20", lambda: noisy_xor(10_000)),
    "100k": ("noisy XOR, 100,000 × 20", lambda: noisy_xor(100_000)),
}
SECONDS_TO_START = 300.0
QUICK = {"rounds": 2, "seconds": 0.2, "sizes": ["xor3"]}


def three_digits(value: float) -> str:
    """Write a number with three significant digits, and no decimals.

    Examples
    --------
    >>> three_digits(3_916_241.5)
    '3,920,000'
    """
    return f"{float(f'{value:.3g}'):,.0f}"


class Entrant:
    """A contestant at one table: its process, its turns, or why it has none."""

    def __init__(self, contestant: Contestant) -> None:
        self.contestant = contestant
        self.process: PeerProcess | None = None
        self.first_seconds = np.nan
        self.peak_megabytes = np.nan
        self.speeds: list[float] = []
        self.failure = ""

    def start(self, stack: ExitStack, table: Path, cpu: int, options: argparse.Namespace) -> None:
        """Begin its process, set up and compile."""
        package = self.contestant.package
        try:
            python = package.python(options.environments)
            self.process = stack.enter_context(PeerProcess(python, package.module, cpu))
            said = self.process.ask(
                SECONDS_TO_START,
                do="start",
                table=str(table),
                settings={"seed": options.seed} | self.contestant.settings,
                block_seconds=options.seconds,
            )
            self.first_seconds = said["first_seconds"]
        except NotInstalledError as error:
            self.failure = f"not installed: {error}"
        except PeerError as error:
            self.failure = str(error)

    def take_turn(self) -> None:
        """Make one block of moves."""
        if self.process is None or self.failure:
            return
        try:
            said = self.process.ask(SECONDS_TO_START, do="block")
        except PeerError as error:
            self.failure = str(error)
            return
        self.speeds.append(said["moves"] / said["cpu_seconds"])
        self.peak_megabytes = said["peak_megabytes"]

    def ratios(self, ours: Sequence[float]) -> list[float]:
        """Return how many times as many moves we make, turn by turn."""
        return [our / their for our, their in zip(ours, self.speeds, strict=True)]

    def cells(self, ours: Sequence[float]) -> list[str]:
        """Write its row of the report."""
        if self.failure:
            return [self.failure, *["–"] * 5]
        ratios = self.ratios(ours) if len(ours) == len(self.speeds) else [np.nan]
        return [
            three_digits(np.median(self.speeds)),
            f"{three_digits(min(self.speeds))} – {three_digits(max(self.speeds))}",
            f"{three_digits(np.median(ratios))} ×",
            f"{three_digits(min(ratios))} – {three_digits(max(ratios))}",
            f"{self.first_seconds:.1f}",
            f"{self.peak_megabytes:,.0f}",
        ]

    def figures(self, size: str) -> dict[str, Any]:
        """Return what was measured, for the record."""
        return {
            "table": size,
            "package": self.contestant.package.requirement or self.contestant.package.module,
            "label": self.contestant.label,
            "settings": self.contestant.settings,
            "moves_per_cpu_second": self.speeds,
            "first_seconds": self.first_seconds if not self.failure else None,
            "peak_megabytes": self.peak_megabytes if not self.failure else None,
            "failure": self.failure,
        }


def measure(
    table: LabelledTable, contestants: Sequence[Contestant], options: argparse.Namespace
) -> list[Entrant]:
    """Let all start, two at once, and then take turns, one at a time."""
    entrants = [Entrant(each) for each in contestants]
    cpus = sorted(os.sched_getaffinity(0))
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        path = Path(directory) / "table.npz"
        write_table(path, Table(table.X, table.y, 2, table.X[:1]))
        with ThreadPoolExecutor(len(cpus)) as pool:
            for i, entrant in enumerate(entrants):
                pool.submit(entrant.start, stack, path, cpus[i % len(cpus)], options)
        for _ in track(range(options.rounds), "Turns", transient=True):
            for entrant in entrants:
                entrant.take_turn()
    return entrants


def report_of(title: str, entrants: Sequence[Entrant]) -> ReportTable:
    """Make the table of one size; ours comes first."""
    report = ReportTable(
        f"{title}: moves per CPU second, one thread",
        ["package"],
        ["median", "least – most", "ours against it", "least – most", "until warm, s", "peak MB"],
    )
    for entrant in entrants:
        report.add_row(entrant.contestant.label, *entrant.cells(entrants[0].speeds))
    return report


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    add_choice_of_peers(parser)
    parser.add_argument("--rounds", type=int, default=5, help="turns of each")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of a turn, about")
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    contestants = chosen_of(OF_MOVES, options.peers)
    reports: list[ReportTable] = []
    figures: list[dict[str, Any]] = []
    for size in options.sizes:
        title, make = SIZES[size]
        entrants = measure(make(), contestants, options)
        reports.append(report_of(title, entrants))
        figures += [entrant.figures(title) for entrant in entrants]
        yield Outcome(reports, figures)
