"""A fit that is cut off goes on from its checkpoint and ends with the very same draws."""

import hashlib
import math
import os
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from comparing import assert_same_posterior
from sweeptree import BayesianTreeClassifier, logbook
from sweeptree.checkpoint import Checkpoint, CheckpointError, fingerprint
from sweeptree.datasets import make_injury, make_xor3

on_posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and permissions")


@pytest.fixture(scope="module")
def injury():
    """200 rows that are hard to tell apart: chains take long to converge."""
    return make_injury(200, random_state=0, return_X_y=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "fit.checkpoint"


@pytest.fixture
def writing_often(monkeypatch):
    monkeypatch.setattr(logbook, "SECONDS_BETWEEN_WRITES", 0.002)
    monkeypatch.setattr(logbook, "SHARE_OF_TIME", math.inf)


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


# Going on


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
    monkeypatch.setattr(logbook, "SECONDS_BETWEEN_WRITES", 0.1)
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


def cut_off(monkeypatch, model, X, y, n_writes=3):
    """Leave a checkpoint behind."""
    with monkeypatch.context() as patched:
        patched.setattr(logbook, "SECONDS_BETWEEN_WRITES", 0.001)
        patched.setattr(logbook, "SHARE_OF_TIME", math.inf)
        patched.setattr(Checkpoint, "write", cutting_off(n_writes))
        with pytest.raises(CutOffError):
            model.fit(X, y)


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


# Killed

KILLING = """
    import os
    import random
    import signal
    import time

    def is_killed_while(work, most_seconds=None):
        # Whether the process that does the work had to be killed; it may have ended before.
        process = os.fork()
        if process == 0:
            work()
            os._exit(0)
        if most_seconds is not None:
            time.sleep(random.uniform(0.0, most_seconds))
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        assert os.WIFSIGNALED(status) or status == 0, status
        return os.WIFSIGNALED(status)
"""

KILLED_FITS = """
    import hashlib
    import math
    import sys
    import warnings
    from dataclasses import asdict
    from pathlib import Path

    import numpy as np

    from sweeptree import BayesianTreeClassifier, logbook
    from sweeptree.datasets import make_injury

    def digest(posterior):
        numbers = hashlib.sha256()
        parts = asdict(posterior)
        for name, value in [*parts.pop("trees").items(), *parts.items()]:
            is_array = isinstance(value, np.ndarray)
            numbers.update(value.tobytes() if is_array else f"{name} {value!r}".encode())
        return numbers.hexdigest()

    def fit(**parameters):
        model = BayesianTreeClassifier(
            n_burn_in=50_000, thin=20, max_moves=500_000, max_seconds=None, random_state=0,
            **parameters,
        )
        return digest(model.fit(X, y).posterior_)

    def fit_from_checkpoint():
        found.write_text(fit(checkpoint=path, n_jobs=1 + n_killed % 4))

    path, found = Path(sys.argv[1]), Path(sys.argv[2])
    warnings.simplefilter("ignore")
    logbook.SECONDS_BETWEEN_WRITES, logbook.SHARE_OF_TIME = 0.05, math.inf
    X, y = make_injury(200, random_state=0, return_X_y=True)
    n_killed, digests = 0, []
    while n_killed < 20 or not digests:
        if is_killed_while(fit_from_checkpoint, 0.2 if n_killed < 20 else None):
            n_killed += 1
        else:
            digests.append(found.read_text())
            assert not path.exists()
    print(set(digests) == {fit()})
"""


def output_of(code, *arguments):
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


@on_posix
@pytest.mark.slow
def test_fit_that_is_killed_twenty_times_ends_with_the_same_draws(path, tmp_path):
    assert output_of(KILLING + KILLED_FITS, path, tmp_path / "found") == "True"


KILLED_WRITES = """
    import itertools
    import sys
    from pathlib import Path

    import numpy as np

    from sweeptree.checkpoint import Checkpoint

    def write_without_end():
        for n in itertools.count():
            checkpoint.write({"n": n, "numbers": [np.full(50_000, n), np.full(20_000, n)]})

    path = Path(sys.argv[1])
    checkpoint = Checkpoint(path, {})
    checkpoint.write({"n": -1, "numbers": []})
    n_cut_off = 0
    for _ in range(100):
        assert is_killed_while(write_without_end, 0.1)
        n_cut_off += len(list(path.parent.iterdir())) > 1
        state = checkpoint.read()
        assert all((numbers == state["n"]).all() for numbers in state["numbers"])
        assert list(path.parent.iterdir()) == [path]
    print(n_cut_off)
"""


@on_posix
@pytest.mark.slow
def test_checkpoint_is_whole_whenever_its_writer_is_killed(path):
    assert int(output_of(KILLING + KILLED_WRITES, path)) > 10, "hardly a write was cut off"


# Refused checkpoints


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"n_chains": 8}, "it was written with n_chains=3, this fit has n_chains=8"),
        ({"alpha": [1, 2]}, r"it was written with alpha='learn', this fit has alpha=\[1, 2\]"),
        ({"random_state": 1}, "it was written with random_state=0, this fit has random_state=1"),
        ({"thin": 2}, "it was written with thin=1, this fit has thin=2"),
        ({"engine": "reference"}, "it was written with engine='kernel', this fit has engine='ref"),
        ({"random_state": np.random.RandomState(3)}, "with random_state=0, this fit has random_st"),
    ],
)
def test_checkpoint_of_other_settings_is_refused(changed, words, injury, path, monkeypatch):
    cut_off(monkeypatch, short(checkpoint=path), *injury)
    content = path.read_bytes()
    with pytest.raises(CheckpointError, match=words) as caught:
        short(checkpoint=path, **changed).fit(*injury)
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith("Delete it to start anew, or give another path.")
    assert path.read_bytes() == content


