"""What pages show as printed is what is printed: draws depend on the seed alone."""

import re

import numpy as np
import pytest

from doc_pages import ROOT
from mixed_tables import mixed_table
from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import load_injury
from sweeptree.datasets._injury import survival_probability

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def printed_after(name, call):
    """Return the first block without a language that follows a call on a page."""
    return re.search(r"```\n\n```\n(.+?)\n```\n", text_of(name).partition(call)[2], re.DOTALL)[1]


@pytest.fixture(scope="module")
def injury():
    """The model that the pages on the synthetic Injury data speak of, and the cases held out."""
    data = load_injury(as_frame=True)
    y = data.target_names[data.target]
    model = BayesianTreeClassifier(n_draws=1000, thin=500, random_state=0)
    return model.fit(data.data[:1000], y[:1000]), data.data[1000:], y[1000:]


def test_the_tree_of_the_readme_is_the_one_that_is_printed():
    model = BayesianTreeClassifier(max_seconds=None, random_state=0).fit(*mixed_table(400))
    shown = printed_after("README.md", 'of_patients.representative_tree("map")')
    assert str(model.representative_tree("map")).strip() == shown


def test_the_explained_case_is_the_one_that_is_printed(injury):
    model, X_test, _ = injury
    shown = printed_after("docs/explaining.md", "model.explain(X_test.iloc[437])")
    assert str(model.explain(X_test.iloc[437])).strip() == shown


def test_the_envelope_and_the_errors_to_expect_are_those_that_are_given(injury):
    model, X_test, y_test = injury
    found = model.envelope(X_test, y_test, confidence=0.99)
    table = model.uncertainty(X_test)
    confident = (table["agreement"] >= 0.99).to_numpy()
    survives = survival_probability(X_test.to_numpy(dtype=float))
    truth = np.where(table["predicted"] == "survived", survives, 1 - survives)
    by_model, by_truth = ((1 - p)[confident].sum() for p in (table["probability"], truth))
    page = text_of("docs/uncertainty.md").replace("\n", " ")
    assert f"# {found} " in page
    assert f"incorrect are {found.n_confident_incorrect} of {confident.sum()} cases" in page
    assert f"{by_model:.1f} errors were to be expected" in page
    assert f"which are known here, {by_truth:.1f}." in page


def test_the_accuracies_of_answers_are_those_that_are_told(injury):
    model, X_test, y_test = injury
    curve = model.accuracy_coverage(X_test, y_test)
    of_all, of_half = curve.accuracy[-1], curve.accuracy[curve.coverage <= 0.5][-1]
    told = f"an accuracy of {of_all:.0%}, the surer half of them with {of_half:.0%}"
    assert told.replace("%", " %") in text_of("docs/uncertainty.md").replace("\n", " ")
