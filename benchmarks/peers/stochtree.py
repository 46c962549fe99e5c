"""stochtree: BART in C++, with a probit link for two classes."""

from __future__ import annotations

import time
from typing import Any

from stochtree import BARTModel, OutcomeModel, StochTreeBARTBinaryClassifier

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

N_DEFAULT = 100
"""Iterations after grow-from-root, by default."""
N_GROWN = 10
"""Grow-from-root iterations, by default."""
N_TRIAL = 5


class StochTree(Peer):
    """`num_trees` among the settings, where it is not the default."""

    def sampler(self, table: Table, settings: Settings) -> Sampler:
        n_trees = settings["num_trees"]

        def run(n_moves: int) -> None:
            BARTModel().sample(
                X_train=table.X,
                y_train=table.y.astype(float),
                num_gfr=0,
                num_mcmc=n_moves // n_trees,
                general_params={
                    "random_seed": settings["seed"],
                    "num_threads": 1,
                    "outcome_model": OutcomeModel(outcome="binary", link="probit"),
                    "sample_sigma2_global": False,
                },
                mean_forest_params={"num_trees": n_trees},
            )

        def moves(n: int) -> Moves:
            return beyond_set_up(run, -(-n // n_trees) * n_trees, n_trees)

        return moves

    def classify(self, table: Table, settings: Settings) -> Prediction:
        if table.n_classes > 2:
            raise NotImplementedError("no multiclass")
        n_mcmc = _iterations_in_time(table, settings)
        model = _fit(table, settings, num_mcmc=n_mcmc)
        note = "" if n_mcmc == N_DEFAULT else f"{n_mcmc} of {N_DEFAULT} iterations"
        return Prediction(model.predict_proba(table.X_new), note)


def _fit(table: Table, settings: Settings, **lengths: int) -> Any:
    model = StochTreeBARTBinaryClassifier(
        general_params={"random_seed": settings["seed"]}, **lengths
    )
    return model.fit(table.X, table.y)


def _iterations_in_time(table: Table, settings: Settings) -> int:
    """Return the default number, or what there is time for after a short trial."""
    if "seconds" not in settings:
        return N_DEFAULT
    begin = time.perf_counter()
    _fit(table, settings, num_mcmc=N_TRIAL)
    seconds = time.perf_counter() - begin
    return affordable(N_DEFAULT, seconds / (N_GROWN + N_TRIAL), settings["seconds"] - seconds)


if __name__ == "__main__":
    serve(StochTree())
