"""What a move costs as the table grows: rows, columns, classes, leaves, chains and threads.

Every point is the median of some blocks of moves after burn-in, of one chain on one thread, apart
from set-up; the exact strategy with its defaults. One thing is changed at a time, from 1,000 rows,
10 columns and 2 classes. The time is that of the CPU; where threads share 8 chains, it is that of
the clock.

    python -m benchmarks run growth
    python -m benchmarks run growth --axes rows --most 100000
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.outcome import Drawing, Outcome, ReportTable
from benchmarks.sets import LabelledTable
from sweeptree import BayesianTreeClassifier

N_ROWS, N_COLUMNS, N_CLASSES = 1000, 10, 2
N_BURN_IN = 20_000
N_LEAST = 1000
SECONDS_OF_BLOCK = 0.3
QUICK = {"axes": ["classes"], "most": 5, "repeats": 1}


class Point(NamedTuple):
    """One table, and how it is sampled from."""

    value: int
    """Where it lies on its axis."""
    table: LabelledTable
    parameters: dict[str, Any]
    n_chains: int = 1
    n_threads: int = 1
    clock: Callable[[], float] = time.process_time


def blocks(n_rows: int, n_columns: int, n_classes: int, seed: int = 0) -> LabelledTable:
    """Let two columns cut the plane into a square per class; one label in ten is noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_columns))
    side = int(np.ceil(np.sqrt(n_classes)))
    square = (X[:, 0] * side).astype(int) * side + (X[:, 1] * side).astype(int)
    y = np.where(rng.random(n_rows) < 0.1, rng.integers(n_classes, size=n_rows), square % n_classes)
    y[:n_classes] = np.arange(n_classes)  # every class is there
    return LabelledTable(X, y.astype(np.int64))


def rows(value: int) -> Point:
    return Point(value, blocks(value, N_COLUMNS, N_CLASSES), {})


def columns(value: int) -> Point:
    return Point(value, blocks(N_ROWS, value, N_CLASSES), {})


def classes(value: int) -> Point:
    return Point(value, blocks(N_ROWS, N_COLUMNS, value), {})


def leaves(value: int) -> Point:
    """So many leaves at most, and data that ask for more: 64 squares and no prior against them."""
    table = blocks(8 * N_ROWS, 2, 64)
    return Point(value, table, {"max_leaves": value, "leaf_penalty": 0.0, "alpha": 0.1})


def chains(value: int) -> Point:
    return Point(value, blocks(N_ROWS, N_COLUMNS, N_CLASSES), {}, n_chains=value)


def threads(value: int) -> Point:
    table = blocks(N_ROWS, N_COLUMNS, N_CLASSES)
    return Point(value, table, {}, n_chains=8, n_threads=value, clock=time.perf_counter)


AXES: dict[str, tuple[Callable[[int], Point], tuple[int, ...]]] = {
    "rows": (rows, (100, 1000, 10_000, 100_000, 1_000_000)),
    "columns": (columns, (2, 10, 50, 200, 1000)),
    "classes": (classes, (2, 5, 10, 20, 50)),
    "leaves": (leaves, (2, 4, 8, 16, 32, 64)),
    "chains": (chains, (1, 2, 4, 8, 16)),
    "threads": (threads, tuple(2**i for i in range((os.cpu_count() or 1).bit_length()))),
}


def seconds_of(point: Point, n_moves: int) -> tuple[float, float]:
    """Fit so many moves after burn-in; return seconds and the mean number of leaves."""
    model = BayesianTreeClassifier(
        n_chains=point.n_chains,
        n_jobs=point.n_threads,
        n_rungs=1,
        n_burn_in=N_BURN_IN,
        n_draws=10,
        thin=max(n_moves // 10, 1),
        random_state=0,
        progress=False,
        **point.parameters,
    )
    begin = point.clock()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(point.table.X, point.table.y)
    return point.clock() - begin, float(model.posterior_.n_leaves.mean())


def measure(point: Point, n_repeats: int) -> dict[str, Any]:
    """Return nanoseconds of a move, as a difference between a long run and a short one."""
    short = seconds_of(point, N_LEAST)[0]
    wanted = max(SECONDS_OF_BLOCK, short)  # as long as set-up, or noise in that drowns it
    n_moves = 4 * N_LEAST
    while seconds_of(point, n_moves)[0] - short < wanted:
        n_moves *= 4
    found = []
    for _ in range(n_repeats):
        short = seconds_of(point, N_LEAST)[0]
        long, n_leaves = seconds_of(point, n_moves)
        found.append(1e9 * (long - short) / ((n_moves - N_LEAST) * point.n_chains))
    return {"value": point.value, "nanoseconds": found, "n_leaves": n_leaves}


def report_of(axis: str, found: list[dict[str, Any]]) -> ReportTable:
    report = ReportTable(
        f"Cost of a move against {axis}",
        [axis],
        ["leaves of a tree", "ns of a move", "least – most", "M moves/s"],
    )
    for each in found:
        costs = each["nanoseconds"]
        report.add_row(
            f"{each['value']:,}",
            f"{each['n_leaves']:.1f}",
            f"{np.median(costs):,.0f}",
            f"{min(costs):,.0f} – {max(costs):,.0f}",
            f"{1e3 / np.median(costs):.3f}",
        )
    return report


def drawing_of(axis: str, found: list[dict[str, Any]]) -> Drawing:
    """Make what draws the cost against the axis, with the spread of the blocks."""

    def draw(path: str) -> None:
        import matplotlib as mpl
        from matplotlib.figure import Figure
        from matplotlib.ticker import LogLocator

        from sweeptree.colours import LIGHT
        from sweeptree.plots.style import style

        with style(), mpl.rc_context({"svg.hashsalt": "sweeptree"}):
            figure = Figure(figsize=(4.8, 3.0), layout="constrained")
            ax = figure.subplots()
            values = [each["value"] for each in found]
            costs = np.array([each["nanoseconds"] for each in found])
            middle = np.median(costs, axis=1)
            ax.fill_between(values, costs.min(1), costs.max(1), color=LIGHT[0], alpha=0.25, lw=0)
            ax.plot(values, middle, "o-", color=LIGHT[0])
            ax.set(xscale="log", yscale="log", xlabel=axis, ylabel="ns of a move")
            ax.set_xticks(values, [f"{value:,}" for value in values])
            ax.set_ylim(middle.min() / 2, middle.max() * 2)
            ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.yaxis.set_major_formatter("{x:,.0f}")
            ax.minorticks_off()
            figure.savefig(path, metadata={"Date": None})

    return draw


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--axes", nargs="+", choices=AXES, default=list(AXES))
    parser.add_argument("--most", type=int, help="leave out what is larger")
    parser.add_argument("--repeats", type=int, default=3, help="blocks of each point")


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    reports, figures, pictures = [], [], {}
    for axis in options.axes:
        make, values = AXES[axis]
        kept = [value for value in values if options.most is None or value <= options.most]
        found = [measure(make(value), options.repeats) for value in kept]
        reports.append(report_of(axis, found))
        figures += [{"axis": axis} | each for each in found]
        pictures[axis] = drawing_of(axis, found)
        yield Outcome(reports, figures, pictures)