def test_checkpoint_of_other_data_is_refused(injury, path, monkeypatch):
    X, y = injury
    model = short(checkpoint=path)
    cut_off(monkeypatch, model, X, y)
    other_value = X.copy()
    other_value[3, 2] += 1.0
    for other, words in [
        ((X[:-1], y[:-1]), "it was written with n_rows=200, this fit has n_rows=199"),
        ((X[:, 1:], y), "it was written with n_columns=18, this fit has n_columns=17"),
        ((other_value, y), "it was written with other values of X"),
        ((X, np.roll(y, 1)), "it was written with other values of y"),
        ((X, np.where(y, "a", "b")), r"it was written with classes=\[0, 1\], this fit has classes"),
    ]:
        with pytest.raises(CheckpointError, match=words):
            model.fit(*other)
    fit_quietly(model, X, y)


def test_generator_as_random_state_is_known_again(injury, path, monkeypatch):
    cut_off(monkeypatch, short(checkpoint=path, random_state=np.random.RandomState(7)), *injury)
    other = short(checkpoint=path, random_state=np.random.RandomState(8))
    with pytest.raises(CheckpointError, match="other values of random_state"):
        other.fit(*injury)
    model = short(checkpoint=path, random_state=np.random.RandomState(7))
    expected = short(random_state=np.random.RandomState(7))
    assert_identical(
        fit_quietly(model, *injury).posterior_, fit_quietly(expected, *injury).posterior_
    )


def test_checkpoint_of_another_version_is_refused(injury, path, monkeypatch):
    cut_off(monkeypatch, short(checkpoint=path), *injury)
    monkeypatch.setattr("sweeptree.checkpoint.version", lambda name: "99.0")
    with pytest.raises(CheckpointError, match=r"this fit has sweeptree='99\.0'"):
        short(checkpoint=path).fit(*injury)


@pytest.mark.parametrize("value", [3, 1.5, True, b"x", ["x"]])
def test_checkpoint_must_be_a_path(value, injury):
    with pytest.raises(ValueError, match="checkpoint"):
        short(checkpoint=value).fit(*injury)


