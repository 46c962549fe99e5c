"""BayesML's meta-trees: a tree with all its pruned subtrees, drawn by Metropolis-Hastings."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from bayesml import bernoulli, categorical, metatree

from benchmarks.peers.worker import (
    Moves,
    Peer,
    Prediction,
    Sampler,
    Settings,
    Table,
    affordable,
    beyond_set_up,
    serve,
)

N_BURN_IN, N_DEFAULT = 100, 500
"""Proposals of MTMCMC by default."""
N_TRIAL = 20


class BayesML(Peer):
    """`c_max_depth` among the settings; by default it is 2, too shallow for most tables."""

    def sampler(self, table: Table, settings: Settings) -> Sampler:
        def run(n_moves: int) -> None:
            _fit(table, settings, 1, n_moves)

        def moves(n: int) -> Moves:
            return beyond_set_up(run, n, 1)

        return moves

    def classify(self, table: Table, settings: Settings) -> Prediction:
        n_burn_in, n_draws = _lengths_in_time(table, settings)
        model = _fit(table, settings, n_burn_in, n_draws)
        note = "" if n_draws == N_DEFAULT else f"{n_draws} of {N_DEFAULT} draws"
        return Prediction(model.predict_proba(table.X_new, None), note)


def _fit(table: Table, settings: Settings, n_burn_in: int, n_draws: int) -> Any:
    is_binary = table.n_classes == 2
    model = metatree.LearnModel(
        c_dim_continuous=table.X.shape[1],
        c_dim_categorical=0,
        c_max_depth=settings["c_max_depth"],
        c_ranges=np.column_stack((table.X.min(axis=0), table.X.max(axis=0))),
        SubModel=bernoulli if is_binary else categorical,
        sub_constants={} if is_binary else {"c_degree": table.n_classes},
    )
    return model.fit(
        table.X,
        None,
        table.y,
        alg_type="MTMCMC",
        burn_in=n_burn_in,
        num_metatrees=n_draws,
        seed=settings["seed"],
    )


def _lengths_in_time(table: Table, settings: Settings) -> tuple[int, int]:
    """Return burn-in and draws: the default ones, or what there is time for after a trial."""
    if "seconds" not in settings:
        return N_BURN_IN, N_DEFAULT
    begin = time.perf_counter()
    _fit(table, settings, 1, N_TRIAL)
    seconds = time.perf_counter() - begin
    wanted = N_BURN_IN + N_DEFAULT
    n = affordable(wanted, seconds / N_TRIAL, settings["seconds"] - seconds)
    n_burn_in = max(n * N_BURN_IN // wanted, 1)
    return n_burn_in, max(n - n_burn_in, 1)


if __name__ == "__main__":
    serve(BayesML())
