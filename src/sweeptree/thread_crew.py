"""Chains on the threads of this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from queue import Empty, PriorityQueue

from sweeptree.engines import Chain
from sweeptree.sampling import Crew, Leg

SLICE_SECONDS = 0.05
"""A chain looks up from its moves this often, to report and to see whether it should stop."""


class ThreadCrew(Crew):
    """Chains on threads.

    If anything is raised inside the context, the chains stop within a slice and their threads end
    before the error goes on.

    Parameters
    ----------
    chains : sequence of Chain
    n_threads : int
    thin : int
        Moves from one draw to the next.
    """

    def __init__(self, chains: Sequence[Chain], n_threads: int, thin: int) -> None:
        super().__init__(chains, thin)
        self._n_threads = n_threads
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="sweeptree-chain")

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _is_over(self, leg: Leg) -> bool:
        return self._stop.is_set() or super()._is_over(leg)

    def _run_until_pause(self, leg: Leg) -> None:
        waiting: PriorityQueue[tuple[int, int]] = PriorityQueue()
        for i, status in enumerate(self.statuses):
            if leg.n_left(status) > 0:
                waiting.put((-leg.n_left(status), i))
        workers = [self._pool.submit(self._work, waiting, leg) for _ in range(self._n_threads)]
        self._wait_for(workers)

    def _wait_for(self, workers: Sequence[Future[None]]) -> None:
        running = set(workers)
        while running:
            done, running = wait(running, timeout=SLICE_SECONDS, return_when=FIRST_EXCEPTION)
            self.on_tick()
            for worker in done:
                worker.result()

    def _work(self, waiting: PriorityQueue[tuple[int, int]], leg: Leg) -> None:
        """Take a chain that waits, run it for a slice, and put it back, until none is left."""
        while not self._is_over(leg) and time.monotonic() < self.pause_at:
            try:
                _, i = waiting.get_nowait()
            except Empty:
                return
            self._run_slice(i, leg)
            n_left = leg.n_left(self.statuses[i])
            if n_left:
                waiting.put((-n_left, i))

    def _run_slice(self, i: int, leg: Leg) -> None:
        start = time.monotonic()
        end = min(start + SLICE_SECONDS, leg.deadline, self.pause_at)
        seconds = max(end - start, 0.0)
        n_left = leg.n_left(self.statuses[i])
        n_made = self.chains[i].run(n_left, leg.is_burn_in, leg.thin, seconds)
        self._note(i, leg, n_made, time.monotonic() - start)
