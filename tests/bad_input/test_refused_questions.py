"""Questions that do not fit the model."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from small_table import NAMED, X, Y, short

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("n_columns", [2, 4])
def test_wrong_number_of_columns(n_columns):
    model = short().fit(X, Y)
    with pytest.raises(ValueError, match=f"X has {n_columns} features, but .* expecting 3"):
        model.predict(np.zeros((5, n_columns)))


def test_other_column_names():
    model = short().fit(NAMED, Y)
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*weight.*dose"):
        model.predict(NAMED.rename(columns={"dose": "weight"}))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(NAMED[["pulse", "age", "dose"]])


def test_what_is_no_name_of_a_column_is_told_in_short():
    model = short().fit(NAMED, Y)
    words = "by its name or its number, not by a DataFrame; there are 'age', 'pulse', 'dose'"
    with pytest.raises(ValueError, match=words):
        model.partial_dependence(NAMED, NAMED)


def test_failed_fit_leaves_the_model_unfitted():
    model = short(n_draws=10**12)
    with pytest.raises(ValueError, match="of memory"):
        model.fit(X, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_failed_second_fit_does_not_leave_a_mixture_of_two_models():
    model = short(alpha=[1, 1, 1]).fit(X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="alpha has 3 values"):
        model.fit(X, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("confidence", ["most", None, 0, 1.5, np.nan])
def test_confidence_out_of_range(confidence):
    with pytest.raises(ValueError, match="confidence must be above 0 and at most 1, got"):
        short().fit(X, Y).envelope(X, Y, confidence=confidence)


@pytest.mark.parametrize("threshold", ["most", None, [0.9]])
def test_threshold_is_a_number(threshold):
    with pytest.raises(ValueError, match=r"threshold must be between 0 and 1, by=.*; got"):
        short().fit(X, Y).reject_option(X, threshold=threshold)


@pytest.mark.parametrize("n_similar", ["all", -1, 2.5, None])
def test_number_of_similar_cases_is_a_whole_number(n_similar):
    with pytest.raises(ValueError, match="n_similar must be a whole number, at least 0, got"):
        short().fit(X, Y).explain(X[0], n_similar=n_similar)
