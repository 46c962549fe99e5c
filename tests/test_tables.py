"""Tables as people have them: frames of every make, categories, dates, holes, weights."""

import datetime as dt
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from comparing import assert_same_posterior
from mixed_tables import mixed_table
from sweeptree import BayesianTreeClassifier
from sweeptree.columns import Column
from sweeptree.settings import TESTS
from sweeptree.table import read_rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def short(**parameters):
    lengths = {"n_burn_in": 2000, "n_draws": 50, "thin": 10, "n_chains": 2, "random_state": 0}
    return BayesianTreeClassifier(**{**lengths, **parameters})


@pytest.fixture(scope="module")
def mixed():
    return mixed_table()


@pytest.fixture(scope="module")
def fitted(mixed):
    return short().fit(*mixed)


# What counts as a table

MAKES = {
    "pandas": lambda table: table,
    "pandas, nullable": lambda table: table.convert_dtypes(),
    "polars": pl.from_pandas,
    "Arrow": lambda table: pl.from_pandas(table).to_arrow(),
    "mapping": lambda table: {name: table[name].to_numpy() for name in table},
    "mapping of lists": lambda table: {name: table[name].tolist() for name in table},
}


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


@pytest.mark.parametrize(
    ("which", "message"),
    [
        (["wrad"], "'wrad' that X does not have; did you mean 'ward'"),
        ([17], "neither the name of a column nor a number from 0 to 5"),
        ([True, False], "mask of 2 values, and X has 6 columns"),
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


# Rows that do not fit the model


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
    ],
)
def test_tables_that_cannot_be_used_are_refused_by_name(table, message):
    with pytest.raises(ValueError, match=message):
        short().fit(table, np.arange(20) % 2)


def test_thing_that_is_no_value_is_named():
    with pytest.raises(TypeError, match="string or a number, and column 'a' has a dict in row 0"):
        short().fit({"a": [{}, 1] * 10}, np.arange(20) % 2)


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


# Weights and priors


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_weights_are_the_same_as_repeated_rows(mixed, engine):
    table, y = (part[:60] for part in mixed)
    n_times = np.random.default_rng(1).integers(0, 4, 60)
    lengths = {"n_burn_in": 200, "n_draws": 20, "engine": engine}
    weighted = short(**lengths).fit(table, y, sample_weight=n_times)
    repeated = short(**lengths).fit(table.loc[table.index.repeat(n_times)], np.repeat(y, n_times))
    assert_same_posterior(weighted.posterior_, repeated.posterior_)


def test_levels_and_holes_of_rows_without_weight_are_not_there(mixed):
    table, y = mixed
    n_times = ((table["ward"] != "B") & table["age"].notna()).astype(int).to_numpy()
    weighted = short().fit(table, y, sample_weight=n_times)
    without = short().fit(table[n_times == 1], y[n_times == 1])
    assert weighted.columns_ == without.columns_
    assert weighted.columns_[1].levels == ("A", "C", "D", "E")
    assert_same_posterior(weighted.posterior_, without.posterior_)
    np.testing.assert_array_equal(weighted.predict_proba(table), without.predict_proba(table))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.5] * 200, "is 1.5 in row 0; it must be a whole number"),
        ([-1] + [1] * 199, "is -1 in row 0; it must be a whole number"),
        ([np.nan] * 200, "it must be a whole number"),
        ([1] * 7, "one weight for each row"),
        ([0] * 200, "zero for every row"),
    ],
)
def test_other_weights_are_refused(mixed, weights, message):
    with pytest.raises(ValueError, match=message):
        short().fit(*mixed, sample_weight=weights)


def test_class_prior_is_what_an_empty_leaf_would_predict():
    X, y = np.zeros((20, 1)), np.repeat(["ill", "well"], [2, 18])
    model = short(alpha=1e6, class_prior={"well": 0.7, "ill": 0.3}).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.3, 0.7]], atol=1e-4)
    learned = short(class_prior=[0.3, 0.7]).fit(X, y).posterior_.alphas
    np.testing.assert_allclose(learned / learned.sum(axis=1, keepdims=True), [[0.3, 0.7]] * 16)


def test_alpha_per_class_is_alpha_times_the_class_prior():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    by_alpha = short(alpha=[0.5, 1.5]).fit(X, y)
    by_prior = short(alpha=1.0, class_prior=[0.25, 0.75]).fit(X, y)
    assert_same_posterior(by_alpha.posterior_, by_prior.posterior_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"class_prior": [0.5, 0.4]}, "must sum to 1, and sums to 0.9"),
        ({"class_prior": [1.0]}, "a positive share for each class"),
        ({"class_prior": [1.0, 0.0]}, "a positive share for each class"),
        ({"class_prior": {"ill": 0.5, "dead": 0.5}}, "see 'dead'"),
        ({"class_prior": [0.4, 0.6], "alpha": [1.0, 2.0]}, "leave class_prior out"),
    ],
)
def test_wrong_class_priors_are_explained(mixed, parameters, message):
    with pytest.raises(ValueError, match=message):
        short(**parameters).fit(*mixed)


