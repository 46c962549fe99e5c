"""Ctrl-C: the first press asks to stop, the second stops."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class BreakOff(BaseException):
    """Ctrl-C was pressed while something was waited for that need not come."""


class Interruption:
    """Takes note of Ctrl-C, so that work can end where it is whole; a context manager.

    The first press only sets `is_wanted`; the next one raises KeyboardInterrupt as ever. Outside
    the main thread, and where the program handles Ctrl-C in a way of its own, nothing is changed.

    Attributes
    ----------
    is_wanted : bool
    """

    def __init__(self) -> None:
        self.is_wanted = False
        self._is_in_charge = False
        self._can_break_off = False

    def __enter__(self) -> Interruption:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._take_note)
            self._is_in_charge = True
        return self

    def __exit__(self, *error: object) -> None:
        if self._is_in_charge:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    @contextmanager
    def breaking_off(self) -> Iterator[None]:
        """Let the first press raise `BreakOff` inside: nothing is half done there.

        If it has come already, nothing is waited for any more.
        """
        self._can_break_off = True
        try:
            if self.is_wanted:
                raise BreakOff
            yield
        finally:
            self._can_break_off = False

    def _take_note(self, number: int, frame: FrameType | None) -> None:
        self.is_wanted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._can_break_off:
            raise BreakOff
