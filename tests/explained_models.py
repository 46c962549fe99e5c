"""Models to explain, and what each of their draws says."""

import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_injury

SHORT = {"n_burn_in": 3000, "n_draws": 80, "thin": 20, "n_chains": 3, "random_state": 0}


def fit(X, y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return BayesianTreeClassifier(**{**SHORT, **parameters}).fit(X, y)


def two_classes():
    data = make_injury(250, random_state=0, as_frame=True)
    return data.data, data.target_names[data.target]


def four_classes():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(160, 3)), columns=["size", "age", "dose <mg>"])
    score = X["size"] + rng.normal(0, 0.3, 160)
    return X, np.array(["a & b", "c", "d", "e"])[np.digitize(score, [-0.8, 0, 0.8])]


def drawn_votes(model, X):
    """(draw, row, class): probabilities by each draw of all chains."""
    probabilities = model.predict_proba_draws(X)
    return probabilities.reshape(-1, *probabilities.shape[2:])
