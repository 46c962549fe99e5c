"""sweeptree, measured as its peers are."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from benchmarks.peers.worker import (
    Moves,
    Peer,
    Prediction,
    Sampler,
    Settings,
    Table,
    beyond_set_up,
    serve,
)
from sweeptree import BayesianTreeClassifier

N_BURN_IN = 10_000


class Ours(Peer):
    """The estimator; `estimator` among the settings are its parameters."""

    def sampler(self, table: Table, settings: Settings) -> Sampler:
        def run(n_moves: int) -> None:
            _fit(table, settings, n_chains=1, n_burn_in=N_BURN_IN, n_draws=1, thin=n_moves)

        def moves(n: int) -> Moves:
            return beyond_set_up(run, n, 1)

        return moves

    def classify(self, table: Table, settings: Settings) -> Prediction:
        seconds = settings.get("seconds")
        model = _fit(table, settings, **({} if seconds is None else {"max_seconds": seconds}))
        note = "" if model.posterior_.converged else "not converged"
        return Prediction(model.predict_proba(table.X_new), note)


def _fit(table: Table, settings: Settings, **lengths: Any) -> BayesianTreeClassifier:
    model = BayesianTreeClassifier(
        random_state=settings["seed"],
        progress=False,
        **lengths,
        **settings.get("estimator", {}),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(table.X, table.y)


if __name__ == "__main__":
    serve(Ours())
