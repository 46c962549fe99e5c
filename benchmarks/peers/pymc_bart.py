"""pymc-bart: BART by particle Gibbs, inside a PyMC model."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pymc as pm
import pymc_bart as pmb

from benchmarks.peers.worker import (
    Moves,
    Peer,
    Prediction,
    Sampler,
    Settings,
    Table,
    affordable,
    cpu_seconds_of,
    serve,
)

N_CHAINS = 4
N_DEFAULT = 1000
"""Iterations of tuning, and as many draws, of every chain by default."""
N_TRIAL = 5


class PyMCBart(Peer):
    """A Bernoulli or a categorical model; `m` among the settings is the number of trees."""

    def sampler(self, table: Table, settings: Settings) -> Sampler:
        with _model(table, settings.get("m", 50)):
            step = pmb.PGBART(batch=(1.0, 1.0))
        n_each = step.batch[0]

        def moves(n: int) -> Moves:
            n_steps = max(round(n / n_each), 1)
            cpu_seconds = cpu_seconds_of(lambda: [step.astep(None) for _ in range(n_steps)])
            return Moves(n_steps * n_each, cpu_seconds)

        return moves

    def classify(self, table: Table, settings: Settings) -> Prediction:
        model = _model(table, settings.get("m", 50))
        n_draws = _draws_in_time(model, settings)
        with model:
            draws = pm.sample(
                draws=n_draws,
                tune=n_draws,
                chains=N_CHAINS,
                random_seed=settings["seed"],
                progressbar=False,
                compute_convergence_checks=False,
                cores=settings.get("cores"),
            )
            pm.set_data({"X": table.X_new, "y": np.zeros(len(table.X_new), dtype=int)})
            found = pm.sample_posterior_predictive(
                draws,
                var_names=["p"],
                predictions=True,
                progressbar=False,
                random_seed=settings["seed"],
            )
        p = np.asarray(found["predictions"]["p"]).mean(axis=(0, 1))
        note = "" if n_draws == N_DEFAULT else f"{n_draws} of {N_DEFAULT} draws of each chain"
        return Prediction(p, note)


def _model(table: Table, m: int) -> Any:
    with pm.Model() as model:
        X, y = pm.Data("X", table.X), pm.Data("y", table.y)
        if table.n_classes == 2:
            mu = pmb.BART("mu", X, table.y, m=m, shape=X.shape[0])
            of_second = pm.math.invprobit(mu)
            p = pm.Deterministic("p", pm.math.stack([1 - of_second, of_second], axis=1))
            pm.Bernoulli("observed", p=of_second, observed=y, shape=X.shape[0])
        else:
            mu = pmb.BART("mu", X, table.y, m=m, shape=(table.n_classes, X.shape[0]))
            p = pm.Deterministic("p", pm.math.softmax(mu, axis=0).T)
            pm.Categorical("observed", p=p, observed=y, shape=X.shape[0])
    return model


def _draws_in_time(model: Any, settings: Settings) -> int:
    """Return the default number, or what there is time for after a short trial."""
    if "seconds" not in settings:
        return N_DEFAULT
    with model:
        step = pmb.PGBART()
    step.astep(None)
    begin = time.perf_counter()
    for _ in range(N_TRIAL):
        step.astep(None)
    seconds = time.perf_counter() - begin
    return affordable(N_DEFAULT, 2 * N_CHAINS * seconds / N_TRIAL, settings["seconds"])


if __name__ == "__main__":
    serve(PyMCBart())
