"""What a process keeps after half an hour of work: memory, threads, descriptors, temporary files.

Random tables of up to 400 rows are fitted, predicted, saved and loaded, one after the other in one
process; one fit in ten is refused, one in four shares its chains between two threads, one in five
keeps a checkpoint, one in eight writes a report. The first fifth of the time is warm-up; what is
left is cut into three parts, and the median of each counts. Memory leaks if it rises by more than
4 MB from the first part to the second and again from the second to the third; a thread, a
descriptor or a file leaks if there is one more at the end. Linux only: the figures are those of
/proc.

    python -m benchmarks run soak
    python -m benchmarks run soak --minutes 480
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from sklearn.exceptions import ConvergenceWarning

from benchmarks.outcome import Outcome, ReportTable
from sweeptree import BayesianTreeClassifier, load

QUICK = {"minutes": 1 / 3}
PROCESS = Path("/proc/self")
N_READINGS = 200
WARM_UP = 0.2
MOST_RISE = 4.0
"""Megabytes; what a part of the time may hold more than the part before it."""
STRATEGIES = ("exact", "standard", "restricting", "sweeping")


class Reading(NamedTuple):
    """What the process holds at one moment, after so many rounds."""

    seconds: float
    rounds: int
    megabytes: float
    threads: int
    descriptors: int
    files: int


HELD = {
    "resident memory, MB": "megabytes",
    "threads": "threads",
    "open descriptors": "descriptors",
    "temporary files": "files",
}
"""The figures of a reading that are judged, by what a table calls them."""


def read(seconds: float, rounds: int, directory: Path) -> Reading:
    """Ask the system what this process holds."""
    pages = int((PROCESS / "statm").read_text().split()[1])
    return Reading(
        seconds,
        rounds,
        pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        len(os.listdir(PROCESS / "task")),
        len(os.listdir(PROCESS / "fd")),
        sum(1 for _ in directory.rglob("*")),
    )


MAKES: tuple[Callable[[dict[str, Any]], Any], ...] = (dict, pd.DataFrame, pl.DataFrame)


def random_table(rng: np.random.Generator) -> tuple[Any, Any]:
    """Make a table of numbers with holes and of levels, as one of several makes, and labels."""
    n_rows = int(rng.integers(10, 400))
    columns: dict[str, Any] = {}
    for each in range(int(rng.integers(1, 7))):
        numbers = rng.normal(size=n_rows).round(2)
        numbers[rng.random(n_rows) < 0.1] = np.nan
        columns[f"number {each}"] = numbers
    columns["level"] = rng.choice(list("abcdef"), n_rows)
    n_classes = int(rng.integers(2, 5))
    y = (np.nan_to_num(columns["number 0"]) > 0) + rng.integers(0, n_classes - 1, n_rows)
    y[:2] = 0, 1
    return MAKES[int(rng.integers(len(MAKES)))](columns), y.astype(str)


def random_model(rng: np.random.Generator, directory: Path) -> BayesianTreeClassifier:
    return BayesianTreeClassifier(
        strategy=STRATEGIES[int(rng.integers(len(STRATEGIES)))],
        category_rules=("levels", "groups")[int(rng.integers(2))],
        n_chains=int(rng.integers(1, 4)),
        n_burn_in=2000,
        n_draws=int(rng.integers(4, 60)),
        thin=10,
        n_jobs=2 if rng.random() < 0.25 else 1,
        checkpoint=directory / "fit.checkpoint" if rng.random() < 0.2 else None,
        random_state=int(rng.integers(2**31)),
        progress=False,
    )


def work(rng: np.random.Generator, directory: Path) -> None:
    """Do once what users do; complain if a saved model does not predict the same."""
    X, y = random_table(rng)
    model = random_model(rng, directory)
    if rng.random() < 0.1:
        meet_refusal(model, X, y)
        return
    model.fit(X, y)
    model.predict_interval(X)
    model.uncertainty(X)
    model.representative_tree()
    with tempfile.TemporaryDirectory() as place:
        if rng.random() < 0.125:
            model.report(Path(place) / "report.html", X, y)
        model.save(Path(place) / "model.npz")
        loaded = load(Path(place) / "model.npz")
    if not np.array_equal(loaded.predict_proba(X), model.predict_proba(X)):
        raise ValueError("A model that was saved and loaded predicts otherwise than before.")


def meet_refusal(model: BayesianTreeClassifier, X: Any, y: Any) -> None:
    """Fit what cannot be fitted: the way out of a fit must not leak either."""
    try:
        model.fit(X, np.full_like(y, y[0]))
    except ValueError:
        return
    raise ValueError("A table of one class was fitted; it should have been refused.")


@contextmanager
def own_temporary_directory() -> Iterator[Path]:
    """Let all temporary files of this process be made in a directory where no others are."""
    usual = tempfile.tempdir
    with tempfile.TemporaryDirectory() as directory:
        tempfile.tempdir = directory
        try:
            yield Path(directory)
        finally:
            tempfile.tempdir = usual


def readings(minutes: float, seed: int, directory: Path) -> Iterator[Reading]:
    """Work for so many minutes, and tell now and then what the process holds."""
    rng = np.random.default_rng(seed)
    start, due, rounds, seconds = time.monotonic(), 0.0, 0, 0.0
    while seconds < 60 * minutes:
        work(rng, directory)
        rounds += 1
        seconds = time.monotonic() - start
        if seconds >= due:
            due = seconds + 60 * minutes / N_READINGS
            yield read(seconds, rounds, directory)


def parts_of(found: Sequence[Reading]) -> list[Sequence[Reading]]:
    """Leave out the warm-up, and cut the rest into three."""
    kept = found[int(len(found) * WARM_UP) :]
    edges = [round(len(kept) * part / 3) for part in range(4)]
    return [kept[a:b] for a, b in pairwise(edges)]


def medians(found: Sequence[Reading], figure: str) -> list[float]:
    """Of one figure: the median of each part."""
    return [statistics.median(getattr(each, figure) for each in part) for part in parts_of(found)]


def leaks(figure: str, values: Sequence[float]) -> bool:
    """Whether a figure, part by part, rises more than it may."""
    start, middle, end = values
    if figure == "megabytes":
        return min(middle - start, end - middle) > MOST_RISE
    return end > start


def report_of(found: Sequence[Reading]) -> ReportTable:
    last = found[-1]
    report = ReportTable(
        f"{last.rounds:,} rounds in {last.seconds / 60:.1f} minutes: what the process holds",
        ["what"],
        ["start", "middle", "end", "growth", "verdict"],
    )
    for title, figure in HELD.items():
        values = medians(found, figure)
        verdict = "leaks" if leaks(figure, values) else "steady"
        digits = 1 if figure == "megabytes" else 0
        shown = [f"{value:,.{digits}f}" for value in values]
        report.add_row(title, *shown, f"{values[-1] - values[0]:+,.{digits}f}", verdict)
    return report


def complain_of_leaks(found: Sequence[Reading]) -> None:
    leaking = [title for title, figure in HELD.items() if leaks(figure, medians(found, figure))]
    if leaking:
        raise ValueError(f"The process leaks: {', '.join(leaking)}; see the table.")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--minutes", type=float, default=30.0, help="how long; %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of tables and settings; %(default)s")


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    if not PROCESS.exists():
        raise ValueError("soak reads what a process holds from /proc, which only Linux has.")
    found: list[Reading] = []
    with own_temporary_directory() as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for reading in readings(options.minutes, options.seed, directory):
            found.append(reading)
            if all(parts_of(found)):
                yield Outcome([report_of(found)], [each._asdict() for each in found])
    if not all(parts_of(found)):
        raise ValueError(f"It read {len(found)} times, too few to judge by; give more --minutes.")
    complain_of_leaks(found)
