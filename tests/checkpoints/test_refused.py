"""Checkpoints of other fits, and damaged ones, are refused."""

import hashlib
import os

import numpy as np
import pytest

from cut_off_fits import assert_identical, cut_off, fit_quietly, short
from sweeptree import logbook
from sweeptree.checkpoint import Checkpoint, CheckpointError, fingerprint

on_posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and permissions")


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


@pytest.mark.parametrize("again", [{0: 0.3, 1: 0.7}, {np.int64(1): 0.7, np.int64(0): 0.3}])
def test_mapping_with_keys_of_numpy_is_known_again(again, injury, path, monkeypatch):
    prior = {np.int64(0): 0.3, np.int64(1): np.float64(0.7)}
    cut_off(monkeypatch, short(checkpoint=path, class_prior=prior), *injury)
    with pytest.raises(CheckpointError, match=r"written with class_prior=\[\[0, 0\.3\], \[1, 0\.7"):
        short(checkpoint=path, class_prior={0: 0.4, 1: 0.6}).fit(*injury)
    fit_quietly(short(checkpoint=path, class_prior=again), *injury)
    assert not path.exists()


def test_keys_of_different_types_are_told_apart(path):
    Checkpoint(path, {"prior": {1: 0.5}}).write({})
    with pytest.raises(CheckpointError, match="belongs to another fit"):
        Checkpoint(path, {"prior": {"1": 0.5}}).read()


def test_checkpoint_behind_a_link_is_removed_and_the_link_stays(path, tmp_path):
    path.symlink_to(tmp_path / "elsewhere")
    checkpoint = Checkpoint(path, {})
    checkpoint.write({"n": 1})
    assert checkpoint.read() == {"n": 1}
    checkpoint.remove()
    assert list(tmp_path.iterdir()) == [path]
    assert checkpoint.read() is None


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
