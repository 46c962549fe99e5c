import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from sweeptree import scores
from sweeptree.scores import SCORERS

LABELS = np.array(["high", "low", "mid"])


@pytest.fixture(scope="module")
def predicted():
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet([1, 1, 1], size=300)
    y = LABELS[[rng.choice(3, p=p) for p in probabilities]]
    return y, probabilities


def test_log_loss_is_scikit_learns(predicted):
    y, p = predicted
    assert scores.log_loss(y, p) == pytest.approx(metrics.log_loss(y, p))


def test_log_loss_of_an_impossible_truth_is_finite():
    assert scores.log_loss([0, 1], [[0.0, 1.0], [0.0, 1.0]]) == pytest.approx(
        metrics.log_loss([0, 1], [[0.0, 1.0], [0.0, 1.0]])
    )


def test_brier_is_scikit_learns_for_two_classes():
    p = np.array([0.2, 0.7, 0.9])
    assert scores.brier([0, 1, 0], p) == pytest.approx(metrics.brier_score_loss([0, 1, 0], p))


def test_entropy_is_summed_over_rows(predicted):
    _, p = predicted
    assert scores.sum_entropy(p) == pytest.approx(-(p * np.log(p)).sum())
    assert scores.sum_entropy([[1.0, 0.0]]) == 0


def test_calibration_error_of_true_probabilities_is_chance_alone(predicted):
    y, p = predicted
    table = scores.reliability_table(y, p, n_bins=10)
    assert table["n_rows"].tolist() == [30] * 10
    assert (np.abs(table["accuracy"] - table["confidence"]) < 4 * table["standard_error"]).all()
    overconfident = np.eye(3)[p.argmax(axis=1)]
    assert scores.expected_calibration_error(y, p) < 0.1
    assert scores.expected_calibration_error(y, overconfident) > 0.25


def test_calibration_error_is_the_mean_distance_over_bins(predicted):
    y, p = predicted
    table = scores.reliability_table(y, p, n_bins=7)
    distance = np.abs(table["accuracy"] - table["confidence"])
    expected = (distance * table["n_rows"]).sum() / len(y)
    assert scores.expected_calibration_error(y, p, n_bins=7) == pytest.approx(expected)


def test_more_bins_than_rows_leave_no_bin_empty():
    assert len(scores.reliability_table([0, 1], [0.2, 0.7], n_bins=10)) == 2


def test_sharpness_is_the_mean_of_the_largest(predicted):
    _, p = predicted
    assert scores.sharpness(p) == pytest.approx(p.max(axis=1).mean())


def test_order_of_classes_is_that_of_the_columns(predicted):
    y, p = predicted
    order = [2, 0, 1]
    for score in (scores.log_loss, scores.brier, scores.expected_calibration_error):
        shuffled = score(y, p[:, order], classes=LABELS[order])
        assert shuffled == pytest.approx(score(y, p))


@pytest.mark.parametrize("name", list(SCORERS))
def test_scorers_work_in_scikit_learn(name, predicted):
    y, p = predicted
    X = np.log(p)
    model = LogisticRegression()
    found = cross_val_score(model, X, y, scoring=pickle.loads(pickle.dumps(SCORERS[name])), cv=3)
    assert (found < 0).all()
    if name == "neg_log_loss":
        assert_allclose(found, cross_val_score(model, X, y, scoring="neg_log_loss", cv=3))


@pytest.mark.parametrize("score", [scores.log_loss, scores.brier])
def test_scores_work_through_make_scorer(score):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, "yes", "no")
    scorer = metrics.make_scorer(score, response_method="predict_proba", greater_is_better=False)
    model = LogisticRegression().fit(X, y)
    assert scorer(model, X, y) == pytest.approx(-score(y, model.predict_proba(X)))


def test_bad_input_is_named(predicted):
    y, p = predicted
    with pytest.raises(ValueError, match="y has 2 labels and there are 3 predictions"):
        scores.brier([0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="3 columns of probabilities and 2 classes"):
        scores.log_loss(y[:4], p[:4], classes=["high", "low"])
    with pytest.raises(ValueError, match=r"label 'x' \(first in row 1\)"):
        scores.log_loss(["low", "x"], p[:2], classes=LABELS)
    with pytest.raises(ValueError, match="n_bins must be at least 1"):
        scores.expected_calibration_error(y, p, n_bins=0)
