"""Scores with intervals, and whether probabilities can be believed."""

import numpy as np
import pytest
from scipy.stats import binomtest

from sweeptree.baseline import baseline_scores
from sweeptree.report.headline import (
    as_cells,
    calibration_cells,
    headline_scores,
    judge_calibration,
    wilson_interval,
)


def predictions(n_rows, sharpened=1.0, seed=0):
    """Labels drawn from probabilities, and these, made surer than they are."""
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 1, n_rows)
    labels = (rng.random(n_rows) < p).astype(int)
    odds = (p / (1 - p)) ** sharpened
    return labels, np.column_stack((1 / (1 + odds), odds / (1 + odds)))


def scored(labels, probabilities):
    baseline = baseline_scores([50, 50], labels, [0, 1])
    return headline_scores(labels, probabilities, baseline)


@pytest.mark.parametrize(("n_right", "n_rows"), [(0, 10), (90, 100), (7, 7), (1, 2)])
def test_wilson_is_wilsons(n_right, n_rows):
    expected = binomtest(n_right, n_rows).proportion_ci(method="wilson")
    assert wilson_interval(n_right, n_rows) == pytest.approx(tuple(expected))


def test_every_score_lies_in_its_interval():
    for score in scored(*predictions(300)):
        assert score.lower <= score.value <= score.upper
        assert score.lower < score.upper


def test_the_calibration_error_stands_beside_what_chance_makes_of_true_probabilities():
    found = judge_calibration(*predictions(150))
    cells = calibration_cells(found)
    assert cells["value"] == f"{found.error:.3f}"
    assert cells["beside"] == f"by chance up to {found.by_chance:.3f}"


def test_the_baseline_knows_only_the_class_shares_of_training():
    found = baseline_scores([30, 60, 10], ["b", "a", "b", "c"], ["a", "b", "c"])
    assert found.commonest == "b"
    assert found.accuracy == 0.5
    assert found.log_loss == pytest.approx(-np.log([0.6, 0.3, 0.6, 0.1]).mean())
    squares = [0.3**2 + 0.4**2 + 0.1**2, 0.7**2 + 0.6**2 + 0.1**2, 0.3**2 + 0.6**2 + 0.9**2]
    assert found.brier == pytest.approx((2 * squares[0] + squares[1] + squares[2]) / 8)


@pytest.mark.slow
def test_intervals_of_the_log_loss_hold_the_truth_as_often_as_they_say():
    p = np.linspace(0, 1, 100_001)[1:-1]
    truth = float(-(p * np.log(p) + (1 - p) * np.log(1 - p)).mean())
    n_held = 0
    for seed in range(40):
        log_loss = scored(*predictions(150, seed=seed))[1]
        n_held += log_loss.lower <= truth <= log_loss.upper
    assert n_held >= 34


@pytest.mark.slow
def test_true_probabilities_are_called_calibrated_and_sharpened_ones_are_not():
    found = [judge_calibration(*predictions(400, seed=seed)).is_calibrated for seed in range(20)]
    assert sum(found) >= 16
    judged = judge_calibration(*predictions(1000, sharpened=3.0))
    assert not judged.is_calibrated
    assert judged.is_overconfident
    modest = judge_calibration(*predictions(1000, sharpened=0.4))
    assert not modest.is_calibrated
    assert not modest.is_overconfident


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_nothing_is_said_of_the_calibration_of_a_few_rows(n_rows):
    labels, probabilities = np.ones(n_rows, dtype=int), np.tile((0.55, 0.45), (n_rows, 1))
    assert not judge_calibration(labels, probabilities).can_be_told
    assert judge_calibration(*predictions(150)).can_be_told


def test_one_row_has_no_interval_but_that_of_the_accuracy():
    accuracy, *others = scored(np.array([1]), np.array([[0.55, 0.45]]))
    assert as_cells(accuracy)["beside"] == "0.0 % to 79.3 %"
    assert [as_cells(each)["how"] for each in others] == ["one row has no interval"] * 2
