"""One progress bar per chain, on standard error, in a terminal or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress


class Status(Protocol):
    """What the display reads of a chain."""

    n_moves: int
    seconds: float
    is_burn_in: bool
    n_leaves: int
    log_posterior: float


def has_viewer() -> bool:
    """Whether somebody can see a progress bar: a terminal, or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class ProgressDisplay:
    """Bars that follow the chains; does nothing unless it is shown."""

    def __init__(self, statuses: Sequence[Status], n_moves: int, *, is_shown: bool) -> None:
        self._statuses = statuses
        self._n_moves = n_moves
        self._is_shown = is_shown
        self._progress: Progress | None = None
        self._tasks: list[Any] = []

    def __enter__(self) -> ProgressDisplay:
        if self._is_shown:
            self._progress = _make_progress()
            self._progress.start()
            for i in range(len(self._statuses)):
                task = self._progress.add_task(
                    f"chain {i + 1}", total=self._n_moves, phase="waiting", speed="", tree=""
                )
                self._tasks.append(task)
        return self

    def update(self) -> None:
        """Draw the bars as the chains are now."""
        if self._progress is None:
            return
        for task, status in zip(self._tasks, self._statuses, strict=True):
            if status.n_moves == 0:
                continue
            self._progress.update(
                task,
                completed=status.n_moves,
                phase="burn-in" if status.is_burn_in else "sampling",
                speed=f"{status.n_moves / status.seconds / 1e6:.2f} M moves/s",
                tree=f"{status.n_leaves} leaves, log posterior {status.log_posterior:.1f}",
            )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()


def _make_progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[phase]:8}"),
        TextColumn("{task.fields[speed]}"),
        TextColumn("{task.fields[tree]}"),
        console=console,
        transient=console.is_terminal,
    )
