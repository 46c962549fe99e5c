"""Chains on other machines, slice by slice."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweeptree.elsewhere import Elsewhere
from sweeptree.engines import Blueprint, Chain
from sweeptree.interruption import BreakOff
from sweeptree.lean_states import with_draws, without_draws
from sweeptree.sampling import Crew, Leg, start_share

SLICE_SECONDS = 1.0
"""A chain comes home this often; much longer than the way takes, and soon enough to be told to
stop or to be run again if its worker is lost."""


@dataclass(frozen=True)
class Piece:
    """A slice of a chain's way."""

    start_share: float
    state: dict[str, Any]
    """Where it sets out, without draws."""
    n_moves: int
    is_burn_in: bool
    thin: int
    seconds: float


@dataclass(frozen=True)
class Gone:
    """What became of a piece."""

    n_made: int
    seconds: float
    state: dict[str, Any]
    """Where the chain is now, with the draws that are new."""


def go(blueprint: Blueprint, piece: Piece) -> Gone:
    """Run a chain for a slice; whoever does it gets the same moves."""
    start = time.monotonic()
    chain = blueprint.make(np.random.PCG64(0), piece.start_share)
    chain.restore(piece.state)
    n_made = chain.run(piece.n_moves, piece.is_burn_in, piece.thin, piece.seconds)
    return Gone(n_made, time.monotonic() - start, chain.state())


class RemoteCrew(Crew):
    """Chains whose slices run wherever joblib's backend sends them.

    Between two slices a chain is here, with all its draws. A slice is a function of where the
    chain was, so that one that is lost with its worker is run again, and nothing else changes.

    Parameters
    ----------
    chains : sequence of Chain
    thin : int
        Moves from one draw to the next.
    blueprint : Blueprint
        What the chains were made of; the workers make them again.
    n_jobs : int or None
        As joblib understands it.
    """

    def __init__(
        self, chains: Sequence[Chain], thin: int, blueprint: Blueprint, n_jobs: int | None
    ) -> None:
        super().__init__(chains, thin)
        self._elsewhere = Elsewhere(blueprint, n_jobs)

    def __enter__(self) -> RemoteCrew:
        self._elsewhere.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._elsewhere.__exit__(*error)

    def _run_until_pause(self, leg: Leg) -> None:
        try:
            while not self._is_over(leg) and time.monotonic() < self.pause_at:
                going = self._least_far(leg)
                if not going:
                    return
                self._take_turn(going, leg)
        except BreakOff:
            return  # what is still away is given up; all chains are here, and whole

    def _least_far(self, leg: Leg) -> list[int]:
        """Choose chains that have moves to make, as many as find a place."""
        n_left = [leg.n_left(status) for status in self.statuses]
        waiting = [i for i in range(len(n_left)) if n_left[i] > 0]
        with self.breaking_off():
            n_places = self._elsewhere.n_places
        return sorted(waiting, key=lambda i: -n_left[i])[:n_places]

    def _take_turn(self, going: Sequence[int], leg: Leg) -> None:
        states = [self.chains[i].state() for i in going]
        pieces = [self._piece(i, state, leg) for i, state in zip(going, states, strict=True)]
        for place, gone in self._coming_home(self._elsewhere.each(go, pieces)):
            known, sent = states[place], pieces[place].state
            self.chains[going[place]].restore(with_draws(known, sent, gone.state))
            self._note(going[place], leg, gone.n_made, gone.seconds)
            self.on_tick()

    def _coming_home(self, slices: Iterator[tuple[int, Gone]]) -> Iterator[tuple[int, Gone]]:
        """Yield slices as they come; only while they are waited for may Ctrl-C break in."""
        while True:
            with self.breaking_off():
                home = next(slices, None)
            if home is None:
                return
            yield home

    def _piece(self, i: int, state: dict[str, Any], leg: Leg) -> Piece:
        seconds = min(SLICE_SECONDS, max(leg.deadline - time.monotonic(), 0.0))
        n_left = leg.n_left(self.statuses[i])
        lean = without_draws(state)
        return Piece(start_share(i), lean, n_left, leg.is_burn_in, leg.thin, seconds)
