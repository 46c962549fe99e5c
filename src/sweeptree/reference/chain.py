"""One Markov chain over trees: a walker that samples, warmer ones that find the way, a record."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.reference.record import Record
from sweeptree.reference.snapshot import restore_chain, take_chain
from sweeptree.reference.target import Target
from sweeptree.reference.walker import Heat, Walker
from sweeptree.settings import (
    MOVES,
    OUTCOMES,
    PHASES,
    StrategySettings,
)


class Chain:
    """A chain from a single terminal node; `run` makes it move.

    The first walker samples the target. The others, if there are any, take a smaller share of the
    likelihood each, and now and then neighbours exchange their places.
    """

    def __init__(
        self,
        target: Target,
        strategy: StrategySettings,
        bit_generator: np.random.BitGenerator,
        start_share: float = 0.0,
        keeps_full_trace: bool = False,
    ) -> None:
        self.target = target
        self.strategy = strategy
        self.random = np.random.Generator(bit_generator)
        self.start_share = start_share
        self.walkers = [Walker(target, strategy, self.random)]
        self.shares = [1.0]
        self.moves_between_exchanges = 1
        self.first_to_exchange = 0
        self.n_since_draw = 0
        self.counts = np.zeros((len(PHASES), len(MOVES), len(OUTCOMES)), dtype=np.int64)
        self.keeps_full_trace = keeps_full_trace
        self.moves_n_leaves: list[int] = []
        self.moves_log_likelihood: list[float] = []
        self.record = Record(target.data.n_classes)

    def run(self, n: int, is_burn_in: bool, thin: int = 1, seconds: float = math.inf) -> int:
        """Make moves until `n` are made or `seconds` have passed; return how many were made.

        In the sampling phase every `thin`-th move is recorded.
        """
        end = time.monotonic() + seconds
        for i in range(1, n + 1):
            self.step(is_burn_in)
            self.n_since_draw += not is_burn_in
            if self.n_since_draw >= thin:
                self.n_since_draw = 0
                self.record_draw()
            if self.keeps_full_trace:
                self.moves_n_leaves.append(self.n_leaves)
                self.moves_log_likelihood.append(self.log_likelihood)
            if time.monotonic() >= end:
                return i
        return n

    def temper(self, shares: Sequence[float], moves_between_exchanges: int) -> None:
        """Add a walker for each share of the likelihood; they start from the present tree.

        The shares must fall, between 1 and 0.
        """
        self.moves_between_exchanges = moves_between_exchanges
        for share in shares:
            walker = Walker(self.target, self.strategy, self.random)
            walker.follow(self.walkers[0])
            self.walkers.append(walker)
            self.shares.append(share)

    def step(self, is_burn_in: bool) -> None:
        """Make a move of the walker that samples.

        The others make theirs when it is time to change places.
        """
        self.move(0, is_burn_in)
        n_made = self.walkers[0].state.n_moves_made
        if len(self.walkers) == 1 or n_made % self.moves_between_exchanges != 0:
            return
        for i in range(1, len(self.walkers)):
            while self.walkers[i].state.n_moves_made < n_made:
                self.move(i, is_burn_in)
        self.exchange(self.annealed_share(is_burn_in, n_made))

    def move(self, i: int, is_burn_in: bool) -> None:
        """Make a move of one walker; only those of the one that samples are counted."""
        walker = self.walkers[i]
        annealed = self.annealed_share(is_burn_in, walker.state.n_moves_made)
        of_phase = self.counts[0 if is_burn_in else 1]
        counts = of_phase if i == 0 else np.zeros_like(of_phase)
        walker.step(Heat(annealed * self.shares[i], 1.0 - annealed), is_burn_in, counts)

    def exchange(self, annealed: float) -> None:
        """Offer neighbours to change places.

        The first with the second, the third with the fourth and so on; the next time the second
        with the third, and so on.
        """
        walkers = self.walkers
        for i in range(self.first_to_exchange, len(walkers) - 1, 2):
            gain = walkers[i + 1].state.log_likelihood - walkers[i].state.log_likelihood
            log_ratio = annealed * (self.shares[i] - self.shares[i + 1]) * gain
            u = 1.0 - self.random.random()  # never zero
            if log_ratio < 0.0 and math.log(u) >= log_ratio:
                continue
            walkers[i], walkers[i + 1] = walkers[i + 1], walkers[i]
            if i == 0:
                self.record.forget_last()
        self.first_to_exchange = 1 - self.first_to_exchange

    def annealed_share(self, is_burn_in: bool, n_made: int) -> float:
        """Return how much of the target counts after so many moves: less than 1 while annealing."""
        if not is_burn_in or n_made >= self.strategy.anneal_moves:
            return 1.0
        progress = n_made / self.strategy.anneal_moves
        return self.start_share + (1.0 - self.start_share) * progress

    def record_draw(self) -> None:
        """Record the present tree of the walker that samples."""
        state = self.walkers[0].state
        self.record.add(state.tree, state.log_likelihood, state.alpha_index, self.target)

    # ---- what the kernel's chain offers too ------------------------------------------------

    def halve_draws(self) -> None:
        """Keep the second draw, the fourth and so on."""
        self.record.halve()

    def state(self) -> dict[str, Any]:
        """All that the chain's future depends on, its generator included."""
        return take_chain(self)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to where a chain on the same target was."""
        restore_chain(self, state)

    @property
    def n_leaves(self) -> int:
        """K of the present tree."""
        return self.walkers[0].state.tree.n_leaves

    @property
    def log_likelihood(self) -> float:
        """Log likelihood of the present tree."""
        return self.walkers[0].state.log_likelihood

    @property
    def log_prior(self) -> float:
        """Log prior of the present tree."""
        return self.target.log_prior(self.walkers[0].state.tree)

    @property
    def rule_scale(self) -> list[float]:
        """The step sizes as tuned so far."""
        return self.walkers[0].state.scale.scale

    @property
    def draws(self) -> dict[str, Any]:
        """What was recorded, as arrays."""
        return self.record.as_arrays()

    @property
    def full_trace(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Number of leaves and log likelihood after every move."""
        return (
            np.array(self.moves_n_leaves, dtype=np.int32),
            np.array(self.moves_log_likelihood, dtype=np.float64),
        )
