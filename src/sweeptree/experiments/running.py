"""Many units at once, with a progress bar; what is finished is kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import closing
from functools import partial
from typing import Any, Protocol, TypeVar

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

from sweeptree.elsewhere import Elsewhere, sends_work_away
from sweeptree.experiments.fitting import Record
from sweeptree.experiments.parts import Parts
from sweeptree.experiments.plan import Unit
from sweeptree.progress import has_viewer

LOOK_UP_SECONDS = 0.1
"""How often the main thread wakes to see whether it was interrupted."""


class Named(Protocol):
    """What the progress bar reads of a task."""

    @property
    def name(self) -> str:
        """What it is called."""


Task = TypeVar("Task", bound=Named)
Measure = Callable[[Any, Task], Record]
"""Takes what all tasks need and a task; it may run in another process."""
Keep = Callable[[Task, Record], None]
Finished = Generator[tuple[int, Record], None, None]
"""The places of tasks and what was found, as they finish."""


def run_units(units: Sequence[Unit], parts: Parts, seed: int, n_jobs: int) -> dict[str, Record]:
    """Run the units that are not finished, and return what all of them found, by name."""
    found = {unit.name: parts.load(unit) for unit in units}
    waiting = [unit for unit in units if found[unit.name] is None]
    n_done = len(units) - len(waiting)
    fresh = run_all(_run_unit, seed, waiting, n_jobs, keep=parts.save, n_done=n_done)
    old = {name: record for name, record in found.items() if record is not None}
    return old | {unit.name: record for unit, record in zip(waiting, fresh, strict=True)}


def _run_unit(seed: int, unit: Unit) -> Record:
    return unit.run(seed)


def run_all(
    measure: Measure[Task],
    needed: Any,
    tasks: Sequence[Task],
    n_jobs: int,
    *,
    keep: Keep[Task] = lambda task, record: None,
    n_done: int = 0,
) -> list[Record]:
    """Measure tasks on threads, or where joblib's backend sends them, behind one progress bar.

    Parameters
    ----------
    measure : callable
    needed : object
        What each task needs.
    tasks : sequence
    n_jobs : int
    keep : callable
        Called with each task that is finished and what was found.
    n_done : int
        Tasks that were finished before.
    """
    run = _run_elsewhere if sends_work_away() else _run_on_threads
    records: dict[int, Record] = {}
    with (
        warnings.catch_warnings(),
        _progress() as progress,
        closing(run(measure, needed, tasks, n_jobs, keep)) as finished,
    ):
        # Chains as short as the paper's are expected to disagree; R-hat is in the tables.
        warnings.simplefilter("ignore", ConvergenceWarning)
        bar = progress.add_task("", total=n_done + len(tasks), completed=n_done, name="")
        for place, record in finished:
            records[place] = record
            progress.update(bar, advance=1, name=tasks[place].name)
    return [records[place] for place in range(len(tasks))]


def _run_on_threads(
    measure: Measure[Task], needed: Any, tasks: Sequence[Task], n_jobs: int, keep: Keep[Task]
) -> Finished:
    """Drop the tasks that wait on an error or Ctrl-C; those that run end, and are kept."""

    def run(task: Task) -> Record:
        record = measure(needed, task)
        keep(task, record)
        return record

    pool = ThreadPoolExecutor(n_jobs, thread_name_prefix="sweeptree-unit")
    place_of = {pool.submit(run, task): place for place, task in enumerate(tasks)}
    try:
        running = set(place_of)
        while running:
            done, running = wait(running, timeout=LOOK_UP_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                yield place_of[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _run_elsewhere(
    measure: Measure[Task], needed: Any, tasks: Sequence[Task], n_jobs: int, keep: Keep[Task]
) -> Finished:
    with Elsewhere(needed, n_jobs) as elsewhere:
        for place, record in elsewhere.each(partial(_measure_quietly, measure), tasks):
            keep(tasks[place], record)
            yield place, record


def _measure_quietly(measure: Measure[Task], needed: Any, task: Task) -> Record:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return measure(needed, task)


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
