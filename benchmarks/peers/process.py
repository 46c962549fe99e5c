"""The runner's end of a peer's process."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from benchmarks.peers.worker import FloatArray, Table

ROOT = Path(__file__).parents[2]
ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    **dict.fromkeys(("NUMBA_NUM_THREADS", "NPROC"), "1"),
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false --xla_force_host_platform_device_count=1",
}


class PeerError(Exception):
    """A peer could not do what it was asked; the text says why."""


class PeerProcess:
    """A peer that waits for requests.

    Parameters
    ----------
    python : Path
        The interpreter of its environment.
    module : str
        Of `benchmarks.peers`.
    cpu : int, default=None
        The only core that it may use, with one thread. None: as the peer comes.
    """

    def __init__(self, python: Path, module: str, cpu: int | None = None) -> None:
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - until close
        command = [str(python), "-m", f"benchmarks.peers.{module}"]
        if cpu is not None:
            command = ["taskset", "-c", str(cpu), *command]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | ({} if cpu is None else ONE_THREAD),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def ask(self, at_most: float | None = None, **request: Any) -> dict[str, Any]:
        """Send a request and wait for the answer, or until the time is over."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise PeerError(self._last_words()) from None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(at_most):
                raise PeerError("over the cap")
        line = self.process.stdout.readline()
        if not line:
            raise PeerError(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise PeerError(str(answer["error"]).removeprefix("NotImplementedError: "))
        return answer

    def _last_words(self) -> str:
        self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"ended with code {self.process.returncode}"

    def close(self) -> None:
        """End the process, and what it has started and left behind."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.errors):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()


def classify(
    peer: PeerProcess, table: Table, settings: dict[str, Any], at_most: float | None = None
) -> tuple[FloatArray, dict[str, Any]]:
    """Have a peer fit and predict; return probabilities and what it says about them."""
    with tempfile.TemporaryDirectory() as directory:
        path, answer = Path(directory) / "table.npz", Path(directory) / "probabilities.npy"
        write_table(path, table)
        said = peer.ask(
            at_most, do="classify", table=str(path), settings=settings, answer=str(answer)
        )
        probabilities: FloatArray = np.load(answer)
    return probabilities, said


def write_table(path: Path, table: Table) -> None:
    """Write a table for a peer to read."""
    np.savez(path, X=table.X, y=table.y, n_classes=table.n_classes, X_new=table.X_new)
