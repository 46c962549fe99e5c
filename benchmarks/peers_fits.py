"""How long a default fit takes, beside other packages: cold as a user meets it, and warm.

Cold is a new process, from its start to the probabilities of the rows: import, compilation, fit and
prediction. Warm is the same fit once more in that process. Nothing is pinned. Ours runs until it
has converged, or for its 60 seconds; the others for the number of draws that they make by default,
converged or not.

    python -m benchmarks run peers_fits
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.outcome import Outcome, ReportTable
from benchmarks.peers.contestants import OF_FITS, Contestant, add_choice_of_peers, chosen_of
from benchmarks.peers.environments import NotInstalledError
from benchmarks.peers.process import PeerError, PeerProcess, classify
from benchmarks.peers.worker import Table
from benchmarks.sets import ALL_SETS, PAPER_SETS, LabelledTable

QUICK = {"sets": ["Votes"], "rounds": 1}


def measure(
    table: LabelledTable, contestant: Contestant, options: argparse.Namespace
) -> dict[str, Any]:
    """Fit twice in a new process; return both times, or why there are none."""
    package = contestant.package
    given = Table(table.X, table.y, len(np.unique(table.y)), table.X)
    settings = {"seed": options.seed} | contestant.settings
    try:
        python = package.python(options.environments)
        begin = time.perf_counter()
        with PeerProcess(python, package.module) as peer:
            _, said = classify(peer, given, settings, options.seconds)
            cold = time.perf_counter() - begin
            warm = classify(peer, given, settings, options.seconds)[1]["seconds"]
    except (NotInstalledError, PeerError) as error:
        return {"failure": str(error)}
    return {"failure": "", "cold": cold, "warm": warm, "note": said["note"]}


def cell(turns: Sequence[dict[str, Any]], kind: str) -> str:
    """Write the median over the turns and, of several, the least and the most."""
    failures = [turn["failure"] for turn in turns if turn["failure"]]
    if failures:
        return str(failures[0])
    seconds = [turn[kind] for turn in turns]
    spread = f" ({_written(min(seconds))} – {_written(max(seconds))})" if len(seconds) > 1 else ""
    note = f", {turns[0]['note']}" if turns[0]["note"] else ""
    return f"{_written(float(np.median(seconds)))}{spread}{note}"


def _written(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds < 1 else f"{seconds:.1f}"


def add_options(parser: argparse.ArgumentParser) -> None:
    sets = list(PAPER_SETS)
    parser.add_argument("--sets", nargs="+", choices=ALL_SETS, default=sets, metavar="SET")
    add_choice_of_peers(parser)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each")
    parser.add_argument("--seconds", type=float, default=600.0, help="most for one fit")
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> Iterator[Outcome]:
    contestants = chosen_of(OF_FITS, options.peers)
    kinds = [(each, kind) for kind in ("cold", "warm") for each in contestants]
    report = ReportTable(
        "Seconds of a default fit and its predictions: median (least – most)",
        ["set"],
        [f"{each.label}, {kind}" for each, kind in kinds],
    )
    figures: list[dict[str, Any]] = []
    for name in options.sets:
        table = ALL_SETS[name]()
        turns: dict[str, list[dict[str, Any]]] = {each.label: [] for each in contestants}
        for _ in range(options.rounds):
            for each in contestants:
                turns[each.label].append(measure(table, each, options))
        report.add_row(name, *(cell(turns[each.label], kind) for each, kind in kinds))
        figures += [{"set": name, "label": label, "turns": of} for label, of in turns.items()]
        yield Outcome([report], figures)
