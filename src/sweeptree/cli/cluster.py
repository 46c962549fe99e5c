"""Work sent to a Dask cluster that is running."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from joblib import parallel_config

from sweeptree.elsewhere import ClusterError, check_workers

SECONDS_TO_CONNECT = 10.0
SECONDS_TO_FIND_WORKERS = 10.0


@contextmanager
def sent_to(address: str | None) -> Iterator[None]:
    """Send what is done inside to the workers of a cluster; without an address it stays here."""
    if address is None:
        yield
        return
    with _connected(address) as client:
        _check(client, address)
        with parallel_config(backend="dask", client=client):
            yield


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(
            '--scheduler needs dask; install it with: pip install "sweeptree[dask]"'
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # an error is told in a sentence
    try:
        return Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError):
        raise ClusterError(
            f"There is no Dask scheduler at {address}; start one with `dask scheduler` and give "
            "the address that it prints, such as tcp://127.0.0.1:8786."
        ) from None


def _check(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=SECONDS_TO_FIND_WORKERS)
    except TimeoutError:
        raise ClusterError(
            f"The Dask cluster at {address} has no workers; start some with "
            f"`dask worker {address}`."
        ) from None
    check_workers(client)
