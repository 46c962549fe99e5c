import os
import pickle
import resource
import stat
import threading
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import sweeptree
from explained_models import four_classes, two_classes
from mixed_tables import mixed_table
from saved_models import (
    assert_same_model,
    fit,
    read_parts,
    small_model,
)
from sweeptree import BayesianTreeClassifier, ModelFileError, writing
from sweeptree.datasets import make_xor3
from sweeptree.files.mixin import NEED_TRAINING_ROWS, FileMixin
from sweeptree.interpretation.mixin import InterpretationMixin
from sweeptree.uncertainty.mixin import UncertaintyMixin
from sweeptree.writing import is_stream, remove_leftovers, whole_file, write_atomically


@pytest.fixture(scope="module")
def model():
    return fit(*two_classes(), n_draws=60)


def reload(model, path, **options):
    model.save(path, **options)
    return sweeptree.load(path)


# What comes back


def test_a_loaded_model_is_the_saved_one_to_the_last_bit(model, path):
    assert_same_model(reload(model, path), model)


@pytest.mark.parametrize("category_rules", ["levels", "groups"])
def test_a_model_of_a_mixed_table_comes_back_to_the_last_bit(category_rules, path):
    table, y = mixed_table()
    model = fit(table, y, category_rules=category_rules, leaf_penalty=0.0, n_draws=60)
    loaded = reload(model, path)
    assert_same_model(loaded, model)
    odd = table.assign(ward="never seen", smoker=None)
    for rows in (table, odd):
        assert_array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    assert loaded.explain(table.iloc[0]).to_text() == model.explain(table.iloc[0]).to_text()


def test_the_place_of_a_checkpoint_is_not_told(path, tmp_path):
    X, y = make_xor3(60, random_state=0, return_X_y=True)
    model = fit(X, y, checkpoint=tmp_path / "secret place")
    assert reload(model, path).checkpoint is None
    assert b"secret place" not in read_parts(path)["header"].tobytes()


def test_it_predicts_and_explains_to_the_last_bit(model, path):
    X, _ = two_classes()
    loaded = reload(model, path)
    assert_array_equal(loaded.predict_proba_draws(X), model.predict_proba_draws(X))
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert_array_equal(loaded.predict_interval(X), model.predict_interval(X))
    assert str(loaded.explain(X[:1])) == str(model.explain(X[:1]))
    assert loaded.representative_tree().to_text() == model.representative_tree().to_text()
    pd.testing.assert_frame_equal(loaded.uncertainty(X), model.uncertainty(X))


PARAMETERS = [
    {"alpha": 0.5},
    {"likelihood": "plug-in"},
    {"trace": "full"},
    {"strategy": "sweeping"},
    {"engine": "reference", "n_burn_in": 50, "n_draws": 8},
    {"n_draws": "auto", "max_moves": 5000},
    {"n_chains": 1, "n_draws": 1},
    {"max_leaves": 1},
    {"n_rungs": 3},
    {"move_probabilities": {"birth": 0.4, "death": 0.4, "change_rule": 0.2}},
]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_every_kind_of_run_comes_back(parameters, path):
    X, y = make_xor3(80, random_state=1, return_X_y=True)
    model = fit(X, y, **parameters)
    loaded = reload(model, path)
    assert_same_model(loaded, model)
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


LABELS = [
    np.array(["no", "yes", "a long label, with ümlauts"]),
    np.array(["no", "yes", "unsure"], dtype=object),
    np.array(["no", "yes", "unsure"], dtype="U100"),
    np.array([-1, 0, 2**62]),
    np.array([999000011000001104, 999000011000001105, 999000011000001106], dtype=np.uint64),
    np.array([3, 1, 2], dtype=np.uint8),
    np.array([3, 1, 2], dtype=">i4"),
    np.array([1.0, 2.0, 3.0], dtype=np.float32),
]


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels.dtype.str)
def test_class_labels_keep_their_type(labels, path):
    X, y = make_xor3(60, random_state=0, return_X_y=True)
    model = fit(X, labels[np.where(X[:, 0] > 0.5, 2, y.astype(int))])
    loaded = reload(model, path)
    assert_same_model(loaded, model)
    assert loaded.predict(X).dtype == model.predict(X).dtype


def test_boolean_labels_and_names_of_columns_come_back(path):
    X, y = make_xor3(60, random_state=0, return_X_y=True)
    table = pd.DataFrame(X, columns=["a", "b & c", "Größe"])
    model = fit(table, y.astype(bool))
    loaded = reload(model, path)
    assert_same_model(loaded, model)
    assert_array_equal(loaded.predict(table), model.predict(table))


