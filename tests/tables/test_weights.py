"""Weights of rows, and prior chances of classes."""

import numpy as np
import pytest

from comparing import assert_same_posterior
from short_table_fits import short

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


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
        (
            np.ma.array([1] * 200, mask=[True] + [False] * 199),
            "is nan in row 0; it must be a whole",
        ),
        ([1] * 7, "one weight for each row"),
        ([0] * 200, "zero for every row"),
        (["one"] * 200, "sample_weight must be numbers, one for each row"),
        ([[1], [1, 2]] * 100, "sample_weight must be numbers, one for each row"),
        ([2**30] * 200, "adds up to 214,748,364,800 cases, more than the 2,147,483,647"),
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
