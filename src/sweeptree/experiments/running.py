"""Many units on threads, with a progress bar; what is finished is kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from sklearn.exceptions import ConvergenceWarning

from sweeptree.experiments.fitting import Record
from sweeptree.experiments.parts import Parts
from sweeptree.experiments.plan import Unit
from sweeptree.progress import has_viewer

Task = TypeVar("Task")
LOOK_UP_SECONDS = 0.1
"""How often the main thread wakes to see whether it was interrupted."""


def run_units(units: Sequence[Unit], parts: Parts, seed: int, n_jobs: int) -> dict[str, Record]:
    """Run the units that are not finished, and return what all of them found, by name."""
    found = {unit.name: parts.load(unit) for unit in units}
    waiting = [unit for unit in units if found[unit.name] is None]

    def run(unit: Unit) -> Record:
        record = unit.run(seed)
        parts.save(unit, record)
        return record

    names = [unit.name for unit in waiting]
    fresh = run_all(run, waiting, names, n_jobs, n_done=len(units) - len(waiting))
    old = {name: record for name, record in found.items() if record is not None}
    return old | dict(zip(names, fresh, strict=True))


def run_all(
    run: Callable[[Task], Record],
    tasks: Sequence[Task],
    names: Sequence[str],
    n_jobs: int,
    n_done: int = 0,
) -> list[Record]:
    """Run tasks on threads behind one progress bar; an error or Ctrl-C drops those that wait."""
    pool = ThreadPoolExecutor(n_jobs, thread_name_prefix="sweeptree-unit")
    with warnings.catch_warnings(), _progress() as progress:
        # Chains as short as the paper's are expected to disagree; R-hat is in the tables.
        warnings.simplefilter("ignore", ConvergenceWarning)
        bar = progress.add_task("", total=n_done + len(tasks), completed=n_done, name="")
        futures = [pool.submit(run, task) for task in tasks]
        name_of = dict(zip(futures, names, strict=True))
        try:
            _follow(name_of, lambda name: progress.update(bar, advance=1, name=name))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return [future.result() for future in futures]


def _follow(name_of: dict[Future[Record], str], on_done: Callable[[str], None]) -> None:
    running = set(name_of)
    while running:
        done, running = wait(running, timeout=LOOK_UP_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            future.result()
            on_done(name_of[future])


def _progress() -> Progress:
    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[name]}"),
        console=Console(stderr=True),
        transient=True,
        disable=not has_viewer(),
    )