def test_constant_columns_come_back(path):
    X, y = np.ones((20, 2)), np.arange(20) % 2
    assert_same_model(reload(fit(X, y), path), fit(X, y))


@pytest.mark.filterwarnings("ignore::sweeptree.odd_text.OddTextWarning")
@pytest.mark.parametrize(
    "levels",
    [
        pd.cut(np.arange(20.0), 4),
        pd.Categorical(pd.to_datetime(["2020-01-01", "2021-01-01"] * 10)),
        pd.Categorical([True, False] * 10),
        pd.period_range("2020-01-01", periods=20, freq="D"),
    ],
    ids=["intervals", "days", "booleans", "periods"],
)
def test_levels_of_other_types_come_back_by_their_text(levels, path):
    table, y = pd.DataFrame({"a": levels}), np.arange(20) % 2
    model = fit(table, y)
    loaded = reload(model, path)
    assert_same_model(loaded, model)
    assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))


def test_a_model_with_fewer_draws_comes_back(path):
    model = fit(*four_classes(), n_draws=60)
    refined = model.without_trees_using([model.weak_variables(1.0)[-1]])
    assert_same_model(reload(refined, path), refined)


def test_saving_what_was_loaded_makes_the_same_bytes(model, path):
    again = path.with_name("again.npz")
    reload(model, path).save(again)
    assert again.read_bytes() == path.read_bytes()


def test_a_loaded_model_can_be_cloned_and_fitted_again(path):
    X, y = make_xor3(60, random_state=0, return_X_y=True)
    loaded = reload(small_model(), path)
    again = fit(X, y, **clone(loaded).get_params())
    assert_same_model(again, loaded)


def test_parameters_come_back_as_plain_values(path):
    X, y = make_xor3(60, random_state=0, return_X_y=True)
    model = fit(
        X,
        y,
        alpha=np.array([1.0, 2.0]),
        rule_scale=(0.1, 0.2, 0.3),
        thin=np.int64(7),
        random_state=np.random.RandomState(3),
    )
    found = reload(model, path).get_params()
    assert found["alpha"] == [1.0, 2.0]
    assert found["rule_scale"] == [0.1, 0.2, 0.3]
    assert found["thin"] == 7
    assert found["random_state"] is None


@pytest.mark.parametrize("keep", [pickle, joblib])
def test_models_survive_pickle_and_joblib(model, keep, path):
    with path.open("wb") as file:
        keep.dump(model, file)
    with path.open("rb") as file:
        assert_same_model(keep.load(file), model)


# Training rows


def test_training_rows_can_be_left_out(model, path):
    X, _ = two_classes()
    loaded = reload(model, path, training_rows=False)
    assert not hasattr(loaded, "training_")
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert_array_equal(loaded.predict_interval(X), model.predict_interval(X))
    assert not any("training" in name for name in read_parts(path))
    again = path.with_name("again.npz")
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


CALLS = {
    "predict_interval": ("X",),
    "uncertainty": ("X",),
    "entropies": ("X",),
    "monte_carlo_error": ("X",),
    "envelope": ("X", "y"),
    "envelope_curve": ("X", "y"),
    "reject_option": ("X",),
    "accuracy_coverage": ("X", "y"),
    "representative_tree": (),
    "variable_use": (),
    "rule_density": (0,),
    "weak_variables": (),
    "without_trees_using": ("weakest",),
    "explain": ("row",),
    "partial_dependence": ("X", 0),
    "individual_curves": ("X", 0),
}


def test_every_method_is_called_below():
    named = {*vars(UncertaintyMixin), *vars(InterpretationMixin)}
    assert {name for name in named if not name.startswith("_")} == CALLS.keys()


@pytest.mark.parametrize("method", CALLS)
def test_methods_that_need_training_rows_say_so(method, model, path):
    X, y = two_classes()
    weakest = model.weak_variables(1.0)[-1:]
    given = {"X": X[:20], "y": y[:20], "row": X[:1], "weakest": weakest}
    arguments = [given.get(a, a) if isinstance(a, str) else a for a in CALLS[method]]
    loaded = reload(model, path, training_rows=False)
    if method in NEED_TRAINING_ROWS:
        with pytest.raises(NotFittedError, match=f"without its training rows.*{method}"):
            getattr(loaded, method)(*arguments)
    else:
        getattr(loaded, method)(*arguments)


