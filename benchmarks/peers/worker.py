"""The process of a peer: it makes moves or fits when told to, and says what that took.

Requests and answers are lines of JSON on standard input and output; tables and probabilities go
through files. Whatever the peer itself prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Settings = dict[str, Any]

SHORTEST_TRIAL = 0.2
"""Seconds of CPU from which on a trial says how fast a peer is."""
MOST_GROWTH = 10.0
"""How many times more moves one trial makes than the one before."""


class Table(NamedTuple):
    """Rows to learn from, and rows to predict."""

    X: FloatArray
    y: npt.NDArray[np.int64]
    n_classes: int
    X_new: FloatArray


class Moves(NamedTuple):
    """Proposals on one tree that were made, and the CPU time that they took."""

    n: int
    cpu_seconds: float
    set_up_seconds: float = 0.0
    """What was taken off, because it is no part of them; it varies from run to run."""


class Prediction(NamedTuple):
    """Probabilities of the new rows, and how they came about."""

    probabilities: FloatArray
    note: str = ""


Sampler = Callable[[int], Moves]
"""Makes about so many moves."""


def cpu_seconds_of(task: Callable[[], Any]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def beyond_set_up(run: Callable[[int], Any], n_moves: int, n_least: int) -> Moves:
    """Time a run and one of the least length, of which the difference is moves alone."""
    least = cpu_seconds_of(lambda: run(n_least))
    return Moves(n_moves, cpu_seconds_of(lambda: run(n_least + n_moves)) - least, least)


def of_two_classes(p: FloatArray) -> FloatArray:
    """(n, 2) from the probability of the second class."""
    p = np.asarray(p, dtype=float)
    return np.column_stack((1 - p, p))


def affordable(n_wanted: int, seconds_each: float, seconds: float) -> int:
    """Return how many there is time for, at least one."""
    return max(min(n_wanted, int(seconds / seconds_each)), 1)


class Peer:
    """What a peer can do; one that cannot raises an error that says so."""

    def sampler(self, table: Table, settings: Settings) -> Sampler:
        """Set up a chain."""
        raise NotImplementedError("no moves to count")

    def classify(self, table: Table, settings: Settings) -> Prediction:
        """Fit as the peer's own docs would, and predict.

        With `seconds` among the settings, draws are made for about so long at most.
        """
        raise NotImplementedError("no classification")

    def peak_megabytes(self) -> float:
        """Return the most memory that the peer's process has held.

        From the kernel's own account of the program: `getrusage` begins with the parent's.
        """
        status = Path("/proc/self/status").read_text().splitlines()
        kilobytes = next(line.split()[1] for line in status if line.startswith("VmHWM"))
        return int(kilobytes) / 1000


class Worker:
    """Answers requests, one after the other."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.sampler: Sampler | None = None
        self.n_moves = 1

    def start(self, table: str, settings: Settings, block_seconds: float) -> dict[str, Any]:
        """Set up a chain, compile, and find out how many moves fill so many seconds of CPU.

        Moves that are told from set-up by a difference take at least as long as that.
        """
        begin = time.perf_counter()
        self.sampler = self.peer.sampler(read_table(table), settings)
        self.sampler(1)
        first = time.perf_counter() - begin
        while True:
            trial = self.sampler(self.n_moves)
            shortest = max(SHORTEST_TRIAL, trial.set_up_seconds)
            if trial.cpu_seconds >= shortest:
                break
            growth = shortest / max(trial.cpu_seconds, shortest / MOST_GROWTH)
            self.n_moves = int(np.ceil(self.n_moves * max(growth, 2.0)))
        seconds = max(block_seconds, trial.set_up_seconds)
        self.n_moves = max(int(self.n_moves * seconds / trial.cpu_seconds), 1)
        return {"first_seconds": first, "block": self.n_moves}

    def block(self) -> dict[str, Any]:
        """Make the moves of one turn."""
        assert self.sampler is not None, "start comes before block"
        moves = self.sampler(self.n_moves)
        return {"moves": moves.n, "cpu_seconds": moves.cpu_seconds}

    def classify(self, table: str, settings: Settings, answer: str) -> dict[str, Any]:
        """Fit and predict; the probabilities go into a file."""
        given = read_table(table)
        begin, begin_cpu = time.perf_counter(), time.process_time()
        found = self.peer.classify(given, settings)
        seconds, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
        np.save(answer, np.asarray(found.probabilities, dtype=float))
        return {"seconds": seconds, "cpu_seconds": cpu, "note": found.note}


def read_table(path: str) -> Table:
    with np.load(path) as arrays:
        return Table(arrays["X"], arrays["y"], int(arrays["n_classes"]), arrays["X_new"])


def serve(peer: Peer) -> None:
    """Answer until there are no more requests."""
    worker = Worker(peer)
    answers = _keep_output_for_answers()
    for line in sys.stdin:
        request = json.loads(line)
        action = getattr(worker, request.pop("do"))
        try:
            answer = action(**request) | {"peak_megabytes": peer.peak_megabytes()}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _keep_output_for_answers() -> TextIO:
    """Return standard output, and let whatever else is printed go to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers
