"""Random tables with random settings: what is right works to the end, what is wrong is told.

SWEEPTREE_EXAMPLES=1000 draws so many cases, anew at each run, instead of a few that are always the
same.
"""

import os
import pickle
import tempfile
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest
import sklearn
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

import sweeptree
from random_settings import (
    WRONG,
    good_settings,
    lengths,
    of_any_table,
    of_this_table,
    wrong_settings,
)
from random_tables import random_tables, wrong_rows, wrong_tables
from sweeptree import BayesianTreeClassifier, load

N_EXAMPLES = os.environ.get("SWEEPTREE_EXAMPLES")


def examples(usual):
    return settings(
        deadline=20_000,  # milliseconds; a case takes about 50
        derandomize=N_EXAMPLES is None,
        max_examples=int(N_EXAMPLES or usual),
        suppress_health_check=list(HealthCheck),
    )


@contextmanager
def only_documented_warnings():
    """Turn every warning into an error but those that the documentation tells of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "No row has a value in", UserWarning)
        yield


def fitted(table, parameters):
    with only_documented_warnings():
        model = BayesianTreeClassifier(**parameters)
        return model.fit(table.X, table.y, sample_weight=table.sample_weight)


def assert_predicts_well(model, X):
    probabilities = model.predict_proba(X)
    assert probabilities.shape[1] == len(model.classes_)
    assert (probabilities >= 0).all()
    assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-9)
    assert_array_equal(model.predict(X), model.classes_[probabilities.argmax(axis=1)])


def assert_intervals_are_in_order(model, X):
    interval = model.predict_interval(X, level=0.9)
    assert (interval >= 0).all()
    assert (interval <= 1).all()
    assert (interval[..., 0] <= interval[..., 1]).all()


def assert_comes_back_the_same(model, X, directory):
    model.save(directory / "model.npz")
    loaded = load(directory / "model.npz")
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert_array_equal(loaded.predict(X), model.predict(X))


# What a user may go on to do


def see_uncertainty(model, table, directory):
    found = model.uncertainty(table.new_rows, by_class=True)
    assert (found["lower"] <= found["upper"]).all()
    assert found["probability"].between(0, 1).all()
    assert found["agreement"].between(0, 1).all()
    assert (found["epistemic"] >= 0).all()
    assert_allclose(found["aleatoric"] + found["epistemic"], found["entropy"], atol=1e-12)


def see_an_explanation(model, table, directory):
    assert str(model.explain(table.one_row)).startswith("Predicted ")


def see_single_trees(model, table, directory):
    for kind in ("map", "confident", "central"):
        tree = model.representative_tree(kind)
        assert str(tree)
        assert_allclose(tree.predict_proba(table.new_rows).sum(axis=1), 1.0, atol=1e-9)


def see_a_summary(model, table, directory):
    model.summary()
    assert model.variable_use()["used"].between(0, 1).all()


def send_to_another_process(model, table, directory):
    other = pickle.loads(pickle.dumps(model))
    assert_array_equal(other.predict_proba(table.X), model.predict_proba(table.X))


def see_a_report(model, table, directory):
    model.report(directory / "report.html", table.new_rows)
    assert (directory / "report.html").read_text().rstrip().endswith("</html>")


STEPS = (
    *[see_uncertainty, see_an_explanation, see_single_trees] * 2,
    *[see_a_summary, send_to_another_process, see_a_report],
)


@pytest.fixture(scope="module")
def directory():
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


@examples(60)
@given(data=st.data(), table=random_tables(), step=st.sampled_from(STEPS))
def test_what_is_right_works_to_the_end(directory, data, table, step):
    parameters = data.draw(good_settings(table, directory / "fit.checkpoint"))
    model = fitted(table, parameters)
    assert not (directory / "fit.checkpoint").exists()
    with only_documented_warnings():
        assert_predicts_well(model, table.X)
        assert_predicts_well(model, table.new_rows)
        assert_intervals_are_in_order(model, table.new_rows)
        assert_comes_back_the_same(model, table.new_rows, directory)
        step(model, table, directory)


SHORT = {"n_burn_in": 10, "n_draws": 5, "thin": 1, "n_chains": 1, "progress": False}


def is_in(filename, package):
    return Path(filename).is_relative_to(Path(package.__file__).parent)


def complaint_of(task, *arguments):
    """Do what must be refused; return what is said, after a look at who says it."""
    with pytest.raises((ValueError, TypeError)) as caught:
        task(*arguments)
    where = traceback.extract_tb(caught.value.__traceback__)[-1]
    note(f"{where.filename}:{where.lineno}: {caught.value!r}")
    assert where.line.startswith("raise "), "no check has found it: the depths complain"
    said = str(caught.value)
    if not is_in(where.filename, sklearn):
        assert is_in(where.filename, sweeptree)
        assert said.endswith((".", "?"))
    return said


@examples(100)
@given(table=random_tables(), wrong=wrong_settings())
def test_a_wrong_setting_is_told_by_its_name(table, wrong):
    name, value = wrong
    assert name in complaint_of(fitted, table, SHORT | {name: value})


@examples(60)
@given(table=wrong_tables())
def test_a_wrong_table_is_told(table):
    complaint_of(fitted, table, SHORT)


@examples(40)
@given(data=st.data(), table=random_tables())
def test_wrong_rows_are_told(data, table):
    model = fitted(table, SHORT)
    rows = data.draw(wrong_rows(table))
    with only_documented_warnings():
        warnings.filterwarnings("ignore", "X (has|does not have valid) feature names", UserWarning)
        for method in (model.predict, model.predict_proba, model.uncertainty):
            complaint_of(method, rows)


@examples(1)
@given(table=random_tables())
def test_every_parameter_is_drawn(table):
    names = set(BayesianTreeClassifier().get_params())
    assert set(WRONG) == names
    alone = {*of_any_table("file"), *of_this_table(table), *lengths("kernel")}
    assert alone | {"engine", "n_rungs", "trace"} == names
