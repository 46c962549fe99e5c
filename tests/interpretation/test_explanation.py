import re
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from explained_models import fit, four_classes
from mixed_tables import mixed_table
from short_table_fits import MAKES
from sweeptree.interpretation.conditions import weighted_quantiles
from sweeptree.prediction import forest_of


@pytest.fixture(scope="module", params=[0, 7, 100])
def case(request):
    return request.param


@pytest.fixture(scope="module")
def explanation(fitted, case):
    model, X, _ = fitted
    return model.explain(X.iloc[case], min_share=0.3)


@pytest.fixture(scope="module")
def complete():
    """A model of numbers, truth values, dates and categories without holes, and its rows."""
    X = mixed_table(200)[0][["age", "smoker", "admitted", "ward"]]
    X["age"] = np.linspace(20, 80, 200).round(1)
    risk = [X["age"] > 50, X["smoker"], X["admitted"] > "2024-01-01", X["ward"] < "C"]
    return fit(X, np.where(np.sum(risk, axis=0) >= 2, "ill", "well")), X


def path_of(trees, which, row):
    """Conditions on a row's way down one tree: {(column, is_left): thresholds}."""
    found = {}

    def after(node):
        return node + 1 if trees.variable[node] == -1 else after(after(node + 1))

    node = trees.node_offsets[which]
    while trees.variable[node] >= 0:
        column, threshold = trees.variable[node], trees.threshold[node]
        is_left = row[column] <= threshold
        found.setdefault((column, is_left), []).append(threshold)
        node = node + 1 if is_left else after(node + 1)
    return found


def test_prediction_is_its_row_of_uncertainty(fitted, case, explanation):
    model, X, _ = fitted
    expected = model.uncertainty(X.iloc[[case]]).iloc[0]
    assert explanation.prediction == expected.to_dict()
    assert f"Predicted {expected['predicted']} with probability" in explanation.sentence
    assert f"{expected['probability']:.3f}" in explanation.sentence
    votes = f"in {100 * expected['agreement']:.1f} % of the draws the most probable class is "
    assert f"{votes}{expected['predicted']}." in explanation.sentence


def test_conditions_are_those_of_the_paths(fitted, case, explanation):
    model, X, _ = fitted
    row, posterior = X.iloc[case].to_numpy(), model.posterior_
    paths = [path_of(posterior.trees, t, row) for t in posterior.tree_index.ravel()]
    conditions = explanation.conditions
    assert conditions["share"].is_monotonic_decreasing
    for _, condition in conditions.iterrows():
        key = X.columns.get_loc(condition["variable"]), condition["relation"] == "<="
        tightest = [(min if key[1] else max)(path[key]) for path in paths if key in path]
        assert condition["share"] == pytest.approx(len(tightest) / len(paths))
        assert condition["threshold"] == np.quantile(tightest, 0.5, method="inverted_cdf")
        assert condition["lower"] <= condition["threshold"] <= condition["upper"]
        is_met = row[key[0]] <= condition["threshold"]
        assert is_met == key[1]
    keys = {key for path in paths for key in path}
    shares = {key: np.mean([key in path for path in paths]) for key in keys}
    assert len(conditions) == sum(share >= 0.3 for share in shares.values())


def test_changes_do_change_the_class_and_not_before(fitted, case, explanation):
    model, X, _ = fitted
    changes = explanation.changes
    assert changes["distance"].is_monotonic_increasing
    present = model.predict(X.iloc[[case]])[0]
    for _, change in changes.iterrows():
        moved = X.iloc[[case]].astype(float).copy()
        moved[change["variable"]] = change["needed"]
        assert model.predict(moved)[0] == change["becomes"] != present
        assert model.predict_proba(moved).max() == pytest.approx(change["probability"])
        is_up = change["needed"] > change["value"]
        moved[change["variable"]] = np.nextafter(change["needed"], -np.inf if is_up else np.inf)
        assert model.predict(moved)[0] == present


def test_what_is_written_does_not_contradict_itself():
    rng = np.random.default_rng(0)
    p = 1235 + rng.integers(0, 10, 200) / 10
    X = pd.DataFrame({"p": p})
    model = fit(X, p > 1235.45)
    for place in range(20):
        text = str(model.explain(X.iloc[place]))
        for sign, threshold in re.findall(r"p (<=|>) ([\d.]+) ", text):
            assert (p[place] <= float(threshold)) == (sign == "<=")
        for way, value, needed in re.findall(r"p (up|down) from ([\d.]+) to ([\d.]+):", text):
            assert (float(needed) > float(value)) == (way == "up")


def test_a_case_may_be_a_list_of_values_of_different_kinds():
    X = pd.DataFrame({"age": np.arange(60.0), "ward": np.repeat(["A", "B"], 30)})
    model = fit(X, X["ward"] == "A")
    in_a_frame = pd.DataFrame({"age": [41.0], "ward": ["A"]})
    assert model.explain([41.0, "A"]).prediction == model.explain(in_a_frame).prediction


def test_nearest_change_is_found_where_few_thresholds_are(fitted):
    model, X, _ = fitted
    trees = model.posterior_.trees
    present = model.predict(X.iloc[[0]])[0]
    changes = model.explain(X.iloc[0]).changes
    for column, name in enumerate(X.columns):
        value = X.iloc[0, column]
        thresholds = np.unique(trees.threshold[trees.variable == column])
        upwards = np.nextafter(thresholds[thresholds >= value], np.inf)
        if not 0 < len(upwards) <= 64:
            continue
        moved = X.iloc[[0] * len(upwards)].astype(float).copy()
        moved[name] = upwards
        changed = np.flatnonzero(model.predict(moved) != present)
        found = changes[(changes["variable"] == name) & (changes["needed"] > value)]["needed"]
        assert found.tolist() == (upwards[changed[:1]].tolist())


