"""The estimator as scikit-learn knows it, and what it predicts."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from comparing import assert_same_posterior
from short_fits import short
from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_xor3

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# scikit-learn


@parametrize_with_checks([short(), short(strategy="standard", unavailable="reject")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([BayesianTreeClassifier()])
def test_scikit_learn_checks_of_the_default_estimator(estimator, check):
    check(estimator)


def test_constructor_only_stores():
    given_parameters = {
        "strategy": "nonsense",
        "alpha": [1.0, 2.0],
        "move_probabilities": {"birth": 2.0},
        "n_draws": -1,
    }
    model = BayesianTreeClassifier(**given_parameters)
    for name, value in given_parameters.items():
        assert model.get_params()[name] is value
    assert clone(model).get_params() == model.get_params()
    assert vars(model).keys() == model.get_params().keys()


def test_parameters_survive_a_fit(injury):
    model = short(alpha=[1.0, 2.0], max_leaves=5)
    before = model.get_params()
    model.fit(*injury)
    assert model.get_params() == before


def test_pipeline(injury):
    X, y = injury
    scaled = make_pipeline(StandardScaler(), short()).fit(X, y)
    assert scaled.score(X, y) > 0.7
    assert_allclose(scaled.predict_proba(X).sum(axis=1), 1.0)


def test_grid_search_and_cross_validation(injury):
    X, y = injury
    search = GridSearchCV(short(), {"min_samples_leaf": [3, 60]}, scoring="neg_log_loss", cv=3)
    search.fit(X, y)
    assert search.best_params_ == {"min_samples_leaf": 3}
    assert (cross_val_score(short(), X, y, cv=3) > 0.6).all()


def test_pickled_model_predicts_the_same(injury):
    X, y = injury
    model = short(trace="full").fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert_array_equal(copy.predict_proba_draws(X[:5]), model.predict_proba_draws(X[:5]))
    assert_same_posterior(copy.posterior_, model.posterior_)


# Predictions


def test_probabilities_are_the_mean_over_draws(three_classes):
    X, y = three_classes
    model = short().fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), 3)
    assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    assert (probabilities > 0.0).all()
    draws = model.predict_proba_draws(X)
    assert draws.shape == (2, 100, len(X), 3)
    assert_allclose(draws.mean(axis=(0, 1)), probabilities, rtol=0, atol=1e-12)
    assert_allclose(draws.sum(axis=-1), 1.0, atol=1e-12)


def test_no_probability_exceeds_one():
    X = np.arange(40.0).reshape(-1, 1)
    y = (X[:, 0] >= 20).astype(int)
    probabilities = short(alpha=1e-17).fit(X, y).predict_proba(X)
    assert probabilities.max() > 1 - 1e-9
    assert probabilities.max() <= 1.0


def test_predict_log_proba_and_score_follow_from_the_probabilities(three_classes):
    X, y = three_classes
    model = short().fit(X, y)
    probabilities = model.predict_proba(X)
    assert_allclose(model.predict_log_proba(X), np.log(probabilities), rtol=1e-14)
    predicted = model.classes_[probabilities.argmax(axis=1)]
    assert_array_equal(model.predict(X), predicted)
    assert model.score(X, y) == (predicted == y).mean() > 0.7


def test_plug_in_gives_log_probabilities_of_minus_infinity_without_a_warning():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    model = short(likelihood="plug-in").fit(X, np.repeat(["no", "yes"], 20))
    expected = [[0, -np.inf], [-np.inf, 0]]
    assert_allclose(model.predict_log_proba([[0.0], [1.0]]), expected, atol=1e-12)


def test_labels_may_be_strings(three_classes):
    X, y = three_classes
    model = short().fit(X, y)
    assert model.classes_.tolist() == ["low", "mid", "top"]
    assert set(model.predict(X)) <= {"low", "mid", "top"}
    coded = short().fit(X, np.searchsorted(model.classes_, y))
    assert_array_equal(coded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("labels", [[False, True], [-5, 2**40], [0.0, 1.0]])
def test_labels_come_back_as_they_were_given(labels, injury):
    X, y = injury
    labels = np.array(labels)
    model = short().fit(X, labels[y])
    assert_array_equal(model.classes_, labels)
    assert model.predict(X).dtype == labels.dtype


def test_column_names_are_kept():
    X, y = make_xor3(200, random_state=0, return_X_y=True, as_frame=True)
    model = short().fit(X, y)
    assert model.feature_names_in_.tolist() == ["x1", "x2", "x3"]
    assert model.n_features_in_ == 3
    assert_array_equal(
        model.predict_proba(X), short().fit(X.to_numpy(), y).predict_proba(X.to_numpy())
    )


def test_importances_find_the_informative_columns():
    X, y = make_xor3(1000, random_state=0, return_X_y=True)
    model = BayesianTreeClassifier(tree_prior="uniform", alpha=1.0, random_state=0).fit(X, y)
    importances = model.feature_importances_
    assert importances.sum() == pytest.approx(1.0, abs=1e-12)
    assert importances.min() >= 0.0
    assert importances[:2].min() > 0.25
    assert importances[2] < 0.05
