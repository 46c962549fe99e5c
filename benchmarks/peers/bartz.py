"""bartz: BART in JAX, with a probit link for two classes."""

from __future__ import annotations

import time
from typing import Any

import equinox
import jax
import numpy as np
from bartz import Bart
from bartz.mcmcloop import CallbackTuple, run_mcmc

from benchmarks.peers.worker import (
    Moves,
    Peer,
    Prediction,
    Sampler,
    Settings,
    Table,
    cpu_seconds_of,
    of_two_classes,
    serve,
)

N_CHUNK = 100
"""Iterations between two looks at the clock, compiled once."""
N_DEFAULT = 2000
"""Iterations by default, the first half of them burn-in."""


class Bartz(Peer):
    """`num_trees` among the settings, where it is not the default."""

    def sampler(self, table: Table, settings: Settings) -> Sampler:
        n_iterations = 20 if len(table.y) >= 50_000 else N_CHUNK
        chain = _Chain(table, settings, n_iterations, num_chains=None)
        n_each = n_iterations * chain.model.num_trees

        def moves(n: int) -> Moves:
            n_chunks = max(round(n / n_each), 1)
            cpu_seconds = cpu_seconds_of(lambda: [chain.go_on() for _ in range(n_chunks)])
            return Moves(n_chunks * n_each, cpu_seconds)

        return moves

    def classify(self, table: Table, settings: Settings) -> Prediction:
        if table.n_classes > 2:
            raise NotImplementedError("no multiclass")
        if "seconds" in settings:
            return _classify_in_time(table, settings)
        model = _fit(table, settings)
        return Prediction(of_two_classes(model.predict(table.X_new.T)))


class _Chain:
    """Chains that go on from where they were."""

    def __init__(
        self, table: Table, settings: Settings, n_iterations: int, **parameters: Any
    ) -> None:
        self.n_iterations = n_iterations
        self.model = _fit(
            table, settings, n_burn=0, n_save=n_iterations, printevery=None, **parameters
        )
        self.state = self.model._mcmc_state
        self.key = jax.random.key(settings["seed"])

    def go_on(self) -> Any:
        """Make so many iterations more and return the model with these draws."""
        found = run_mcmc(
            self.key,
            self.state,
            self.n_iterations,
            inner_loop_length=self.n_iterations,
            callback=CallbackTuple(()),  # as in the fit: what was compiled there is used again
        )
        self.state = found.final_state
        jax.block_until_ready(self.state)
        return equinox.tree_at(lambda model: model._main_trace, self.model, found.main_trace)


def _fit(table: Table, settings: Settings, **parameters: Any) -> Any:
    if "num_trees" in settings:
        parameters["num_trees"] = settings["num_trees"]
    return Bart(
        table.X.T, table.y.astype(float), outcome_type="binary", seed=settings["seed"], **parameters
    )


def _classify_in_time(table: Table, settings: Settings) -> Prediction:
    """Draw until the time is over; half of the draws are burn-in, as they are by default.

    Compilation, which comes with the first of them, does not count.
    """
    chain = _Chain(table, settings, N_CHUNK)
    deadline = time.perf_counter() + settings["seconds"]
    found = [np.asarray(chain.model.predict(table.X_new.T))]
    while len(found) * N_CHUNK < N_DEFAULT and time.perf_counter() < deadline:
        found.append(np.asarray(chain.go_on().predict(table.X_new.T)))
    kept = found[len(found) // 2 :]
    n_made = len(found) * N_CHUNK
    note = "" if n_made == N_DEFAULT else f"{n_made} of {N_DEFAULT} iterations"
    return Prediction(of_two_classes(np.mean(kept, axis=0)), note)


if __name__ == "__main__":
    serve(Bartz())
