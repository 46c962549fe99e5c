"""Held-out log-loss, Brier score, calibration error, accuracy and time, beside other packages.

Five folds (stratified, shuffled with seed 0), the same for all; every package with its own
defaults, in a process of its own, pinned to one core. A fit may draw for so many seconds; a package
that is not through with its default number of draws by then predicts from those it has made. The
tables have no missing values and only numbers, so nothing is imputed or recoded.

    python -m benchmarks run peers_quality
    python -m benchmarks run peers_quality --sets Votes Wine --peers bartz --seconds 20
"""

from __future__ import annotations

import argparse
import os
import queue
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.peers.contestants import OF_QUALITY, Contestant, add_choice_of_peers, chosen_of
from benchmarks.peers.environments import NotInstalledError
from benchmarks.peers.process import PeerError, PeerProcess, classify
from benchmarks.peers.worker import FloatArray, Table
from benchmarks.sets import ALL_SETS, OTHER_SETS, PAPER_SETS, LabelledTable
from sweeptree import scores

N_FOLDS = 5
FIRST_SETS = [*PAPER_SETS, *list(OTHER_SETS)[:6]]
MEASURES = {
    "log_loss": ("Log-loss", "{:.3f}"),
    "brier": ("Brier score", "{:.3f}"),
    "calibration_error": ("Calibration error", "{:.3f}"),
    "accuracy": ("Accuracy, %", "{:.1f}"),
    "seconds": ("Seconds to fit and predict", "{:.1f}"),
}
QUICK = {"sets": ["Votes", "Wine"], "seconds": 3.0}

Figures = dict[str, Any]


def measure(
    table: LabelledTable, contestant: Contestant, cpu: int, options: argparse.Namespace
) -> Figures:
    """Cross-validate one contestant; return its figures fold by fold, or why it has none."""
    package = contestant.package
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    found: list[Figures] = []
    try:
        with PeerProcess(package.python(options.environments), package.module, cpu) as peer:
            for train, test in folds.split(table.X, table.y):
                found.append(_of_fold(peer, table, train, test, contestant, options.seconds))
    except NotInstalledError as error:
        return {"failure": f"not installed: {error}", "folds": found}
    except PeerError as error:
        return {"failure": str(error), "folds": found}
    return {"failure": "", "folds": found}


def _of_fold(
    peer: PeerProcess,
    table: LabelledTable,
    train: Any,
    test: Any,
    contestant: Contestant,
    seconds: float,
) -> Figures:
    classes = np.unique(table.y)
    given = Table(table.X[train], table.y[train], len(classes), table.X[test])
    settings = {"seed": 0, "seconds": seconds} | contestant.settings
    p, said = classify(peer, given, settings, at_most=4 * seconds + 120)
    return _scores(table.y[test], p, classes) | said


def _scores(y: Any, p: FloatArray, classes: Any) -> Figures:
    return {
        "log_loss": scores.log_loss(y, p, classes),
        "brier": scores.brier(y, p, classes),
        "calibration_error": scores.expected_calibration_error(y, p, classes),
        "accuracy": float(100 * np.mean(classes[p.argmax(axis=1)] == y)),
    }


def measure_all(
    table: LabelledTable, contestants: Sequence[Contestant], options: argparse.Namespace
) -> list[Figures]:
    """Measure as many at once as there are cores, each on a core of its own."""
    free: queue.SimpleQueue[int] = queue.SimpleQueue()
    cpus = os.sched_getaffinity(0)
    for cpu in cpus:
        free.put(cpu)

    def on_a_free_core(contestant: Contestant) -> Figures:
        cpu = free.get()
        begin = time.perf_counter()
        try:
            return measure(table, contestant, cpu, options)
        finally:
            free.put(cpu)
            took = f"{time.perf_counter() - begin:.0f} s"
            print(f"{contestant.label}, {len(table.y)} rows: {took}", file=sys.stderr)

    with ThreadPoolExecutor(len(cpus)) as pool:
        return list(pool.map(on_a_free_core, contestants))


def cell(figures: Figures, measure: str) -> str:
    """Write the mean over the folds and their standard deviation, or why there is none."""
    if figures["failure"]:
        return str(figures["failure"])
    values = [fold[measure] for fold in figures["folds"]]
    written = MEASURES[measure][1]
    return f"{written.format(np.mean(values))} ± {written.format(np.std(values, ddof=1))}"


def report_of(measure: str, labels: Sequence[str], found: dict[str, list[Figures]]) -> ReportTable:
    """Make the table of one measure, a row for each set."""
    title = f"{MEASURES[measure][0]}: mean ± standard deviation over {N_FOLDS} folds"
    report = ReportTable(title, ["set"], list(labels))
    for name, of_set in found.items():
        report.add_row(name, *(cell(figures, measure) for figures in of_set))
    return report


def against_ours(labels: Sequence[str], found: dict[str, list[Figures]]) -> ReportTable:
    """Compare log-losses with the first contestant's, over the sets that both have done."""
    report = ReportTable(
        f"Log-loss against {labels[0]}, over the sets",
        ["package"],
        ["sets", "mean ratio", "median ratio", "better on", "fits cut short", "mean s"],
    )
    for i, label in enumerate(labels):
        both = [(of_set[0], of_set[i]) for of_set in found.values() if not of_set[i]["failure"]]
        both = [(ours, theirs) for ours, theirs in both if not ours["failure"]]
        if not both:
            report.add_row(label, "0", *["–"] * 5)
            continue
        logs = np.log(
            [_mean(theirs, "log_loss") / _mean(ours, "log_loss") for ours, theirs in both]
        )
        notes = [bool(fold["note"]) for _, theirs in both for fold in theirs["folds"]]
        report.add_row(
            label,
            f"{len(both)}",
            f"{np.exp(logs.mean()):.2f}",
            f"{np.exp(np.median(logs)):.2f}",
            f"{np.count_nonzero(logs < 0)}",
            f"{sum(notes)} of {len(notes)}",
            f"{np.mean([_mean(theirs, 'seconds') for _, theirs in both]):.1f}",
        )
    return report


def _mean(figures: Figures, measure: str) -> float:
    return float(np.mean([fold[measure] for fold in figures["folds"]]))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", nargs="+", choices=ALL_SETS, default=FIRST_SETS, metavar="SET")
    add_choice_of_peers(parser)
    parser.add_argument("--seconds", type=float, default=120.0, help="to draw in; %(default)g")


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    contestants = chosen_of(OF_QUALITY, options.peers)
    labels = [each.label for each in contestants]
    found: dict[str, list[Figures]] = {}
    for name in options.sets:
        found[name] = measure_all(ALL_SETS[name](), contestants, options)
        reports = [against_ours(labels, found), *(report_of(m, labels, found) for m in MEASURES)]
        figures = [
            {"set": each, "label": label} | of_one
            for each, of_set in found.items()
            for label, of_one in zip(labels, of_set, strict=True)
        ]
        yield Outcome(reports, figures)
