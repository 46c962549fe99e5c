"""A fit that is cut off goes on from its checkpoint and ends with the very same draws."""

import time

import pytest
from sklearn.exceptions import ConvergenceWarning

from cut_off_fits import CutOffError, assert_identical, cut_off, cutting_off, fit_quietly, short
from sweeptree import logbook
from sweeptree.checkpoint import Checkpoint, CheckpointError
from sweeptree.datasets import make_xor3


def fit_in_pieces(monkeypatch, make_model, X, y):
    """Cut a fit off at every second write and run it again, until it ends; return how often."""
    monkeypatch.setattr(Checkpoint, "write", cutting_off(2))
    for n_cuts in range(10_000):
        try:
            return fit_quietly(make_model(), X, y).posterior_, n_cuts
        except CutOffError:
            continue
    raise AssertionError("the fit never ends")


def assert_pieces_make_the_whole(monkeypatch, path, X, y, **parameters):
    expected = fit_quietly(short(**parameters), X, y).posterior_
    jobs = iter(range(10_000))
    found, n_cuts = fit_in_pieces(
        monkeypatch,
        lambda: short(**{"checkpoint": path, "n_jobs": 1 + next(jobs) % 3, **parameters}),
        *(X, y),
    )
    assert n_cuts >= 2
    assert_identical(found, expected)
    assert not list(path.parent.iterdir())
    return expected


def slow(parameters):
    return pytest.param(parameters, marks=pytest.mark.slow)


OPEN = [
    {},
    {"strategy": "sweeping"},
    slow({"strategy": "standard"}),
    slow({"strategy": "restricting"}),
    slow({"strategy": "sweeping", "unavailable": "reject", "tree_prior": "range"}),
    slow({"n_rungs": 3, "tree_prior": "depth", "alpha": 0.5}),
    slow({"rule_scale": "tune", "rule_prior": "continuous", "tree_prior": "uniform"}),
    slow({"likelihood": "plug-in", "min_samples_leaf": 3}),
    slow({"n_chains": 1, "n_burn_in": 0}),
]


@pytest.mark.parametrize("parameters", OPEN, ids=str)
def test_fit_in_pieces_draws_as_a_whole_one(parameters, injury, path, monkeypatch, writing_often):
    posterior = assert_pieces_make_the_whole(monkeypatch, path, *injury, **parameters)
    assert posterior.thin > 1
    if not parameters:
        assert posterior.n_rungs == 5


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [{}, {"n_rungs": 2, "trace": "full"}], ids=str)
def test_fit_of_given_length_in_pieces_draws_as_a_whole_one(
    parameters, injury, path, monkeypatch, writing_often
):
    lengths = {"n_draws": 2_500, "thin": 2}
    assert_pieces_make_the_whole(monkeypatch, path, *injury, **lengths, **parameters)


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [{}, {"strategy": "sweeping"}], ids=str)
def test_fit_of_the_reference_in_pieces_draws_as_a_whole_one(
    parameters, path, monkeypatch, writing_often
):
    monkeypatch.setattr(logbook, "SECONDS_BETWEEN_WRITES", 0.01)
    X, y = make_xor3(40, random_state=0, return_X_y=True)
    lengths = {"n_burn_in": 100, "max_moves": 900, "n_chains": 2, "engine": "reference"}
    assert_pieces_make_the_whole(monkeypatch, path, X, y, **lengths, **parameters)


@pytest.mark.slow
def test_converged_fit_in_pieces_draws_as_a_whole_one(path, monkeypatch, writing_often):
    X, y = make_xor3(300, random_state=0, return_X_y=True)
    lengths = {"max_moves": 10**7, "n_burn_in": 10_000}
    posterior = assert_pieces_make_the_whole(monkeypatch, path, X, y, **lengths)
    assert posterior.stopped_by == "converged"


def test_checkpoint_alone_changes_nothing(injury, path):
    with_one = fit_quietly(short(checkpoint=str(path)), *injury).posterior_
    assert_identical(with_one, fit_quietly(short(), *injury).posterior_)
    assert not path.exists()


def test_seed_that_was_not_given_is_kept(injury, path, monkeypatch):
    """Nobody knows it, but from one checkpoint two fits go on alike."""
    model = short(checkpoint=path, random_state=None)
    cut_off(monkeypatch, model, *injury)
    content = path.read_bytes()
    first = fit_quietly(model, *injury).posterior_
    path.write_bytes(content)
    assert_identical(fit_quietly(model, *injury).posterior_, first)


def test_limits_may_be_raised(injury, path, monkeypatch):
    cut_off(monkeypatch, short(checkpoint=path), *injury, n_writes=6)
    changed = {"max_moves": 7_000, "max_seconds": 1000.0}
    found = fit_quietly(short(checkpoint=path, **changed), *injury).posterior_
    assert_identical(found, fit_quietly(short(**changed), *injury).posterior_)


def test_limit_that_is_behind_is_refused(injury, path, monkeypatch, writing_often):
    write = Checkpoint.write

    def die_when_far(self, state):
        write(self, state)
        statuses = state["crew"]["statuses"]
        if all(status["n_burn_in"] + status["n_sampling"] > 1100 for status in statuses):
            raise CutOffError

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "write", die_when_far)
        with pytest.raises(CutOffError):
            fit_quietly(short(checkpoint=path), *injury)
    with pytest.raises(CheckpointError, match=r"moves far, and max_moves=1,100 .* Raise max_moves"):
        short(checkpoint=path, max_moves=1100).fit(*injury)


def test_time_already_spent_counts(injury, path, monkeypatch):
    cut_off(monkeypatch, short(checkpoint=path), *injury)
    spent = Checkpoint.read
    monkeypatch.setattr(Checkpoint, "read", lambda self: {**spent(self), "seconds": 59.9})
    start = time.monotonic()
    model = short(checkpoint=path, max_moves=None)
    with pytest.warns(ConvergenceWarning, match="max_seconds stopped them"):
        assert model.fit(*injury).posterior_.stopped_by == "max_seconds"
    assert time.monotonic() - start < 10.0
    assert not path.exists()


def test_writes_are_far_apart_where_they_take_long(injury, path, monkeypatch):
    """Each takes 0.05 s, and may take 1 % of the time."""
    write, times = Checkpoint.write, []

    def write_slowly(self, state):
        time.sleep(0.05)
        write(self, state)
        times.append(time.monotonic())

    monkeypatch.setattr(Checkpoint, "write", write_slowly)
    monkeypatch.setattr(logbook, "SECONDS_BETWEEN_WRITES", 0.0)
    fit_quietly(short(checkpoint=path, max_moves=None, max_seconds=1.0), *injury)
    assert len(times) == 2  # at the start, and after burn-in
