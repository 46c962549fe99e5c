"""Whether work goes to other machines, by joblib's backend, and what Dask needs for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from joblib import Parallel, cpu_count, delayed, effective_n_jobs
from joblib.parallel import (
    LokyBackend,
    MultiprocessingBackend,
    SequentialBackend,
    ThreadingBackend,
    get_active_backend,
)

LOCAL_BACKENDS = (LokyBackend, MultiprocessingBackend, SequentialBackend, ThreadingBackend)
"""Of joblib itself; with them work stays on the threads of this process."""

SECONDS_WITHOUT_WORKERS = 300.0
"""So long a cluster that has lost all workers may take to get others."""

SECONDS_BETWEEN_LOOKS = 0.1
"""At a cluster that has no workers."""

MOST_LOSSES = 3
"""So many times in a row all workers that have what the work needs may be lost."""


class ClusterError(ValueError):
    """A cluster cannot do the work."""


def sends_work_away() -> bool:
    """Whether joblib's backend is one of those that reach other machines.

    Not inside a worker: work that is there already stays, so that no task waits for another.
    """
    backend, _ = get_active_backend()
    return type(backend) not in LOCAL_BACKENDS and _dask_worker() is None


def n_threads_here(n_jobs: int | None) -> int:
    """How many threads `n_jobs` stands for in this process; in a worker, at most its own."""
    worker = _dask_worker()
    if worker is None and not sends_work_away():
        return int(effective_n_jobs(n_jobs))
    n_threads = int(ThreadingBackend().effective_n_jobs(n_jobs))
    return n_threads if worker is None else min(n_threads, int(worker.state.nthreads))


def n_threads_to_predict(n_jobs: int | None) -> int:
    """How many threads share the rows to predict: at most one per core.

    `n_jobs` may come from a stranger's model file.
    """
    return min(n_threads_here(n_jobs), int(cpu_count()))


def _dask_worker() -> Any:
    """Return the Dask worker whose task this is; None outside one."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_worker()
    except ValueError:
        return None


class Elsewhere:
    """Where joblib's backend sends work; a context manager.

    Parameters
    ----------
    needed : object
        What every piece of the work needs. Under Dask it is sent to each worker once, and let go
        at the end; otherwise it goes along with each piece.
    n_jobs : int or None
        As joblib understands it.
    """

    def __init__(self, needed: object, n_jobs: int | None) -> None:
        self._needed = needed
        self._n_jobs = n_jobs
        self._given_backend, _ = get_active_backend()
        self._backend: Any = self._given_backend
        self._copies: _CopiesOnWorkers | None = None

    def __enter__(self) -> Elsewhere:
        if _is_dask(self._given_backend):
            check_workers(self._given_backend.client)
            self._backend = _without_own_work(self._given_backend)
            self._copies = _CopiesOnWorkers(self._backend, self._needed)
        return self

    def __exit__(self, *error: object) -> None:
        if self._copies is not None:
            self._copies.let_go()

    @property
    def n_places(self) -> int:
        """How many pieces run at once; a cluster may grow and shrink."""
        self._wait_for_workers()
        return int(self._given_backend.effective_n_jobs(self._n_jobs))

    def each(
        self, function: Callable[[Any, Any], Any], pieces: Sequence[object]
    ) -> Iterator[tuple[int, Any]]:
        """Yield the place of each piece and ``function(needed, piece)``, as they finish.

        The function must be pure: pieces whose worker is lost run again.
        """
        waiting = dict(enumerate(pieces))
        n_losses = 0
        while waiting:
            try:
                for place, found in self._send(function, waiting):
                    n_losses = 0
                    del waiting[place]
                    yield place, found
            except CancelledError:  # no worker is left that has what is needed
                n_losses += 1
                self._send_needed_again(n_losses)

    def _send(self, function: Callable[[Any, Any], Any], waiting: dict[int, object]) -> Any:
        parallel = Parallel(
            self._n_jobs,
            backend=self._backend,
            batch_size=1,
            pre_dispatch="all",
            return_as="generator_unordered",
        )
        needed = [self._needed] if self._copies is None else self._copies.stand_ins()
        return parallel(
            delayed(_call)(function, needed[i % len(needed)], place, piece)
            for i, (place, piece) in enumerate(list(waiting.items()))
        )

    def _send_needed_again(self, n_losses: int) -> None:
        if n_losses == MOST_LOSSES:
            raise ClusterError(
                f"All workers were lost {n_losses} times in a row; look at their logs, and whether "
                "what is sent fits into their memory."
            )
        if self._copies is not None:
            self._copies.let_go()
            self._wait_for_workers()
            self._copies = _CopiesOnWorkers(self._backend, self._needed)

    def _wait_for_workers(self) -> None:
        if self._copies is not None:
            with _reaching_the_cluster():
                _wait_until_there_are_workers(self._backend.client)


