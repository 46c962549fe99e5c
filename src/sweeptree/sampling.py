"""Many chains at once: seeds, threads, progress, and stopping when asked to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from sweeptree.engines import Chain, ChainFactory
from sweeptree.progress import ProgressDisplay
from sweeptree.settings import Schedule

SLICE_SECONDS = 0.05
"""A chain looks up from its moves this often, to report and to see whether it should stop."""


@dataclass
class ChainStatus:
    """How far a chain is; written by its thread, read by the display."""

    n_moves: int = 0
    seconds: float = 0.0
    is_burn_in: bool = True
    n_leaves: int = 1
    log_posterior: float = float("nan")


def spawn_bit_generators(
    random_state: np.random.RandomState, n_chains: int
) -> list[np.random.BitGenerator]:
    """Make one independent stream per chain; chain i has the same one whatever `n_chains` is."""
    entropy = random_state.randint(0, 2**32, size=4, dtype=np.uint32).tolist()
    return [np.random.PCG64(child) for child in np.random.SeedSequence(entropy).spawn(n_chains)]


def run_chains(
    factory: ChainFactory,
    bit_generators: Sequence[np.random.BitGenerator],
    schedule: Schedule,
    *,
    n_threads: int,
    keeps_full_trace: bool,
    shows_progress: bool,
) -> list[Chain]:
    """Run every chain to its end, `n_threads` of them at once.

    What the chains draw does not depend on `n_threads`. If this is interrupted, the chains stop
    within a slice and their threads end before the interruption goes on.
    """
    stop = threading.Event()
    statuses = [ChainStatus() for _ in bit_generators]

    def run(i: int) -> Chain:
        chain = factory.make(bit_generators[i], keeps_full_trace)
        _run_chain(chain, schedule, statuses[i], stop.is_set)
        return chain

    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="sweeptree-chain")
    try:
        futures = [pool.submit(run, i) for i in range(len(bit_generators))]
        with ProgressDisplay(statuses, schedule.n_moves, is_shown=shows_progress) as display:
            _wait_for(futures, display)
        return [future.result() for future in futures]
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


def _wait_for(futures: Sequence[Future[Chain]], display: ProgressDisplay) -> None:
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, timeout=SLICE_SECONDS, return_when=FIRST_EXCEPTION)
        display.update()
        for future in done:
            future.result()


def _run_chain(
    chain: Chain, schedule: Schedule, status: ChainStatus, should_stop: Callable[[], bool]
) -> None:
    phases = ((True, schedule.n_burn_in), (False, schedule.n_draws * schedule.thin))
    for is_burn_in, n_moves in phases:
        n_left = n_moves
        while n_left and not should_stop():
            start = time.perf_counter()
            n_made = chain.run(n_left, is_burn_in, schedule.thin, SLICE_SECONDS)
            n_left -= n_made
            status.seconds += time.perf_counter() - start
            status.n_moves += n_made
            status.is_burn_in = is_burn_in
            status.n_leaves = chain.n_leaves
            status.log_posterior = chain.log_likelihood + chain.log_prior
