"""How soon --help answers, against the least that it could take.

Each call is started some times, and the median counts. Wanted is at most twice the time of
importing argparse alone, plus 0.15 s.

    python -m benchmarks run help_time
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.outcome import Outcome, ReportTable

QUICK = {"times": 1}
ALLOWANCE = 0.15
IMPORT_ALONE = ["-c", "import argparse"]
COMMANDS = ("fit", "predict", "evaluate", "compare", "completion")


def median_seconds(arguments: list[str], n_times: int) -> float:
    seconds = []
    for _ in range(n_times):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--times", type=int, default=9, help="each call is made so often")


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    alone = median_seconds(IMPORT_ALONE, options.times)
    report = ReportTable(
        f"Median of {options.times} calls; wanted: at most {2 * alone + ALLOWANCE:.3f} s",
        ["call"],
        ["seconds"],
    )
    report.add_row("import argparse", f"{alone:.3f}")
    for command in ([], *([each] for each in COMMANDS)):
        seconds = median_seconds(["-m", "sweeptree", *command, "--help"], options.times)
        report.add_row(" ".join(["sweeptree", *command, "--help"]), f"{seconds:.3f}")
    yield Outcome([report])