def _wait_until_there_are_workers(client: Any) -> None:
    # The client's own wait_for_workers makes a local cluster forget workers that are just being
    # lost; when it then hears of their loss, it fails.
    deadline = time.monotonic() + SECONDS_WITHOUT_WORKERS
    while not client.ncores():
        if time.monotonic() >= deadline:
            raise TimeoutError
        time.sleep(SECONDS_BETWEEN_LOOKS)


def _call(
    function: Callable[[Any, Any], Any], needed: object, place: int, piece: object
) -> tuple[int, Any]:
    return place, function(needed, piece)


def _is_dask(backend: object) -> bool:
    return type(backend).__name__ == "DaskDistributedBackend"


def _without_own_work(given: Any) -> Any:
    """Make a backend on the same cluster that leaves nothing to this process."""
    plain = type(given)

    class Away(plain):  # type: ignore[valid-type, misc]
        def effective_n_jobs(self, n_jobs: int | None) -> int:
            """At least two: for one, joblib would do the work in this process."""
            with _reaching_the_cluster():
                return max(int(super().effective_n_jobs(n_jobs)), 2)

    return Away(
        client=given.client,
        wait_for_workers_timeout=given.wait_for_workers_timeout,
        **given.submit_kwargs,
    )


class _CopiesOnWorkers:
    """What every piece needs, on each Dask worker under a key of its own.

    Under one key Dask keeps a single copy after a while, and then has all pieces wait for the one
    worker that has it.
    """

    def __init__(self, backend: Any, needed: object) -> None:
        self._backend = backend
        with _reaching_the_cluster():
            self._sent = backend.client.scatter(needed, broadcast=True, hash=False)
        self._stand_ins: dict[str, object] = {}

    def stand_ins(self) -> list[object]:
        """Objects for which joblib passes on the copies: one for each thread of each worker.

        First come those of every worker's first thread, so that few pieces go to many workers.
        """
        with _reaching_the_cluster():
            n_threads = self._backend.client.ncores()
        if not n_threads:
            raise CancelledError
        self._follow(n_threads.keys())
        turns = range(max(n_threads.values()))
        return [self._stand_ins[w] for turn in turns for w, n in n_threads.items() if turn < n]

    def _follow(self, workers: Set[str]) -> None:
        """Make copies on workers that have come, and forget those that are gone."""
        for gone in self._stand_ins.keys() - workers:
            del self._backend.data_futures[id(self._stand_ins.pop(gone))]
        for new in workers - self._stand_ins.keys():
            self._stand_ins[new] = object()
            self._backend.data_futures[id(self._stand_ins[new])] = self._copy_on(new)

    def _copy_on(self, worker: str) -> Any:
        # If the worker is lost, another may make the copy again.
        return self._backend.client.submit(
            _itself, self._sent, workers=[worker], allow_other_workers=True, pure=False
        )

    def let_go(self) -> None:
        """Tell the workers that what was sent is not needed any more."""
        self._backend.data_futures.clear()
        self._sent = None


def _itself(needed: object) -> object:
    return needed


@contextmanager
def _reaching_the_cluster() -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise ClusterError(
            "The cluster has no workers; start some, and if there were any, see their logs for why "
            "they ended."
        ) from None
    except OSError:
        raise ClusterError(
            "The connection to the cluster's scheduler is lost; see whether it still runs."
        ) from None


def check_workers(client: Any) -> None:
    """Refuse Dask workers that do not have this very version of sweeptree."""
    own = version("sweeptree")
    for worker, found in client.run(version, "sweeptree", on_error="return").items():
        if isinstance(found, PackageNotFoundError):
            raise ClusterError(
                f"The Dask worker {worker} does not have sweeptree; install sweeptree {own} on "
                "every worker."
            )
        if isinstance(found, str) and found != own:
            raise ClusterError(
                f"The Dask worker {worker} has sweeptree {found} and this process {own}; install "
                "the same version on every worker."
            )
