"""One progress bar per chain, on standard error, in a terminal or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress import Progress


class Status(Protocol):
    """What the display reads of a chain."""

    n_sampling: int
    seconds: float
    n_leaves: int
    log_posterior: float

    @property
    def n_moves(self) -> int:
        """All moves made."""


def has_viewer() -> bool:
    """Whether somebody can see a progress bar: a terminal, or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class ProgressDisplay:
    """Bars that follow the chains, with a line below; does nothing unless it is shown."""

    def __init__(self, statuses: Sequence[Status], *, is_shown: bool) -> None:
        self._statuses = statuses
        self._is_shown = is_shown
        self._live: Live | None = None
        self._progress: Progress
        self._tasks: list[Any] = []
        self._line = ""

    def __enter__(self) -> ProgressDisplay:
        if self._is_shown:
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True)
            self._progress = _make_progress(console)
            self._tasks = [
                self._progress.add_task(f"chain {i + 1}", phase="waiting", speed="", tree="")
                for i in range(len(self._statuses))
            ]
            self._live = Live(
                get_renderable=self._render,
                console=console,
                transient=console.is_terminal,
            )
            self._live.start()
        return self

    def aim_at(self, n_moves: int) -> None:
        """Make this the number of moves at which the bars are full."""
        for task in self._tasks:
            self._progress.update(task, total=n_moves)

    def tell(self, line: str) -> None:
        """Show a line below the bars until the next one."""
        self._line = line

    def update(self) -> None:
        """Draw the bars as the chains are now."""
        if self._live is None:
            return
        for task, status in zip(self._tasks, self._statuses, strict=True):
            if status.n_moves == 0:
                continue
            self._progress.update(
                task,
                completed=status.n_moves,
                phase="sampling" if status.n_sampling else "burn-in",
                speed=f"{status.n_moves / status.seconds / 1e6:.2f} M moves/s",
                tree=f"{status.n_leaves} leaves, log posterior {status.log_posterior:.1f}",
            )

    def _render(self) -> Group:
        from rich.console import Group
        from rich.text import Text

        line = Text(self._line, style="dim", no_wrap=True, overflow="ellipsis")
        return Group(self._progress, line)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()


def _make_progress(console: Console) -> Progress:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[phase]:8}"),
        TextColumn("{task.fields[speed]}"),
        TextColumn("{task.fields[tree]}"),
        console=console,
    )
