"""Fits that are cut off, and leave a checkpoint behind."""

import math
import warnings

import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from comparing import assert_same_posterior
from sweeptree import BayesianTreeClassifier, logbook
from sweeptree.checkpoint import Checkpoint


def short(**parameters):
    """Short enough for a test; of open length it halves its draws and gets rungs half-way."""
    lengths = {"n_burn_in": 1000, "thin": 1, "max_moves": 6_000, "n_chains": 3}
    return BayesianTreeClassifier(**{**lengths, "random_state": 0, **parameters})


def fit_quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def assert_identical(found, expected):
    assert_same_posterior(found, expected)
    assert found.n_rungs == expected.n_rungs
    assert_array_equal(found.verdict, expected.verdict)


class CutOffError(Exception):
    """In the place of a kill: raised right after a write."""


def cutting_off(n_writes):
    """A write that is the last thing that happens, every n-th time."""
    write, written = Checkpoint.write, []

    def write_and_die(self, state):
        write(self, state)
        written.append(state)
        if len(written) % n_writes == 0:
            raise CutOffError

    return write_and_die


def cut_off(monkeypatch, model, X, y, n_writes=3):
    """Leave a checkpoint behind."""
    with monkeypatch.context() as patched:
        patched.setattr(logbook, "SECONDS_BETWEEN_WRITES", 0.001)
        patched.setattr(logbook, "SHARE_OF_TIME", math.inf)
        patched.setattr(Checkpoint, "write", cutting_off(n_writes))
        with pytest.raises(CutOffError):
            model.fit(X, y)