def test_similar_cases_share_a_leaf_most_often(fitted, case, explanation):
    model, X, y = fitted
    posterior = model.posterior_
    leaves = forest_of(posterior.trees, "kernel").apply(X.to_numpy(dtype=float))
    leaves = leaves[posterior.tree_index.ravel()]
    shares = (leaves == leaves[:, [case]]).mean(axis=0)
    similar = explanation.similar
    assert len(similar) == 5
    assert_allclose(similar["share"], shares[similar["row"]])
    assert_allclose(similar["share"], np.sort(shares)[::-1][:5])
    assert similar["class"].tolist() == y[similar["row"]].tolist()


def test_text_has_every_part(explanation):
    text = str(explanation)
    for part in ("Predicted", "Most draws ask", "The class would change", "Most similar"):
        assert part in text


def test_case_outside_the_range_is_said(binary):
    model, X, _ = binary
    case = X.iloc[0].astype(float).copy()
    case["age"] = 200
    assert "values outside what training has seen, in age" in model.explain(case).sentence


def test_a_case_can_be_given_in_several_forms(binary):
    model, X, _ = binary
    row = X.iloc[3]
    for case in (X.iloc[[3]], row.to_numpy(), X.iloc[[3]].to_numpy(), row.to_dict()):
        assert str(model.explain(case)) == str(model.explain(X.iloc[3]))


def test_bad_input_is_named(binary):
    model, X, _ = binary
    with pytest.raises(ValueError, match="x must be one case, got 2"):
        model.explain(X[:2])
    with pytest.raises(ValueError, match="min_share must be a number between 0 and 1"):
        model.explain(X.iloc[0], min_share=3)


def test_without_pandas_everything_is_a_structured_array(monkeypatch):
    X, y = four_classes()
    X = X.to_numpy()
    model = fit(X, y)
    in_words = str(model.explain(X[0]))
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert str(model.explain(X[0])) == in_words
    tables = [
        model.variable_use(),
        model.rule_density("column 1"),
        model.partial_dependence(X[:9], 0, grid=[0.0]).to_frame(),
        model.envelope_curve(X, y),
        model.accuracy_coverage(X, y).to_frame(),
    ]
    assert all(isinstance(table, np.ndarray) and table.dtype.names for table in tables)


def test_weighted_quantiles_are_those_of_repeated_values():
    rng = np.random.default_rng(0)
    values, times = rng.normal(size=20), rng.integers(1, 9, 20)
    shares = np.array([0.05, 0.5, 0.95])
    expected = np.quantile(np.repeat(values, times), shares, method="inverted_cdf")
    assert_allclose(weighted_quantiles(values, times / times.sum(), shares), expected)


def test_no_question_is_made_up_for_a_value_that_training_never_missed(binary):
    model, X, _ = binary
    words = str(model.explain(dict.fromkeys(X.columns, np.nan)))
    assert "is missing, in" not in words
    assert "it is missing, and goes with most training rows" in words


KINDS = ["age", "smoker", "admitted", "ward"]


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
@pytest.mark.parametrize("missing", [*([name] for name in KINDS), ["age", "ward"], KINDS])
def test_what_training_never_missed_may_be_missing(complete, missing, make):
    model, X = complete
    case = X[:1].astype({"smoker": "boolean"})
    case[missing] = None
    explanation = model.explain(make(case), min_share=0.01)
    lines = str(explanation).splitlines()
    for name in KINDS:
        conditions = [line for line in lines if line.startswith(f"  {name} ") and "draws" in line]
        assert conditions
        assert all(("; it is missing" in line) == (name in missing) for line in conditions)
    assert "nan" not in str(explanation)
    assert "None" not in str(explanation)


@pytest.mark.parametrize("name", KINDS)
def test_what_is_missing_may_change_to_a_value_of_any_kind(complete, name):
    _, X = complete
    model = fit(X, X[name] > X[name].sort_values().iloc[60])
    case = X[:1].astype({"smoker": "boolean"})
    case[name] = None
    explanation = model.explain(case)
    changes = explanation.changes[explanation.changes["variable"] == name]
    assert len(changes)
    assert set(changes["distance"]) == {1.0}
    for change in changes.to_dict("records"):
        needed = pd.Series([change["needed"]], dtype=X[name].dtype)
        changed = model.explain(case.assign(**{name: needed}))
        assert changed.prediction["predicted"] == change["becomes"]
        assert change["becomes"] != explanation.prediction["predicted"]
        assert f"{name} from missing to {change['needed']}: " in str(explanation)


def test_a_missing_number_changes_to_the_value_nearest_the_median_of_training():
    values = np.arange(100.0)
    model = fit(values[:, None], np.digitize(values, [30, 40, 70]) % 2)
    present = model.predict([[np.nan]])[0]
    changes = model.explain([np.nan]).changes
    others = values[model.predict(values[:, None]) != present]
    nearest = {others[others <= 49].max(), others[others >= 49].min()}
    assert set(changes["needed"]) == nearest
    assert len(changes) == len(nearest)


def test_a_missing_number_changes_to_a_value_where_only_that_it_is_missing_counts():
    values = np.repeat([7.0, np.nan], [60, 40])
    model = fit(values[:, None], np.where(np.isnan(values), "gone", "there"))
    assert "column 0 from missing to 7: there with" in str(model.explain([np.nan]))
