"""Tables and rows that cannot be used are refused by name."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from short_table_fits import MAKES, short

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="age"), r"missing:\n- age\nGive the columns that are missing\."),
        (lambda t: t.assign(more=1), r"unseen at fit time:\n- more\nDrop the columns that are new"),
        (lambda t: t.rename(columns={"age": "agee"}), r"is 'agee' meant for 'age'\?"),
        (lambda t: t[t.columns[::-1]], r"same order as they were in fit\.\nUse X\[list\("),
        (
            lambda t: t.assign(age="old"),
            "'age' held numbers in fit and holds categories now: 'o",
        ),
        (lambda t: t.assign(ward=3), "'ward' held categories in fit and holds numbers now: 3"),
        (lambda t: t.assign(admitted=3), "'admitted' held dates in fit and holds numbers now"),
        (lambda t: t.assign(dose=np.inf), "infinity in column 'dose'"),
        (lambda t: t.iloc[:0], r"0 sample\(s\)"),
    ],
)
@pytest.mark.parametrize("make", ["pandas", "polars", "mapping"])
def test_rows_that_do_not_fit_are_refused_by_name(mixed, fitted, change, message, make):
    with pytest.raises(ValueError, match=message):
        fitted.predict(MAKES[make](change(mixed[0])))


def test_codes_that_come_as_text_are_called_so(mixed):
    table, y = mixed
    codes = table.assign(ward=np.arange(len(table)) % 3)
    model = short(categorical_features=["ward"]).fit(codes, y)
    with pytest.raises(ValueError, match="'ward' held codes in fit and holds text now: '0' in row"):
        model.predict(codes.assign(ward=codes["ward"].astype(str)))


def test_column_that_is_empty_now_fits_any_kind(mixed, fitted):
    table, _ = mixed
    for name in table:
        assert np.isfinite(fitted.predict_proba(table.assign(**{name: None}))).all()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame([[1, 2]] * 20, columns=["a", "a"]), "two columns named 'a'; rename one"),
        ({"a": [1, "x"] * 10}, "different types in column 'a': 1 in row 0 and 'x' in row 1"),
        ({"a": np.arange(20), "b": np.arange(19)}, r"Column 'b' has the shape \(19,\)"),
        (
            {"a": np.where(np.arange(20) == 7, np.inf, 1.0)},
            "infinity in column 'a' .first in row 7",
        ),
        ({}, r"0 feature\(s\)"),
        ({"a": [1, 10**400] * 10}, "number in column 'a', row 1, that a float cannot hold"),
        (
            pd.DataFrame({"a": pd.Categorical([1.5, np.inf] * 10)}),
            "infinity in column 'a', whose values are levels; replace it",
        ),
    ],
)
def test_tables_that_cannot_be_used_are_refused_by_name(table, message):
    with pytest.raises(ValueError, match=message):
        short().fit(table, np.arange(20) % 2)


def test_thing_that_is_no_value_is_named():
    with pytest.raises(TypeError, match="string or a number, and column 'a' has a dict in row 0"):
        short().fit({"a": [{}, 1] * 10}, np.arange(20) % 2)


LONG_CODES = 999000011000001104 + np.arange(20) % 4


@pytest.mark.parametrize(
    "table",
    [
        {"code": LONG_CODES},
        pd.DataFrame({"code": pd.array([*LONG_CODES[:-1], None], dtype="Int64")}),
        pl.DataFrame({"code": LONG_CODES}),
        {"code": LONG_CODES.tolist()},
    ],
    ids=["int64", "Int64", "polars", "list"],
)
def test_whole_numbers_that_floats_would_make_one_are_refused(table):
    message = "'code' has 999000011000001104 in row 0.* name it in categorical_features"
    with pytest.raises(ValueError, match=message):
        short().fit(table, np.arange(20) % 2)
    model = short().fit({"code": np.arange(20)}, np.arange(20) % 2)
    with pytest.raises(ValueError, match=message):
        model.predict(table)


def test_whole_numbers_that_floats_would_make_one_are_refused_in_a_matrix():
    with pytest.raises(ValueError, match="Column 1 has 999000011000001105 in row 0"):
        short().fit(np.column_stack([np.arange(20), LONG_CODES])[1:], np.arange(19) % 2)


@pytest.mark.parametrize("kind", [float, "category"])
def test_codes_that_were_rounded_before_are_refused(kind):
    y = np.arange(20) % 2
    rounded = pd.DataFrame({"code": LONG_CODES.astype(float)}).astype(kind)
    message = "'code' holds codes, and has 999000011000001152 as a float in row 0"
    with pytest.raises(ValueError, match=message):
        short(categorical_features=["code"]).fit(rounded, y)
    model = short(categorical_features=["code"]).fit({"code": LONG_CODES}, y)
    with pytest.raises(ValueError, match=message):
        model.predict(rounded)


@pytest.mark.parametrize(("value", "kind"), [([1], "list"), ({"b": 1}, "dict"), (b"x", "bytes")])
def test_typed_column_of_no_values_is_named(value, kind):
    table = pl.DataFrame({"a": [value] * 20})
    with pytest.raises(TypeError, match=f"column 'a' has a {kind} in row 0; turn the column"):
        short().fit(table, np.arange(20) % 2)


def test_column_without_values_is_left_out_with_a_warning(mixed):
    table, y = mixed
    with pytest.warns(UserWarning, match="No row has a value in column 'empty'; left out"):
        model = short().fit(table.assign(empty=None), y)
    assert (model.posterior_.trees.variable != table.shape[1]).all()


@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_label_is_named(mixed, missing):
    table, y = mixed
    labels = y.astype(object)
    labels[5] = missing
    with pytest.raises(ValueError, match="label of row 5 is missing; drop"):
        short().fit(table, labels)
