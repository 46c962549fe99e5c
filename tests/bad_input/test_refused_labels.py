"""Labels that no model can be fitted to."""

import time

import numpy as np
import pandas as pd
import pytest

from small_table import X, Y, short
from sweeptree import plots, scores
from sweeptree.uncertainty import AbstainingClassifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("label", [0, "ill", True, 2.0])
def test_one_class_only(label):
    with pytest.raises(ValueError, match=rf"only one class, {label!r}; at least two"):
        short().fit(X, [label] * 30)


def test_labels_are_required():
    with pytest.raises(ValueError, match="requires y to be passed"):
        short().fit(X, None)


def test_lengths_must_match():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[30, 29\]"):
        short().fit(X, Y[:-1])


def test_mistake_on_a_large_table_is_told_at_once():
    large = np.zeros((200_000, 40))
    start = time.perf_counter()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        short().fit(large, Y)
    assert time.perf_counter() - start < 1.0


def test_labels_of_different_types_are_refused():
    mixed = np.array(["yes", "yes", 0] * 10, dtype=object)
    with pytest.raises(ValueError, match=r"types: 'yes' in row 0 and 0 in row 2; make them all"):
        short().fit(X, mixed)


def test_continuous_labels_are_refused():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        short().fit(X, X[:, 0])


def test_labels_in_two_columns_are_refused():
    twice = pd.concat([pd.Series(Y, name="ill")] * 2, axis=1)
    with pytest.raises(ValueError, match=r"shape \(30, 2\): give the labels of one column"):
        short().fit(X, twice)


def test_missing_labels_are_refused():
    with pytest.raises(ValueError, match="y contains NaN"):
        short().fit(X, np.where(Y == 0, np.nan, 1.0))


def test_missing_labels_of_a_nullable_type_are_refused():
    labels = pd.array([True, None] * 15, dtype="boolean")
    with pytest.raises(ValueError, match="the label of row 1 is missing"):
        short().fit(X, labels)


DAYS = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"] * 10)


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        (DAYS, "datetime64: 2024-01-01T"),
        (DAYS.tz_localize("UTC"), "Timestamp: 2024-01-01 "),
        (DAYS.date, "date: 2024-01-01 in row 0"),
        (DAYS - DAYS[0], "timedelta64: 0 "),
        (list(DAYS - DAYS[0]), "Timedelta: 0 days"),
        (pd.cut(np.arange(30), [-1, 10, 30]), r"Interval: \(-1, 10\] in row 0"),
        ([None, *DAYS.to_period("D")[1:]], "Period: 2024-01-02 in row 1"),
    ],
    ids=["dates", "with a zone", "days", "spans", "spans as objects", "intervals", "periods"],
)
def test_labels_that_are_neither_text_nor_numbers_are_refused(labels, named):
    with pytest.raises(ValueError, match=f"y has labels of the type {named}.*give these as text"):
        short().fit(X, labels)


def test_masked_labels_are_missing():
    masked = np.ma.array(Y, mask=np.arange(30) == 4)
    with pytest.raises(ValueError, match="the label of row 4 is missing"):
        short().fit(X, masked)
    with pytest.raises(ValueError, match="the label of row 4 is missing"):
        short().fit(X, Y).score(X, masked)


def test_labels_that_were_rounded_are_refused():
    with pytest.raises(ValueError, match="label 999000011000001152 as a float in row 0"):
        short().fit(X, Y + 999000011000001104.0)


def test_labels_that_no_integer_holds_are_refused():
    with pytest.raises(ValueError, match=f"the label {10**20 + 1}, .* give them as text"):
        short().fit(X, (Y + np.array([10**20], dtype=object))[::-1])


@pytest.mark.parametrize("min_samples_leaf", [3, 16, 10**12])
def test_too_few_rows_for_two_leaves(min_samples_leaf):
    n_rows = min(2 * min_samples_leaf - 1, 30)
    with pytest.raises(ValueError, match=f"n_samples={n_rows}.*at least {2 * min_samples_leaf}"):
        short(min_samples_leaf=min_samples_leaf).fit(X[:n_rows], Y[:n_rows])


def test_just_enough_rows_for_two_leaves():
    model = short(min_samples_leaf=15, n_draws=200).fit(X, np.sort(Y))
    assert model.posterior_.n_leaves.max() <= 2


@pytest.fixture(scope="module")
def fitted():
    return {kind: short().fit(X, labels) for kind, labels in LABELS.items()}


LABELS = {"text": np.array(["ill", "well"], dtype=object)[Y], "number": Y.astype(float)}
MISSING = [("text", None), ("text", np.nan), ("text", pd.NA), ("number", np.nan)]
QUESTIONS = {
    "score": lambda model, y: model.score(X, y),
    "report": lambda model, y: model.report("never.html", X, y),
    "accuracy_coverage": lambda model, y: model.accuracy_coverage(X, y),
    "envelope": lambda model, y: model.envelope(X, y),
    "envelope_curve": lambda model, y: model.envelope_curve(X, y),
    "to_arviz": lambda model, y: model.to_arviz(X, y),
    "plot_calibration": lambda model, y: plots.plot_calibration(model, X, y),
    "plot_coverage": lambda model, y: plots.plot_coverage(model, X, y),
    "plot_envelope": lambda model, y: plots.plot_envelope(model, X, y),
    "log_loss": lambda model, y: scores.log_loss(y, model.predict_proba(X)),
    "log_loss of classes": lambda model, y: scores.log_loss(
        y, model.predict_proba(X), model.classes_
    ),
    "brier": lambda model, y: scores.brier(y, model.predict_proba(X)),
    "calibration": lambda model, y: scores.expected_calibration_error(y, model.predict_proba(X)),
    "reliability": lambda model, y: scores.reliability_table(y, model.predict_proba(X)),
    "abstaining fit": lambda _, y: AbstainingClassifier(short(), abstain_label="?").fit(X, y),
    "abstaining score": lambda _, y: AbstainingClassifier(short()).fit(X, Y).score(X, y),
}


@pytest.mark.parametrize(("kind", "missing"), MISSING, ids=str)
@pytest.mark.parametrize("question", QUESTIONS)
def test_whatever_is_asked_of_labels_names_the_one_that_is_missing(fitted, question, kind, missing):
    labels = LABELS[kind].copy()
    labels[5] = missing
    with pytest.raises(ValueError, match="the label of row 5 is missing; drop the rows without"):
        QUESTIONS[question](fitted[kind], labels)


def test_a_label_of_another_type_is_named(fitted):
    labels = LABELS["text"].copy()
    labels[7] = 3
    with pytest.raises(ValueError, match=r"the label 3 \(first in row 7\), which is not among"):
        fitted["text"].envelope(X, labels)
