"""Tables as people have them: frames of every make, categories, dates, holes."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sweeptree
from comparing import assert_same_posterior
from mixed_tables import mixed_table
from short_table_fits import MAKES, short
from sweeptree.columns import UNSEEN, Column
from sweeptree.settings import TESTS
from sweeptree.table import read_raw, read_rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("make", MAKES)
def test_every_make_of_table_gives_the_same_model(make, mixed, fitted):
    table, y = mixed
    other = MAKES[make](table)
    model = short().fit(other, y)
    assert model.columns_ == fitted.columns_
    assert_same_posterior(model.posterior_, fitted.posterior_)
    expected = fitted.predict_proba(table)
    np.testing.assert_array_equal(model.predict_proba(other), expected)
    np.testing.assert_array_equal(fitted.predict_proba(other), expected)


@pytest.mark.parametrize("kind", [object, "boolean", "category", "bool"])
def test_labels_that_are_true_and_false_stay_so(mixed, kind):
    table, y = mixed
    labels = pd.Series(y == y[0]).astype(kind)
    model = short().fit(table, labels)
    assert model.classes_.tolist() == [False, True]
    assert model.predict(table).dtype == bool


@pytest.mark.parametrize("kind", [object, "Int64", "category", "int8"])
def test_labels_that_are_whole_numbers_stay_so(mixed, kind):
    table, y = mixed
    labels = pd.Series(np.where(y == y[0], 3, 7)).astype(kind)
    assert short().fit(table, labels).predict(table).dtype.kind == "i"


def test_sparse_columns_are_what_they_hold():
    amount = np.repeat([0.0, 1.5, 0.0, 2.5], 10)
    table = pd.DataFrame(
        {
            "amount": pd.arrays.SparseArray(amount, fill_value=0.0),
            "given": pd.arrays.SparseArray(amount > 1, fill_value=False),
        }
    )
    model = short().fit(table, amount > 1)
    assert [column.kind for column in model.columns_] == ["number", "boolean"]
    np.testing.assert_array_equal(read_rows(model, table)[:, 0], amount)


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_times_with_a_zone_and_time_spans_are_read_as_objects_too():
    day = pd.date_range("2024-03-30", periods=40, freq="6h", tz="Europe/Berlin")
    stay = pd.Series(pd.to_timedelta(np.arange(40) * 1.5, unit="h"))
    stay[3] = pd.NaT
    table = pd.DataFrame({"day": day, "stay": stay})
    model = short().fit(table, np.arange(40) > 20)
    as_objects = {name: table[name].astype(object).tolist() for name in table}
    np.testing.assert_array_equal(read_rows(model, as_objects), read_rows(model, table))
    assert model.explain(table.iloc[5]).prediction == model.explain(table.iloc[[5]]).prediction


def test_columns_are_learned(fitted):
    assert fitted.columns_ == (
        Column("age", "number", has_missing=True),
        Column("ward", "category", ("A", "B", "C", "D", "E")),
        Column("smoker", "boolean"),
        Column("admitted", "date"),
        Column("stage", "category", ("I", "II", "III"), has_missing=True),
        Column("dose", "number", has_missing=True),
    )
    assert fitted.feature_names_in_.tolist() == [column.name for column in fitted.columns_]


def test_every_kind_of_rule_is_used(mixed):
    model = short(category_rules="groups", n_burn_in=20_000, leaf_penalty=0.0).fit(*mixed)
    assert set(np.unique(model.posterior_.trees.test)) == {
        TESTS.index(test) for test in ("at most", "in group", "is missing")
    }
    model = short(n_burn_in=20_000, leaf_penalty=0.0).fit(*mixed)
    assert "is level" in [TESTS[test] for test in np.unique(model.posterior_.trees.test)]


def test_array_of_objects_is_read_column_by_column(mixed):
    table, y = mixed
    objects = table.astype(object).to_numpy()
    model = short().fit(objects, y)
    assert [column.kind for column in model.columns_] == [
        "number", "category", "boolean", "date", "category", "number",
    ]  # fmt: skip
    assert model.columns_[1].name == "column 1"
    named = short().fit(table, y)
    np.testing.assert_array_equal(model.predict_proba(objects), named.predict_proba(table))


def test_matrix_of_numbers_is_predicted_without_a_copy_of_it(mixed):
    X = np.ascontiguousarray(mixed[0][["age", "dose"]])
    model = short().fit(X, mixed[1])
    assert read_rows(model, X) is X
    assert not np.shares_memory(model.training_.X, X)


def test_array_of_text_is_all_categories():
    X = np.array([["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]] * 10)
    model = short().fit(X, (X[:, 0] == "a").astype(int))
    assert [column.levels for column in model.columns_] == [("a", "b"), ("x", "y")]
    assert model.score(X, (X[:, 0] == "a").astype(int)) == 1.0


def test_dates_are_read_however_they_come():
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(40)]
    y = np.arange(40) >= 25
    makes = {
        "dates": pd.DataFrame({"day": days}),
        "polars": pl.DataFrame({"day": days}),
        "stamps": pd.DataFrame({"day": pd.to_datetime(days)}),
        "numpy": {"day": np.array(days, dtype="datetime64[D]")},
    }
    trees = set()
    for table in makes.values():
        model = short(leaf_penalty=2.0).fit(table, y)
        trees.add(model.representative_tree("map").to_text())
        assert model.columns_[0].kind == "date"
    assert len(trees) == 1
    assert "day <= 2024-01-25" in trees.pop()


def test_codes_become_a_category_by_name_by_number_and_by_mask():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"code": rng.integers(0, 4, 100) * 10, "x": rng.normal(size=100)})
    y = X["code"] == 10
    models = [
        short(categorical_features=which).fit(X, y) for which in (["code"], [0], [True, False])
    ]
    for model in models:
        assert model.columns_[0] == Column("code", "category", (0, 10, 20, 30))
        assert_same_posterior(model.posterior_, models[0].posterior_)
    assert models[0].score(X, y) == 1.0
    as_array = short(categorical_features=[0]).fit(X.to_numpy(), y)
    np.testing.assert_array_equal(as_array.predict(X.to_numpy()), models[0].predict(X))


LONG_CODES = 999000011000001104 + np.arange(120) % 4
WITH_HOLE = [None, *LONG_CODES[1:].tolist()]
MAKES_OF_CODES = {
    "int64": {"code": LONG_CODES},
    "uint64": pd.DataFrame({"code": LONG_CODES.astype(np.uint64)}),
    "Int64": pd.DataFrame({"code": pd.array(WITH_HOLE, dtype="Int64")}),
    "objects": pd.DataFrame({"code": pd.Series(WITH_HOLE, dtype=object)}),
    "decimals": pl.DataFrame({"code": list(map(Decimal, LONG_CODES.tolist()))}),
    "polars": pl.DataFrame({"code": WITH_HOLE}),
    "Arrow": pl.DataFrame({"code": WITH_HOLE}).to_arrow(),
    "list": {"code": WITH_HOLE},
    "masked": {"code": np.ma.array(LONG_CODES, mask=np.arange(120) == 0)},
    "matrix": LONG_CODES[:, np.newaxis],
    "rows": [[code] for code in LONG_CODES.tolist()],
    "rows with halves": [[code, 0.5] for code in LONG_CODES.tolist()],
}


@pytest.mark.parametrize("table", MAKES_OF_CODES.values(), ids=MAKES_OF_CODES)
def test_codes_that_no_float_holds_are_levels_of_their_own(table, tmp_path):
    y = LONG_CODES % 4 > 1
    model = short(categorical_features=[0]).fit(table, y)
    assert model.columns_[0].levels == tuple(sorted(set(LONG_CODES.tolist())))
    assert model.score(table, y) > 0.99
    model.save(tmp_path / "m.sweeptree")
    loaded = sweeptree.load(tmp_path / "m.sweeptree")
    assert loaded.columns_ == model.columns_
    np.testing.assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))


def test_neighbour_of_a_long_code_is_a_level_not_seen():
    model = short(categorical_features=[0]).fit({"code": LONG_CODES}, LONG_CODES % 4 > 1)
    rows = read_rows(model, {"code": LONG_CODES[:4] + 1})
    assert rows.ravel().tolist() == [1.0, 2.0, 3.0, UNSEEN]


def test_large_whole_numbers_that_floats_hold_are_numbers():
    seconds = np.arange(1_700_000_000, 1_700_000_040)
    nanoseconds = {"at": seconds * 10**9}
    model = short().fit(nanoseconds, seconds % 40 > 20)
    assert model.columns_ == (Column("at", "number"),)
    np.testing.assert_array_equal(read_rows(model, nanoseconds)[:, 0], seconds * 1e9)


def test_masked_entries_are_missing():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X[:, 0] > 0.5
    masked, with_holes = np.ma.masked_less(X, 0), np.where(X < 0, np.nan, X)
    model, expected = short().fit(masked, y), short().fit(with_holes, y)
    assert model.columns_ == expected.columns_
    assert_same_posterior(model.posterior_, expected.posterior_)
    np.testing.assert_array_equal(model.predict_proba(masked), expected.predict_proba(with_holes))


@pytest.mark.parametrize(
    "values",
    [
        np.arange(30),
        np.arange(30.0),
        np.arange(30) % 2 == 0,
        np.arange(30).astype("datetime64[ns]"),
        np.arange(30).astype("timedelta64[s]"),
        np.array(["a", "b"] * 15),
    ],
    ids=lambda values: values.dtype.str,
)
def test_masked_entries_of_every_type_are_missing(values):
    mask = np.arange(30) % 3 == 0
    raw = read_raw({"a": np.ma.array(values, mask=mask)}).columns[0]
    assert raw.kind == read_raw({"a": values}).columns[0].kind
    np.testing.assert_array_equal(pd.isna(raw.values), mask)


def test_time_spans_count_in_their_own_unit_as_objects_too():
    spans = [np.timedelta64(2, "m"), np.timedelta64(30, "s")]
    assert read_raw({"a": spans}).columns[0].values.tolist() == [120.0, 30.0]


def test_nanoseconds_in_a_matrix_are_dates():
    stamps = np.array([["2024-01-01"], ["2024-01-02"]], dtype="datetime64[ns]")
    assert read_raw(stamps).columns[0].kind == "date"


@pytest.mark.parametrize(
    ("which", "message"),
    [
        (["wrad"], "'wrad' that X does not have; did you mean 'ward'"),
        ([17], "neither the name of a column nor a number from 0 to 5"),
        ([True, False], "mask of 2 values, and X has 6 columns"),
        (["admitted"], "names column 'admitted', which holds dates; turn them into text"),
    ],
)
def test_wrong_choice_of_categories_is_explained(mixed, which, message):
    with pytest.raises(ValueError, match=message):
        short(categorical_features=which).fit(*mixed)


def test_more_than_eight_levels_are_asked_one_by_one():
    rng = np.random.default_rng(0)
    table = {"few": rng.choice(list("abcdefgh"), 300), "many": rng.choice(list("abcdefghi"), 300)}
    y = (table["few"] < "e") ^ (table["many"] == "c")
    model = short(category_rules="groups").fit(table, y)
    trees = model.posterior_.trees
    assert set(trees.test[trees.variable == 0]) == {TESTS.index("in group")}
    assert set(trees.test[trees.variable == 1]) == {TESTS.index("is level")}


# What is missing, and what training did not have


def test_what_is_missing_tells_something():
    """Half of the ill have no dose: the model learns that from the holes."""
    table, y = mixed_table(400)
    model = short(n_burn_in=20_000).fit(table[["dose"]], y)
    p_ill = model.predict_proba(pd.DataFrame({"dose": [np.nan, 0.0]}))[:, 0]
    assert p_ill[0] > 0.95
    assert p_ill[1] < 0.4


def test_unseen_level_is_none_of_those_asked_for(mixed, fitted):
    table, _ = mixed
    row = table.iloc[[0]].assign(ward="never seen")
    flagged = fitted.uncertainty(row)
    assert flagged["is_outside"].tolist() == [True]
    assert flagged["outside_in"].tolist() == ["ward"]
    trees = fitted.posterior_.trees
    asked = trees.threshold[(trees.variable == 1) & (trees.test == TESTS.index("is level"))]
    unasked = [level for i, level in enumerate("ABCDE") if i not in asked]
    for level in unasked:
        same = fitted.predict_proba(row.assign(ward=level))
        np.testing.assert_array_equal(fitted.predict_proba(row), same)


def test_unseen_level_goes_the_way_of_a_missing_value_where_groups_are_asked_for(mixed):
    table, y = mixed
    model = short(category_rules="groups").fit(table, y)
    unseen, missing = (table.assign(ward=value) for value in ("never seen", None))
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(missing))


def test_missing_value_goes_with_most_rows_where_training_had_none():
    x = np.arange(40.0)
    model = short(leaf_penalty=3.0).fit(x[:, None], x >= 30)
    np.testing.assert_allclose(
        model.predict_proba([[np.nan]]), model.predict_proba([[0.0]]), atol=0.02
    )
    flagged = model.uncertainty([[np.nan]])
    assert flagged["outside_in"].tolist() == ["column 0"]


def test_missing_value_is_familiar_where_training_had_some(mixed, fitted):
    table, _ = mixed
    without_age = table[table["age"].isna()]
    assert not fitted.uncertainty(without_age)["is_outside"].any()


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_engines_predict_holes_and_unseen_levels_alike(mixed, engine):
    table, y = mixed
    odd = table.assign(ward=None, stage="IV", smoker=None)
    model = short(category_rules="groups").fit(table, y)
    model.engine = engine
    expected = short(category_rules="groups").fit(table, y)
    for rows in (table, odd):
        np.testing.assert_allclose(
            model.predict_proba(rows), expected.predict_proba(rows), rtol=1e-12
        )


# Sizes


def test_one_row_is_too_few():
    with pytest.raises(ValueError, match="only one class"):
        short().fit({"age": [50.0], "ward": ["A"]}, ["ill"])


def test_ten_thousand_columns_are_no_trouble():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 10_000))
    model = short(n_burn_in=200, n_draws=4).fit(X, X[:, 7] > 0)
    assert np.isfinite(model.predict_proba(X)).all()