def test_an_unfitted_model_has_no_training_rows():
    with pytest.raises(AttributeError, match="has no attribute 'training_'"):
        _ = BayesianTreeClassifier().training_
    assert FileMixin.training_ is not None


# Writing


def test_a_model_that_could_not_be_loaded_is_not_saved(path):
    model = small_model()
    model.set_params(gamma=7)
    with pytest.raises(ModelFileError, match=r"cannot be saved.*'gamma'.*7"):
        model.save(path)
    model.set_params(gamma=0.5, alpha={"a": object()})
    with pytest.raises(ModelFileError, match=r"cannot be saved.*'alpha'"):
        model.save(path)
    assert not path.exists()


@pytest.fixture
def full_disk():
    """The system refuses to let files grow, as it does when a disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(small_file, path, request):
    path.write_bytes(small_file.read_bytes())
    model = sweeptree.load(path).set_params(thin=21)
    request.getfixturevalue("full_disk")
    with pytest.raises(OSError, match="File too large"):
        model.save(path)
    assert path.read_bytes() == small_file.read_bytes()
    assert list(path.parent.iterdir()) == [path]


def test_a_directory_is_not_written_over(model, tmp_path):
    with pytest.raises(IsADirectoryError, match="it is a directory; name a file in it"):
        model.save(tmp_path)
    assert list(tmp_path.parent.glob("*.tmp")) == []


def test_a_link_stays_and_the_file_behind_it_is_written(tmp_path):
    link, target = tmp_path / "link", tmp_path / "elsewhere" / "file"
    link.symlink_to(target)
    for text in ("first", "second"):
        write_atomically(link, text)
        assert link.readlink() == target
        assert target.read_text() == text
    assert list(target.parent.iterdir()) == [target]


def test_a_pipe_is_written_into(model, tmp_path):
    pipe, received = tmp_path / "pipe", tmp_path / "received"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.write_bytes(pipe.read_bytes()), daemon=True)
    reader.start()
    model.save(pipe)
    reader.join(timeout=60)
    assert pipe.is_fifo()
    assert_same_model(sweeptree.load(received), model)


def test_a_device_is_written_into():
    """A terminal, since a device such as /dev/null would be lost to all if this went wrong."""
    terminal, their_end = os.openpty()
    write_atomically(Path(os.ttyname(their_end)), "text")
    assert os.read(terminal, 100) == b"text"
    os.close(their_end)
    os.close(terminal)


def test_standard_output_that_goes_to_a_file_keeps_what_is_there(tmp_path, monkeypatch):
    assert is_stream(Path("/dev/stdout"))
    path, stream = tmp_path / "file", tmp_path / "stdout"
    path.write_text("zero ")
    with path.open("ab") as file:
        monkeypatch.setattr(writing, "STANDARD_STREAMS", {str(stream): file.fileno()})
        write_atomically(stream, "one ")
        file.write(b"two")
    assert path.read_text() == "zero one two"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_that_the_umask_leaves(umask, mode, tmp_path):
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "file", "text")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "file") == mode


@pytest.mark.parametrize("mode", [0o600, 0o666, 0o440])
def test_a_file_that_is_replaced_keeps_its_mode(mode, tmp_path):
    path = tmp_path / "file"
    path.touch()
    path.chmod(mode)
    with whole_file(path) as file:
        (unfinished,) = set(tmp_path.iterdir()) - {path}
        assert mode_of(unfinished) == mode
        file.write(b"text")
    assert mode_of(path) == mode
    assert path.read_text() == "text"


def test_a_file_that_cannot_be_made_is_called_as_it_was_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("long" * 62)  # with what is added to it until it is whole, too long a name
    with pytest.raises(OSError, match="too long") as error:
        write_atomically(path, "text")
    assert error.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_leftovers_of_a_file_itself_are_removed(tmp_path):
    path, link = tmp_path / "fit", tmp_path / "link"
    link.symlink_to(path)
    with whole_file(tmp_path / "fit.2") as other, whole_file(path) as own:
        (tmp_path / ".fit.2.abcd.tmp").touch()
        remove_leftovers(link)
        assert Path(other.name).exists()
        assert (tmp_path / ".fit.2.abcd.tmp").exists()
        assert not Path(own.name).exists()
        Path(own.name).touch()


def test_a_file_is_small(model, path):
    model.save(path)
    trees = model.posterior_.trees
    assert path.stat().st_size < 10 * len(trees.variable) + 20_000