def test_place_that_cannot_be_written_is_refused_at_once(injury, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for bad in (tmp_path, tmp_path / "file" / "fit.checkpoint"):
        with pytest.raises(CheckpointError, match=r"cannot be (read|written) \(.*Give another"):
            short(checkpoint=bad, n_burn_in=10**9, max_moves=None).fit(*injury)


@on_posix
def test_fit_goes_on_where_a_checkpoint_can_no_longer_be_written(injury, path, monkeypatch):
    monkeypatch.setattr(logbook, "SECONDS_BETWEEN_WRITES", 0.01)
    write, n_written = Checkpoint.write, []

    def write_to_a_full_disk(self, state):
        n_written.append(1)
        if len(n_written) > 1:
            raise OSError(28, "No space left on device")
        write(self, state)

    monkeypatch.setattr(Checkpoint, "write", write_to_a_full_disk)
    with pytest.warns(UserWarning) as caught:  # noqa: PT030
        found = short(checkpoint=path).fit(*injury).posterior_
    assert any("could not be written (No space left on device)" in str(w.message) for w in caught)
    monkeypatch.undo()
    assert_identical(found, fit_quietly(short(), *injury).posterior_)


# Damaged checkpoints


def damaged(content, rng):
    """The same bytes but for one slip."""
    spoilt, place = bytearray(content), int(rng.integers(len(content)))
    match rng.integers(5):
        case 0:
            return content[:place]
        case 1:
            spoilt[place] ^= 1 << int(rng.integers(8))
        case 2:
            spoilt.insert(place, int(rng.integers(256)))
        case 3:
            del spoilt[place : place + 1 + int(rng.integers(100))]
        case 4:
            spoilt += bytes([int(rng.integers(256))])
    return bytes(spoilt)


def test_damaged_checkpoint_is_refused(injury, path, monkeypatch):
    model = short(checkpoint=path)
    cut_off(monkeypatch, model, *injury)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for content in [b"", b"\n", b"x" * 1000, *(damaged(whole, rng) for _ in range(150))]:
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match=r"is damaged, or no checkpoint\. Delete it"):
            Checkpoint(path, {}).read()
    with pytest.raises(CheckpointError, match="is damaged"):
        model.fit(*injury)
    path.write_bytes(whole)
    fit_quietly(model, *injury)


def test_checkpoint_whose_content_makes_no_sense_is_refused(injury, path, monkeypatch):
    """As a file it is whole; what is in it is not what a crew wrote."""
    model = short(checkpoint=path)
    cut_off(monkeypatch, model, *injury)
    read = Checkpoint.read
    for spoil in (
        lambda state: state.pop("crew"),
        lambda state: state["crew"].pop("thin"),
        lambda state: state["crew"]["chains"].pop(),
        lambda state: state["crew"]["chains"][0]["random"].pop("state"),
        lambda state: state["crew"]["chains"][1]["walkers"][0]["variable"].put(0, 99),
        lambda state: state["crew"]["statuses"][0].update(n_sampling="many"),
        lambda state: state["crew"]["statuses"][0].update(n_sampling=7),
        lambda state: state["crew"].update(thin=0),
        lambda state: state.update(seconds=None),
    ):
        with monkeypatch.context() as patched:

            def read_and_spoil(self, spoil=spoil):
                state = read(self)
                spoil(state)
                return state

            patched.setattr(Checkpoint, "read", read_and_spoil)
            with pytest.raises(CheckpointError, match="is damaged"):
                model.fit(*injury)


@pytest.mark.parametrize("archive", [b"", b"x", b"PK", b"\x93NUMPY"])
def test_checksum_alone_makes_no_checkpoint(archive, path):
    digest = hashlib.sha256(archive).hexdigest().encode()
    path.write_bytes(b"sweeptree checkpoint 1 " + digest + b"\n" + archive)
    with pytest.raises(CheckpointError, match="is damaged"):
        Checkpoint(path, {}).read()


def test_what_is_written_is_what_is_read(path):
    state = {
        "none": None,
        "numbers": [1, 2**100, -0.1, 1e-300, True],
        "nested": [{"a": np.arange(5, dtype=np.int32)}, {"b": np.array([np.nan, -np.inf])}],
        "empty": np.empty(0),
    }
    checkpoint = Checkpoint(path, {"x": np.float64(0.1), "y": (1, 2)})
    checkpoint.write(state)
    np.testing.assert_equal(Checkpoint(path, {"x": 0.1, "y": [1, 2]}).read(), state)
    checkpoint.remove()
    assert checkpoint.read() is None


def test_fingerprints_tell_arrays_apart():
    arrays = [np.zeros(4), np.zeros((2, 2)), np.zeros(4, dtype=np.int64), np.zeros(5), np.ones(4)]
    assert len({fingerprint(array) for array in arrays}) == len(arrays)
    table = np.arange(12.0).reshape(3, 4)
    assert fingerprint(table[:, ::2]) == fingerprint(table[:, ::2].copy())
