from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from explained_models import drawn_votes, fit
from sweeptree import plots
from sweeptree.diagnostics import standard_error_of_mean


def splits_of_draws(model):
    """(draw, column): splits of each draw, counted one by one."""
    posterior = model.posterior_
    offsets = posterior.trees.node_offsets
    trees = [posterior.trees.variable[a:b] for a, b in pairwise(offsets)]
    counted = [[(t == c).sum() for c in range(model.n_features_in_)] for t in trees]
    return np.array(counted)[posterior.tree_index.ravel()]


def test_use_of_variables(fitted):
    model, X, _ = fitted
    table = model.variable_use()
    splits = splits_of_draws(model)
    posterior = model.posterior_
    roots = posterior.trees.variable[posterior.trees.node_offsets[:-1]][posterior.tree_index]
    assert table["variable"].tolist() == X.columns.tolist()
    assert_allclose(table["used"], (splits > 0).mean(axis=0))
    assert_allclose(table["splits"], splits.mean(axis=0))
    assert_allclose(table["root"], [(roots == c).mean() for c in range(X.shape[1])])
    used = (splits[:, 0] > 0).reshape(3, 80).astype(float)
    assert table["used_error"][0] == pytest.approx(standard_error_of_mean(used))


def test_error_of_use_is_that_of_independent_chains():
    rng = np.random.default_rng(0)
    independent = rng.normal(size=(300, 4, 200))
    errors = [standard_error_of_mean(trace) for trace in independent]
    assert np.mean(errors) == pytest.approx(independent.mean(axis=(1, 2)).std(), rel=0.1)
    assert standard_error_of_mean(np.ones((4, 100))) == 0
    assert np.isnan(standard_error_of_mean(np.ones((4, 3))))


def test_rules_lie_where_they_were_cut(fitted):
    model, X, _ = fitted
    posterior = model.posterior_
    for column, name in enumerate(X.columns):
        table = model.rule_density(name)
        splits = splits_of_draws(model)[:, column].mean()
        assert table["splits"].sum() == pytest.approx(splits)
        assert table["lower"].iloc[0] == X[name].min()
        assert table["upper"].iloc[-1] == X[name].max()
        if splits:
            widths = table["upper"] - table["lower"]
            assert (table["density"] * widths).sum() == pytest.approx(1)
    nodes = np.repeat(posterior.tree_weights, np.diff(posterior.trees.node_offsets))
    is_low = (posterior.trees.variable == 0) & (
        posterior.trees.threshold < model.rule_density(0)["upper"].iloc[4]
    )
    assert model.rule_density(0)["splits"].iloc[:5].sum() == pytest.approx(nodes[is_low].sum())


def test_weak_variables_are_seldom_used(fitted):
    model, _, _ = fitted
    table = model.variable_use()
    for threshold in (0.0, 0.3, 1.0):
        expected = table["variable"][table["used"] < threshold].tolist()
        assert model.weak_variables(threshold) == expected


def test_model_without_trees_using_some_variables(fitted):
    model, X, _ = fitted
    weakest = model.variable_use().sort_values("used")["variable"].iloc[0]
    refined = model.without_trees_using([weakest])
    is_kept = splits_of_draws(model)[:, X.columns.get_loc(weakest)] == 0
    expected = drawn_votes(model, X)[is_kept].mean(axis=0)
    assert_allclose(refined.predict_proba(X), expected, rtol=1e-9)
    assert refined.posterior_.n_leaves.shape == (1, is_kept.sum())
    assert refined.feature_importances_[X.columns.get_loc(weakest)] == 0
    assert_array_equal(model.posterior_.n_leaves.shape, (3, 80))
    assert refined.variable_use()["used"].max() <= 1
    assert len(refined.uncertainty(X[:3])) == 3
    refined.summary()


def test_one_variable_can_be_named_alone(fitted):
    model, _, _ = fitted
    weakest = int(model.variable_use()["used"].argmin())
    alone = model.without_trees_using(weakest).posterior_
    assert_array_equal(alone.tree_index, model.without_trees_using([weakest]).posterior_.tree_index)


def test_keeping_every_draw_changes_no_prediction(binary):
    model, X, _ = binary
    assert_allclose(model.without_trees_using([]).predict_proba(X), model.predict_proba(X))


def test_bad_names_are_answered_with_the_nearest(binary):
    model, _, _ = binary
    with pytest.raises(ValueError, match="no column 'puls'; did you mean 'pulse'"):
        model.rule_density("puls")
    with pytest.raises(ValueError, match="no column 18; the columns are numbered from 0 to 17"):
        model.rule_density(18)
    with pytest.raises(ValueError, match="threshold must be between 0 and 1"):
        model.weak_variables(2)
    with pytest.raises(ValueError, match="Every draw asks about one of"):
        model.without_trees_using(list(range(18)))


@pytest.mark.parametrize(
    "empty", [[np.nan] * 40, pd.Categorical([None] * 40)], ids=["number", "category"]
)
def test_column_without_any_value_is_told_to_have_nothing_to_show(empty):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.normal(size=40), "empty": empty})
    with pytest.warns(UserWarning, match="No row has a value in column 'empty'"):
        model = fit(X, X["age"] > 0)
    for ask in (
        lambda: model.rule_density("empty"),
        lambda: model.partial_dependence(X, "empty"),
        lambda: model.individual_curves(X[:2], "empty"),
        lambda: plots.plot_rule_density(model, "empty"),
        lambda: plots.plot_partial_dependence(model, X, "empty"),
        lambda: plots.plot_partition(model, "age", "empty"),
    ):
        with pytest.raises(ValueError, match="No training row has a value in column 'empty'"):
            ask()


@pytest.mark.parametrize(
    "values",
    [[3.0] * 40, [3.0, np.nan] * 20, ["A"] * 40, [True] * 40],
    ids=["number", "number or none", "level", "truth value"],
)
def test_column_with_one_value_only_is_told_to_have_no_cuts(values):
    X = pd.DataFrame({"age": np.arange(40.0), "constant": values})
    model = fit(X, X["age"] > 20)
    for ask in (model.rule_density, lambda name: plots.plot_rule_density(model, name)):
        with pytest.raises(ValueError, match="Column 'constant' has one value only"):
            ask("constant")
