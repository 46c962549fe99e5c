"""Fig. 3: log likelihood and size of XOR3's trees, move by move, and how sizes are distributed."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from sweeptree.encoding import FloatArray
from sweeptree.experiments.cross_validation import N_FOLDS
from sweeptree.experiments.data_sets import LabelledTable
from sweeptree.experiments.fitting import (
    Record,
    Settings,
    acceptance,
    fit_chain,
    seed_of_chain,
)

N_POINTS = 400
"""Of each trace that are kept to draw it, evenly spaced."""


def measure_trace(table: LabelledTable, settings: Settings, seed: int, name: str) -> Record:
    """Run a chain on the training rows of a fold and keep what Fig. 3 shows."""
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    train, _ = list(folds.split(table.X, table.y))[settings["fold"]]
    model = fit_chain(
        table.X[train],
        table.y[train],
        {**settings["model"], "trace": "full"},
        seed_of_chain(seed, name, 0),
    )
    trace = model.posterior_.full_trace
    assert trace is not None
    n_burn_in = settings["model"]["n_burn_in"]
    phases = {"burn_in": slice(0, n_burn_in), "sampling": slice(n_burn_in, None)}
    return {
        phase: {
            "first_move": moves.start,
            "acceptance": acceptance(model, phase),
            **_describe(trace.n_leaves[0, moves] - 1, trace.log_likelihood[0, moves]),
        }
        for phase, moves in phases.items()
    }


def _describe(n_splits: Any, log_likelihood: FloatArray) -> Record:
    every = max(len(n_splits) // N_POINTS, 1)
    sizes = np.bincount(n_splits) / len(n_splits)
    return {
        "every": every,
        "log_likelihood": log_likelihood[::every].round(3).tolist(),
        "n_splits": n_splits[::every].tolist(),
        "shares_of_sizes": sizes.round(6).tolist(),
    }
