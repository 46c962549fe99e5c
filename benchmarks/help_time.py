"""How soon --help answers, against the least that it could take.

``python -m benchmarks.help_time`` starts each call some times and prints the median. Wanted is at
most twice the time of importing argparse alone, plus 0.15 s.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

N_TIMES = 9
ALLOWANCE = 0.15
IMPORT_ALONE = ["-c", "import argparse"]
COMMANDS = ("fit", "predict", "evaluate", "compare", "completion")


def median_seconds(arguments: list[str]) -> float:
    seconds = []
    for _ in range(N_TIMES):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main() -> None:
    alone = median_seconds(IMPORT_ALONE)
    print(f"import argparse  {alone:.3f} s; wanted: at most {2 * alone + ALLOWANCE:.3f} s")
    for command in ([], *([each] for each in COMMANDS)):
        seconds = median_seconds(["-m", "sweeptree", *command, "--help"])
        print(f"{' '.join(['sweeptree', *command, '--help']):<29} {seconds:.3f} s")


if __name__ == "__main__":
    main()
