"""Mixed tables in scikit-learn's tools, and in the words of explanations."""

import pickle
import warnings
from datetime import date

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from short_table_fits import MAKES, short

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


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


def test_dependence_on_dates_speaks_of_dates(mixed, fitted):
    table, _ = mixed
    curve = fitted.partial_dependence(table, "admitted")
    assert curve.grid.dtype == "datetime64[us]"
    assert curve.grid[0] == table["admitted"].min().to_datetime64()
    assert curve.to_frame()["admitted"].max() == table["admitted"].max()
    days = ["2024-01-05", date(2024, 1, 5), np.datetime64("2024-01-05"), pd.Timestamp("2024-01-05")]
    on_days = fitted.individual_curves(table[:2], "admitted", grid=days)
    assert (on_days.values == 1704412800e6).all()
    for wrong in (["soon"], [1.5], [5], ["NaT"], []):
        with pytest.raises(ValueError, match=r"dates, such as '2024-01-31', for 'admitted' holds"):
            fitted.partial_dependence(table, "admitted", grid=wrong)


def test_dependence_on_truth_values_speaks_of_false_and_true(mixed, fitted):
    table, _ = mixed
    curve = fitted.partial_dependence(table, "smoker")
    assert curve.grid.dtype == bool
    assert curve.grid.tolist() == [False, True]
    assert curve.to_frame()["smoker"].tolist() == [False, False, True, True]
    for grid in ([True, False], [1, 0], [1.0, np.False_]):
        assert fitted.partial_dependence(table, "smoker", grid=grid).grid.tolist() == [True, False]
    for wrong in ([0.5], ["yes"], [None], []):
        with pytest.raises(ValueError, match="True and False, for 'smoker' holds such"):
            fitted.individual_curves(table[:2], "smoker", grid=wrong)


def test_cuts_of_dates_and_truth_values_lie_between_such(mixed, fitted):
    table, _ = mixed
    cuts = fitted.rule_density("admitted")
    assert cuts["lower"].dtype == cuts["upper"].dtype == "datetime64[us]"
    assert cuts["lower"].iloc[0] == table["admitted"].min()
    assert cuts["upper"].iloc[-1] == table["admitted"].max()
    days = (cuts["upper"] - cuts["lower"]) / pd.Timedelta(days=1)
    assert (cuts["density"] * days).sum() == pytest.approx(1.0)
    of_truth = fitted.rule_density("smoker")
    assert (of_truth["lower"].tolist(), of_truth["upper"].tolist()) == ([False], [True])


def test_no_warning_about_names_where_they_are_the_same(mixed, fitted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for make in MAKES.values():
            fitted.predict(make(mixed[0]))


def test_missing_names_are_warned_about(mixed, fitted):
    table, _ = mixed
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.predict(table.astype(object).to_numpy())