# At home in scikit-learn


def test_pipelines_searches_and_scores_take_mixed_tables(mixed):
    table, y = mixed
    scaled = make_column_transformer((StandardScaler(), ["age"]), remainder="passthrough")
    scaled.set_output(transform="pandas")
    pipeline = make_pipeline(scaled, short())
    assert cross_val_score(pipeline, table, y, cv=3).mean() > 0.6
    search = GridSearchCV(short(), {"leaf_penalty": [0.2, 1.0], "category_rules": ["groups"]}, cv=2)
    assert search.fit(table, y).predict(table).shape == y.shape


@pytest.mark.parametrize("way", ["pickle", "joblib"])
def test_fitted_model_survives_pickling(mixed, fitted, way, tmp_path):
    table, _ = mixed
    if way == "pickle":
        copy = pickle.loads(pickle.dumps(fitted))
    else:
        joblib.dump(fitted, tmp_path / "model.joblib")
        copy = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(copy.predict_proba(table), fitted.predict_proba(table))
    assert copy.explain(table.iloc[0]).to_text() == fitted.explain(table.iloc[0]).to_text()
    assert clone(copy).get_params() == fitted.get_params()


def test_html_shows_the_posterior_in_a_line(fitted):
    bundle = fitted._repr_mimebundle_()
    assert "2 chains x 50 draws" in bundle["text/html"]
    assert "2 chains x 50 draws" in fitted._repr_html_()
    assert "chains x" not in short()._repr_mimebundle_()["text/html"]


# Explanations in the user's words


def test_tree_speaks_of_levels_dates_and_holes(mixed):
    table, y = mixed
    model = short(n_burn_in=20_000, leaf_penalty=0.0).fit(table, y)
    text = model.representative_tree("map").to_text()
    lines = [line.split("|--- ")[1] for line in text.splitlines() if "class:" not in line]
    for line in lines:
        name, relation = line.split(" ", 1)
        column = next(column for column in model.columns_ if column.name == name)
        if column.is_category:
            assert relation.startswith("is ")
        assert column.has_missing or "missing" not in relation
    assert any(", or missing" in line or "is missing" in line for line in lines)


def test_single_tree_takes_the_table_as_it_is(mixed, fitted):
    table, _ = mixed
    tree = fitted.representative_tree("map")
    encoded = tree.predict_encoded(fitted.training_.X)
    np.testing.assert_array_equal(tree.predict_proba(table), encoded)
    with pytest.raises(ValueError, match="grown on 6"):
        tree.predict_proba(table[["age"]])


def test_explanation_names_levels(mixed):
    table, y = mixed
    model = short(n_burn_in=20_000).fit(table, y)
    case = table[(table["ward"] == "C") & (table["stage"] == "III")].iloc[0]
    explanation = model.explain(case)
    assert "Most draws ask" in str(explanation)
    changes = explanation.changes
    for needed in changes.loc[changes["variable"] == "stage", "needed"]:
        changed = model.explain(case.to_frame().T.assign(stage=needed))
        assert changed.prediction["predicted"] != explanation.prediction["predicted"]


def test_explanation_of_a_case_with_holes_says_so(mixed, fitted):
    table, _ = mixed
    case = table[table["dose"].isna()].iloc[0]
    text = str(fitted.explain(case, min_share=0.05))
    assert "dose is missing, in" in text


def test_dependence_on_a_category_is_told_level_by_level(mixed, fitted):
    table, _ = mixed
    curve = fitted.partial_dependence(table, "ward")
    assert curve.grid.tolist() == list("ABCDE")
    assert fitted.individual_curves(table[:2], "stage", grid=["III"]).mean.shape == (2, 1, 2)
    with pytest.raises(ValueError, match="'Z', which is no level of 'ward'; these are A, B"):
        fitted.partial_dependence(table, "ward", grid=["Z"])
    frame = fitted.rule_density("ward")
    assert frame["level"].tolist() == list("ABCDE")
    assert abs(frame["share"].sum() - 1.0) < 1e-9


def test_no_warning_about_names_where_they_are_the_same(mixed, fitted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for make in MAKES.values():
            fitted.predict(make(mixed[0]))


def test_missing_names_are_warned_about(mixed, fitted):
    table, _ = mixed
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.predict(table.astype(object).to_numpy())


# Sizes


def test_one_row_is_too_few():
    with pytest.raises(ValueError, match="only one class"):
        short().fit({"age": [50.0], "ward": ["A"]}, ["ill"])


def test_ten_thousand_columns_are_no_trouble():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 10_000))
    model = short(n_burn_in=200, n_draws=4).fit(X, X[:, 7] > 0)
    assert np.isfinite(model.predict_proba(X)).all()
