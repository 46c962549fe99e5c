"""Dask DataFrames and arrays go through a model partition by partition, when Dask says so."""

import subprocess
import sys
import warnings

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.dataframe.utils import assert_eq
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from mixed_tables import mixed_table
from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_xor3

METHODS = ("predict", "predict_proba", "predict_interval", "uncertainty")


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def fitted(X, y):
    model = BayesianTreeClassifier(n_draws=20, n_burn_in=2000, thin=5, n_chains=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


@pytest.fixture(scope="module")
def numbers():
    X, y = make_xor3(120, random_state=0, return_X_y=True)
    X[::9, 1] = np.nan
    return X, fitted(X, np.array(["no", "yes"])[y])


@pytest.fixture(scope="module")
def mixed():
    table, y = mixed_table(120)
    table.index = np.arange(len(table)) * 10
    return table, fitted(table, y)


# Frames


@pytest.mark.parametrize("method", METHODS)
def test_a_frame_keeps_its_index_and_divisions_and_says_what_it_will_be(method, mixed):
    table, model = mixed
    frame = dd.from_pandas(table, npartitions=4)
    answer = getattr(model, method)(frame)
    assert answer.divisions == frame.divisions
    assert answer.npartitions == 4
    assert_eq(answer, answer.compute())  # also that meta and divisions are true


def test_a_frame_gets_the_numbers_that_its_rows_get_at_once(mixed):
    table, model = mixed
    frame = dd.from_pandas(table, npartitions=3)
    predicted = model.predict(frame).compute()
    assert predicted.name == "predicted"
    assert_array_equal(predicted, model.predict(table))
    probabilities = model.predict_proba(frame).compute()
    assert list(probabilities) == ["probability_ill", "probability_well"]
    assert_array_equal(probabilities, model.predict_proba(table))
    interval = model.predict_interval(frame, level=0.5).compute()
    assert list(interval) == ["lower_ill", "upper_ill", "lower_well", "upper_well"]
    assert_array_equal(interval, model.predict_interval(table, level=0.5).reshape(-1, 4))
    found = model.uncertainty(frame, 0.8, by_class=True).compute()
    pd.testing.assert_frame_equal(found, model.uncertainty(table, 0.8, by_class=True))


@pytest.mark.parametrize("method", METHODS)
def test_a_partition_may_be_empty(method, mixed):
    table, model = mixed
    frame = dd.from_pandas(table, npartitions=4)
    old = table["age"].nlargest(2).min()
    some = frame[frame["age"] >= old]
    assert 0 in some.map_partitions(len).compute().tolist()
    answer = getattr(model, method)(some).compute()
    assert_eq(answer, getattr(model, method)(frame).compute().loc[answer.index])
    assert len(answer) == (table["age"] >= old).sum() > 0


def test_nothing_is_computed_before_it_is_asked_for(mixed):
    table, model = mixed
    frame = dd.from_pandas(table, npartitions=2).map_partitions(fail, meta=table.iloc[:0])
    answers = [getattr(model, method)(frame) for method in METHODS]
    with pytest.raises(ZeroDivisionError):
        answers[0].compute()


def fail(part):
    raise ZeroDivisionError


def test_wrong_columns_are_refused_at_once(mixed):
    table, model = mixed
    frame = dd.from_pandas(table.rename(columns={"dose": "dosis"}), npartitions=2)
    with pytest.raises(ValueError, match=r"is 'dosis' meant for 'dose'\?"):
        model.predict(frame)


# Arrays


@pytest.mark.parametrize("method", METHODS[:3])
def test_an_array_keeps_its_chunks_of_rows(method, numbers):
    X, model = numbers
    answer = getattr(model, method)(da.from_array(X, chunks=(50, 2)))
    expected = getattr(model, method)(X)
    assert answer.chunks == ((50, 50, 20), *((n,) for n in expected.shape[1:]))
    assert answer.dtype == expected.dtype
    assert_array_equal(answer.compute(), expected)


def test_the_table_of_an_array_has_its_rows_numbered(numbers):
    X, model = numbers
    answer = model.uncertainty(da.from_array(X, chunks=(50, 3)))
    assert answer.divisions == (0, 50, 100, 119)
    assert_eq(answer, model.uncertainty(X), check_index=False)
    assert answer.compute().index.tolist() == list(range(120))


def test_chunks_of_unknown_sizes_are_mapped_where_rows_need_no_numbers(numbers):
    X, model = numbers
    array = da.from_array(X, chunks=(50, 3))
    some = array[array[:, 0] > 0.25]
    assert_array_equal(model.predict(some).compute(), model.predict(X[X[:, 0] > 0.25]))
    with pytest.raises(ValueError, match=r"call X\.compute_chunk_sizes\(\) first"):
        model.uncertainty(some)


def test_an_array_with_other_columns_is_refused_at_once(numbers):
    X, model = numbers
    with pytest.raises(ValueError, match="X has 2 features, but"):
        model.predict_proba(da.from_array(X[:, :2]))


# What does not work


def test_fit_needs_all_rows_in_one_place(numbers):
    X, _ = numbers
    for rows, labels, name in (
        (da.from_array(X), np.zeros(120), "X"),
        (dd.from_pandas(pd.DataFrame(X), npartitions=2), np.zeros(120), "X"),
        (X, da.zeros(120), "y"),
    ):
        with pytest.raises(TypeError, match=rf"{name} is a Dask collection.* {name}\.compute\(\)"):
            BayesianTreeClassifier().fit(rows, labels)


def test_other_collections_and_other_methods_are_refused(numbers):
    X, model = numbers
    with pytest.raises(TypeError, match="X is a Dask Series; give a Dask DataFrame"):
        model.predict(dd.from_pandas(pd.Series(X[:, 0]), npartitions=1))
    with pytest.raises(TypeError, match="X is a Dask collection"):
        model.entropies(da.from_array(X))


def test_a_model_must_be_fitted(numbers):
    with pytest.raises(NotFittedError):
        BayesianTreeClassifier().predict(da.from_array(numbers[0]))


def test_the_training_rows_stay_at_home_unless_they_are_needed(numbers):
    X, model = numbers
    graph = dict(model.predict(da.from_array(X)).__dask_graph__())
    sent = [task.value for task in graph.values() if hasattr(task, "value")]
    [lean] = [each for each in sent if isinstance(each, BayesianTreeClassifier)]
    assert "training_" not in vars(lean)
    assert "training_" in vars(model)


def test_ordinary_tables_do_not_import_dask():
    code = """
import sys, warnings
from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_xor3
X, y = make_xor3(50, random_state=0, return_X_y=True)
warnings.simplefilter("ignore")
model = BayesianTreeClassifier(n_draws=4, n_burn_in=10, thin=1).fit(X, y)
model.predict(X), model.predict_interval(X)
assert not {"dask", "distributed"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
