"""A small table, and short fits of it."""

import numpy as np
import pandas as pd

from sweeptree import BayesianTreeClassifier

X = np.random.default_rng(0).normal(size=(30, 3))
Y = (X[:, 0] > 0).astype(int)
NAMED = pd.DataFrame(X, columns=["age", "pulse", "dose"])


def short(**parameters):
    lengths = {"n_burn_in": 100, "n_draws": 10, "thin": 2, "n_chains": 2, "random_state": 0}
    return BayesianTreeClassifier(**{**lengths, **parameters})


def with_value(table, row, column, value):
    changed = table.copy()
    if isinstance(changed, pd.DataFrame):
        changed.iloc[row, column] = value
    else:
        changed[row, column] = value
    return changed
