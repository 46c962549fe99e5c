"""tgp's Bayesian CART, in R: regression only, so the classes are the numbers 0 and 1 to it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.peers.worker import Moves, Peer, Sampler, Settings, Table, serve

SCRIPT = Path(__file__).with_name("tgp.R")
N_BURN_IN = 500


class Tgp(Peer):
    """Every run is a process of R, which times itself."""

    def __init__(self) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self.peak = 0.0

    def sampler(self, table: Table, settings: Settings) -> Sampler:
        path = Path(self.directory.name) / "table.bin"
        np.column_stack((table.X, table.y)).T.tofile(path)
        given = [str(path), str(len(table.y))]

        def moves(n: int) -> Moves:
            least = self._run(given, N_BURN_IN, settings)
            return Moves(n, self._run(given, N_BURN_IN + n, settings) - least, least)

        return moves

    def peak_megabytes(self) -> float:
        return self.peak

    def _run(self, given: list[str], n_moves: int, settings: Settings) -> float:
        """Return seconds of CPU."""
        command = ["Rscript", str(SCRIPT), *given, str(n_moves), str(settings["seed"])]
        done = subprocess.run(command, capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith("measured")]
        if not lines:
            raise RuntimeError(f"R stopped: {done.stderr.strip().splitlines()[-1:]}")
        seconds, peak = (float(figure) for figure in lines[-1].split()[1:])
        self.peak = max(self.peak, peak)
        return seconds


if __name__ == "__main__":
    serve(Tgp())
