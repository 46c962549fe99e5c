"""Tables that no model can be fitted to or asked about."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from small_table import NAMED, X, Y, short, with_value

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize(("table", "name"), [(X, "column 1"), (NAMED, "column 'pulse'")])
def test_infinite_number_is_named_by_its_column(table, name, value):
    bad = with_value(table, 4, 1, value)
    message = rf"contains infinity in {name} \(first in row 4\)"
    with pytest.raises(ValueError, match=message):
        short().fit(bad, Y)
    model = short().fit(table, Y)
    for method in (model.predict, model.predict_proba, model.predict_proba_draws):
        with pytest.raises(ValueError, match=message):
            method(bad)


def test_opposite_infinities_raise_the_same_error():
    bad = with_value(with_value(X, 4, 1, np.inf), 6, 1, -np.inf)
    with pytest.raises(ValueError, match="infinity in column 1"):
        short().fit(bad, Y)


def test_huge_finite_numbers_are_no_error():
    huge = np.random.default_rng(0).uniform(1e308, 1.7e308, size=(30, 2))
    probabilities = short().fit(huge, Y).predict_proba(huge)
    assert np.isfinite(probabilities).all()


@pytest.mark.parametrize(("table", "name"), [(X, "column 1"), (NAMED, "column 'pulse'")])
def test_column_that_spans_more_than_a_float_holds_is_named(table, name):
    bad = with_value(with_value(table, 0, 1, 1e308), 1, 1, -1e308)
    with pytest.raises(ValueError, match=f"{name} span more than the largest"):
        short().fit(bad, Y)


def test_rows_to_predict_may_span_more_than_a_float_holds():
    model = short().fit(X, Y)
    rows = np.array([[0, 1e308, 0], [0, -1e308, 0]])
    together = model.predict_proba(rows)
    alone = np.concatenate([model.predict_proba(row[np.newaxis]) for row in rows])
    np.testing.assert_array_equal(together, alone)


def test_text_among_numbers_is_named_by_its_column_and_row():
    bad = with_value(NAMED.astype(object), 2, 1, "fast")
    for table, name in ((bad, "column 'pulse'"), (bad.to_numpy(), "column 1")):
        with pytest.raises(ValueError, match=rf"different types in {name}.*'fast' in row 2"):
            short().fit(table, Y)


def test_text_in_rows_to_predict_is_named():
    model = short().fit(NAMED, Y)
    with pytest.raises(ValueError, match=r"'pulse' held numbers in fit .* now: 'fast' in row 0"):
        model.predict(NAMED.assign(pulse="fast"))


@pytest.mark.parametrize("shape", [(30,), (30, 0), (30, 2, 2)])
def test_table_must_have_rows_and_columns(shape):
    with pytest.raises(ValueError, match=r"Expected 2D array|0 feature\(s\)|dim 3"):
        short().fit(np.zeros(shape), Y)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("rows.csv", r"a table with rows and columns, and X is 'rows\.csv'; if that names a file"),
        (
            Path("rows.csv"),
            r"X is .*Path\('rows\.csv'\); if that names a file, read the file first",
        ),
        (None, "a table with rows and columns, and X is None; give a frame, an array with two"),
        (["a", "b", "c"], r"X is \['a', 'b', 'c'\]; give a frame, an array with two dimensions"),
        (NAMED.iloc[0], r"X is a Series; give a row of a frame as df\.iloc\[\[0\]\]"),
        (pd.Series({"age": 41, "ward": "A"}), "X is a Series; give a row of a frame as df"),
        (NAMED.to_dict("records"), r"X is a list of mappings; give pandas\.DataFrame\(X\)"),
        (NAMED.to_records(), r"X is a structured array; give pandas\.DataFrame\(X\)"),
        ([[1, 2, 3], [4, 5]], "The rows of X are not of the same length"),
        ([[10**400] * 3] * 30, "number in column 0, row 0, that a float cannot hold; rescale it"),
    ],
)
def test_what_is_no_table_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        short().fit(wrong, Y)
    model = short().fit(X, Y)
    with pytest.raises(ValueError, match=message):
        model.predict(wrong)


def test_a_lazy_frame_is_to_be_collected_first():
    lazy = pytest.importorskip("polars").from_pandas(NAMED).lazy()
    with pytest.raises(TypeError, match=r"X is a lazy frame.*give X\.collect\(\)"):
        short().fit(lazy, Y)
    with pytest.raises(TypeError, match=r"y is a lazy frame.*give y\.collect\(\)"):
        short().fit(X, lazy)
    with pytest.raises(TypeError, match=r"give X\.collect\(\)"):
        short().fit(NAMED, Y).predict(lazy)


def test_sparse_table_is_refused():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        short().fit(sparse.csr_array(X), Y)
