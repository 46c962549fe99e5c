"""Where a run is: what has to be known of it to go on after its process has ended."""

from __future__ import annotations

import time
import warnings
from operator import index
from typing import Any

from sweeptree.checkpoint import Checkpoint, CheckpointError
from sweeptree.sampling import Crew

SECONDS_BETWEEN_WRITES = 5.0
"""From one entry to the next, at least."""
SHARE_OF_TIME = 0.01
"""Chains wait while an entry is written; where that takes long, entries are further apart, so that
it takes at most this share of the time."""


class Logbook:
    """Keeps where a run is in a checkpoint, from time to time; without one, only in memory.

    Entries are made while all chains wait between two moves, so they never change what is drawn.

    Parameters
    ----------
    crew : Crew
        Its chains have made no moves yet.
    checkpoint : Checkpoint or None

    Attributes
    ----------
    start : float
        When the run started, by the monotonic clock; time spent before a resumption counts, time
        in between does not.
    n_moves_judged : int
        Moves of sampling after which the chains were last judged and went on.
    """

    def __init__(self, crew: Crew, checkpoint: Checkpoint | None) -> None:
        self.start = time.monotonic()
        self.n_moves_judged = 0
        self.checkpoint = checkpoint
        self._crew = crew

    def open(self) -> None:
        """Go on from the last entry, if there is one; otherwise make the first."""
        if self.checkpoint is None:
            return
        self._crew.on_pause = self.enter
        state = self.checkpoint.read()
        if state is not None:
            self._restore(state, self.checkpoint)
            return
        try:
            self._write(self.checkpoint)
        except OSError as error:
            why = f"cannot be written ({error.strerror}). Give another path."
            raise self.checkpoint.refusal(why) from None

    def enter(self) -> None:
        """Write down where the run is. If that fails, warn and go on: it may work next time."""
        if self.checkpoint is None:
            return
        try:
            self._write(self.checkpoint)
        except OSError as error:
            self._crew.pause_at = time.monotonic() + SECONDS_BETWEEN_WRITES
            warnings.warn(
                f"The checkpoint {str(self.checkpoint.path)!r} could not be written "
                f"({error.strerror}); the fit goes on and will try again.",
                stacklevel=2,
            )

    def close(self) -> None:
        """Forget a run that has ended."""
        if self.checkpoint is not None:
            self.checkpoint.remove()

    def how_to_go_on(self) -> str:
        """Say how an interrupted run can be continued; nothing if it cannot."""
        return "" if self.checkpoint is None else self.checkpoint.how_to_go_on()

    def refusal_of_limit(self, max_moves: int) -> CheckpointError:
        """Make the error about an entry that is beyond a limit, which has been lowered."""
        assert self.checkpoint is not None
        return self.checkpoint.refusal(
            f"is {self._crew.most_moves:,} moves far, and max_moves={max_moves:,} leaves its "
            "chains nowhere to go. Raise max_moves, delete it to start anew, or give another path."
        )

    def _write(self, checkpoint: Checkpoint) -> None:
        start = time.monotonic()
        checkpoint.write(
            {
                "seconds": start - self.start,
                "n_moves_judged": self.n_moves_judged,
                "crew": self._crew.state(),
            }
        )
        end = time.monotonic()
        self._crew.pause_at = end + max(SECONDS_BETWEEN_WRITES, (end - start) / SHARE_OF_TIME)

    def _restore(self, state: dict[str, Any], checkpoint: Checkpoint) -> None:
        try:
            self._crew.restore(state["crew"])
            self.start -= state["seconds"]
            self.n_moves_judged = index(state["n_moves_judged"])
        except (KeyError, TypeError, ValueError, AttributeError):
            raise checkpoint.damage() from None
        self._crew.pause_at = time.monotonic() + SECONDS_BETWEEN_WRITES
