"""Where joblib's backend sends work, of whatever maker it is."""

import os

import joblib
import pytest
from joblib.parallel import LokyBackend, register_parallel_backend

from cut_off_fits import assert_identical, fit_quietly, short
from sweeptree import prediction, remote_crew
from sweeptree.datasets import make_xor3
from sweeptree.elsewhere import Elsewhere, n_threads_to_predict, sends_work_away


class StrangersBackend(LokyBackend):
    """As far as can be told, a backend that joblib does not come with."""


@pytest.fixture
def strangers():
    register_parallel_backend("strangers", StrangersBackend)
    with joblib.parallel_config(backend="strangers", n_jobs=2):
        yield


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing", "sequential"])
def test_with_the_backends_of_joblib_work_stays_here(backend):
    assert not sends_work_away()
    with joblib.parallel_config(backend=backend):
        assert not sends_work_away()


@pytest.mark.parametrize("n_jobs", [-1, 1, 2, 100_000])
def test_no_more_threads_predict_than_there_are_cores(n_jobs):
    assert 1 <= n_threads_to_predict(n_jobs) <= joblib.cpu_count()


def test_threads_that_predict_are_bounded(monkeypatch):
    X, y = make_xor3(100, random_state=0, return_X_y=True)
    model = fit_quietly(short(n_draws=20, n_jobs=100_000), X, y)
    n_threads = []
    mean = prediction.mean_probabilities
    monkeypatch.setattr(
        prediction, "mean_probabilities", lambda *call: n_threads.append(call[-1]) or mean(*call)
    )
    model.predict_proba(X)
    assert n_threads == [joblib.cpu_count()]


@pytest.mark.slow
def test_any_other_backend_gets_the_chains(strangers, monkeypatch):
    assert sends_work_away()
    X, y = make_xor3(100, random_state=0, return_X_y=True)
    sent = []
    each = Elsewhere.each
    monkeypatch.setattr(Elsewhere, "each", lambda *call: sent.append(call) or each(*call))
    monkeypatch.setattr(remote_crew, "SLICE_SECONDS", 0.02)
    found = fit_quietly(short(n_draws=200), X, y).posterior_
    assert len(sent) >= 3
    with joblib.parallel_config(backend="loky"):
        assert_identical(found, fit_quietly(short(n_draws=200), X, y).posterior_)


@pytest.mark.slow
def test_pieces_run_in_other_processes_and_keep_their_places(strangers):
    with Elsewhere(10, n_jobs=2) as away:
        found = dict(away.each(add_and_tell_where, [1, 2, 3]))
    assert {place: total for place, (total, _) in found.items()} == {0: 11, 1: 12, 2: 13}
    assert os.getpid() not in [pid for _, pid in found.values()]


def add_and_tell_where(needed, piece):
    return needed + piece, os.getpid()


@pytest.mark.slow
def test_an_error_of_a_piece_is_raised(strangers):
    with Elsewhere(0, n_jobs=2) as away, pytest.raises(ZeroDivisionError):
        list(away.each(divide, [0, 1]))


def divide(needed, piece):
    return 1 / piece
