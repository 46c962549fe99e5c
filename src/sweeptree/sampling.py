"""Many chains that go on together: seeds, legs, and stopping when asked to."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple

import numpy as np

from sweeptree.engines import Chain
from sweeptree.settings import MOVES_BETWEEN_EXCHANGES, ladder


@dataclass
class ChainStatus:
    """How far a chain is; written by its thread, read by the display."""

    n_burn_in: int = 0
    n_sampling: int = 0
    seconds: float = 0.0
    n_leaves: int = 1
    log_posterior: float = float("nan")

    @property
    def n_moves(self) -> int:
        """All moves made."""
        return self.n_burn_in + self.n_sampling


class Leg(NamedTuple):
    """A piece of the way that all chains go."""

    is_burn_in: bool
    n_moves: int
    """Where it ends: moves of the phase, those of earlier legs included."""
    thin: int
    deadline: float

    def n_left(self, status: ChainStatus) -> int:
        """Return how many moves a chain has still to make."""
        return self.n_moves - (status.n_burn_in if self.is_burn_in else status.n_sampling)


def spawn_bit_generators(
    random_state: np.random.RandomState, n_chains: int
) -> list[np.random.BitGenerator]:
    """Make one independent stream per chain; chain i has the same one whatever `n_chains` is."""
    entropy = random_state.randint(0, 2**32, size=4, dtype=np.uint32).tolist()
    return [np.random.PCG64(child) for child in np.random.SeedSequence(entropy).spawn(n_chains)]


def start_share(i: int) -> float:
    """Return by how much the likelihood counts for chain i when its annealing starts.

    Van der Corput's sequence: however many chains there are, they are spread out from 0 to 1, and
    chain i starts alike whatever their number.

    Examples
    --------
    >>> [start_share(i) for i in range(6)]
    [0.0, 0.5, 0.25, 0.75, 0.125, 0.625]
    """
    return math.fsum(math.ldexp((i >> bit) & 1, -bit - 1) for bit in range(i.bit_length()))


class Crew(ABC):
    """Chains that go on together; a context manager.

    Where there is not room for all of them at once they take turns in slices of time, the one that
    is least far first. What they draw does not depend on where and when their slices run; how far
    they come before a deadline does.

    Parameters
    ----------
    chains : sequence of Chain
    thin : int
        Moves from one draw to the next.

    Attributes
    ----------
    thin : int
        The same as it is now; it doubles when draws are halved.
    n_rungs : int
        Walkers of each chain, the one that samples included.
    tempered_at : int or None
        Moves of sampling that the chains had made when they got several; None if they have not, or
        had them from the start.
    statuses : list of ChainStatus
    on_tick : callable
        Called from time to time while the chains run.
    should_stop : callable
        Asked before every slice; the chains stop where they are once it returns true.
    breaking_off : callable
        Makes a context in which `BreakOff` may be raised, to wait for slices in.
    pause_at : float
        When all chains pause, by the monotonic clock; `on_pause` is then called between two moves,
        and must put this off.
    on_pause : callable
    """

    def __init__(self, chains: Sequence[Chain], thin: int) -> None:
        self.chains = chains
        self.thin = thin
        self.n_rungs = 1
        self.tempered_at: int | None = None
        self.statuses = [ChainStatus() for _ in chains]
        self.on_tick: Callable[[], None] = lambda: None
        self.should_stop: Callable[[], bool] = lambda: False
        self.breaking_off: Callable[[], AbstractContextManager[None]] = nullcontext
        self.pause_at = math.inf
        self.on_pause: Callable[[], None] = lambda: None

    def __enter__(self) -> Crew:
        return self

    @abstractmethod
    def __exit__(self, *error: object) -> None:
        """Leave nothing running."""

    @property
    def n_burn_in(self) -> int:
        """Moves of burn-in that every chain has made."""
        return min(status.n_burn_in for status in self.statuses)

    @property
    def n_draws(self) -> int:
        """Draws that every chain has."""
        return min(status.n_sampling for status in self.statuses) // self.thin

    @property
    def most_moves(self) -> int:
        """Moves of the chain that has made most."""
        return max(status.n_moves for status in self.statuses)

    @property
    def is_sampling(self) -> bool:
        """Whether burn-in is behind."""
        return any(status.n_sampling for status in self.statuses)

    def burn_in(self, n_moves: int, deadline: float = math.inf) -> bool:
        """Make moves that are thrown away; return whether there was time for all."""
        return self._go(Leg(True, n_moves, self.thin, deadline))

    def sample(self, n_draws: int, deadline: float = math.inf) -> bool:
        """Go on until each chain has so many draws; return whether there was time for all."""
        return self._go(Leg(False, n_draws * self.thin, self.thin, deadline))

    def temper(self, n_rungs: int) -> None:
        """Give each chain so many rungs, if it has but one."""
        if n_rungs > self.n_rungs == 1:
            for chain in self.chains:
                chain.temper(ladder(n_rungs)[1:], MOVES_BETWEEN_EXCHANGES)
            self.n_rungs = n_rungs
            self.tempered_at = self.n_draws * self.thin if self.is_sampling else None

    def halve_draws(self) -> None:
        """Drop every second draw of each chain; those to come are twice as far apart."""
        for chain in self.chains:
            chain.halve_draws()
        self.thin *= 2

    def state(self) -> dict[str, Any]:
        """All that the future of the chains depends on; they must not be running."""
        return {
            "thin": self.thin,
            "n_rungs": self.n_rungs,
            "tempered_at": self.tempered_at,
            "statuses": [
                {name: getattr(status, name) for name in ("n_burn_in", "n_sampling", "seconds")}
                for status in self.statuses
            ],
            "chains": [chain.state() for chain in self.chains],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to where a crew with chains on the same targets was; refuse what cannot be."""
        thin, n_rungs = index(state["thin"]), index(state["n_rungs"])
        tempered_at = None if state["tempered_at"] is None else index(state["tempered_at"])
        for of_chain, of_status in zip(state["chains"], state["statuses"], strict=True):
            n_draws, n_walkers = len(of_chain["draws"]["tree"]), len(of_chain["walkers"])
            if thin < 1 or n_draws != of_status["n_sampling"] // thin or n_walkers != n_rungs:
                raise ValueError("what a chain has done is not what it is said to have done")
        for i, (of_chain, of_status) in enumerate(
            zip(state["chains"], state["statuses"], strict=True)
        ):
            self.chains[i].restore(of_chain)
            self.statuses[i] = ChainStatus(**of_status)
            self._look_at(i)
        self.thin, self.n_rungs, self.tempered_at = thin, n_rungs, tempered_at

    def _go(self, leg: Leg) -> bool:
        while not (self._has_arrived(leg) or self._is_over(leg)):
            self._run_until_pause(leg)
            if time.monotonic() >= self.pause_at:
                self.on_pause()
        return self._has_arrived(leg)

    def _has_arrived(self, leg: Leg) -> bool:
        return all(leg.n_left(status) <= 0 for status in self.statuses)

    def _is_over(self, leg: Leg) -> bool:
        return self.should_stop() or time.monotonic() >= leg.deadline

    @abstractmethod
    def _run_until_pause(self, leg: Leg) -> None:
        """Run the chains until they have arrived, the leg is over or it is time to pause."""

    def _note(self, i: int, leg: Leg, n_made: int, seconds: float) -> None:
        """Take note of a slice that chain i has run."""
        status = self.statuses[i]
        status.seconds += seconds
        if leg.is_burn_in:
            status.n_burn_in += n_made
        else:
            status.n_sampling += n_made
        self._look_at(i)

    def _look_at(self, i: int) -> None:
        chain, status = self.chains[i], self.statuses[i]
        status.n_leaves = chain.n_leaves
        status.log_posterior = chain.log_likelihood + chain.log_prior
