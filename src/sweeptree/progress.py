"""One progress bar per chain: in a terminal on standard error, in a notebook below the cell."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.progress import Progress

SECONDS_BETWEEN_DRAWINGS = 0.25
WIDTH_IN_NOTEBOOK = 110


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
    return sys.stderr.isatty() or is_notebook()


def is_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def is_wanted(progress: bool | str) -> bool:
    """Whether to show progress: if that is asked for or, under "auto", if somebody can see it."""
    return has_viewer() if progress == "auto" else bool(progress)


@contextmanager
def working(words: str, *, is_shown: bool) -> Iterator[None]:
    """Say in a terminal what is being done, while it lasts; a notebook marks its cell by itself."""
    if not is_shown or is_notebook():
        yield
        return
    with _make_console().status(words):
        yield


class Screen(Protocol):
    """Where bars are drawn again and again."""

    def start(self) -> None:
        """Draw for the first time."""

    def refresh(self) -> None:
        """Draw over what is there."""

    def stop(self) -> None:
        """Draw for the last time."""


class NotebookCell:
    """One output of a notebook's cell, as plain text: it needs no widgets, and can be saved."""

    def __init__(self, get_renderable: Callable[[], Group], console: Console) -> None:
        self._get_renderable = get_renderable
        self._console = console
        self._output: Any = None

    def start(self) -> None:
        """Make the output."""
        from IPython.display import display

        self._output = display(self._drawing(), raw=True, display_id=True)

    def refresh(self) -> None:
        """Replace what the output shows."""
        self._output.update(self._drawing(), raw=True)

    stop = refresh

    def _drawing(self) -> dict[str, str]:
        with self._console.capture() as captured:
            self._console.print(self._get_renderable())
        return {"text/plain": captured.get()}


class ProgressDisplay:
    """Bars that follow the chains, with a line below; does nothing unless it is shown."""

    def __init__(self, statuses: Sequence[Status], *, is_shown: bool) -> None:
        self._statuses = statuses
        self._is_shown = is_shown
        self._screen: Screen | None = None
        self._next_drawing = 0.0
        self._progress: Progress
        self._tasks: list[Any] = []
        self._line = ""

    def __enter__(self) -> ProgressDisplay:
        if self._is_shown:
            console = _make_console()
            self._progress = _make_progress(console)
            self._tasks = [
                self._progress.add_task(f"chain {i + 1}", phase="waiting", speed="", tree="")
                for i in range(len(self._statuses))
            ]
            self._screen = _make_screen(self._render, console)
            self._screen.start()
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
        if self._screen is None:
            return
        for task, status in zip(self._tasks, self._statuses, strict=True):
            if status.n_moves == 0:
                continue
            self._progress.update(
                task,
                completed=status.n_moves,
                phase="sampling" if status.n_sampling else "burn-in",
                speed=_speed(status),
                tree=f"{status.n_leaves} leaves, log posterior {status.log_posterior:.1f}",
            )
        if monotonic() >= self._next_drawing:
            self._screen.refresh()
            self._next_drawing = monotonic() + SECONDS_BETWEEN_DRAWINGS

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
        if self._screen is not None:
            self._screen.stop()


def _speed(status: Status) -> str:
    """Write how fast a chain is; nothing where the clock has not moved yet."""
    if not status.seconds:
        return ""
    return f"{status.n_moves / status.seconds / 1e6:.2f} M moves/s"


def _make_console() -> Console:
    from rich.console import Console

    if is_notebook():
        return Console(
            file=StringIO(), width=WIDTH_IN_NOTEBOOK, color_system=None, force_jupyter=False
        )
    return Console(stderr=True)


def _make_screen(get_renderable: Callable[[], Group], console: Console) -> Screen:
    from rich.live import Live

    if is_notebook():
        return NotebookCell(get_renderable, console)
    return Live(
        get_renderable=get_renderable,
        console=console,
        transient=console.is_terminal,
        auto_refresh=False,
    )


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
