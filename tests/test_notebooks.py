"""What a notebook shows, in a real kernel."""

import re

import nbformat
import pytest
from nbclient import NotebookClient

from explained_models import fit, four_classes

CELLS = [
    """
    import warnings
    from sklearn.exceptions import ConvergenceWarning
    from sweeptree import BayesianTreeClassifier
    from sweeptree.datasets import make_xor3
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, y = make_xor3(300, random_state=0, return_X_y=True)
    model = BayesianTreeClassifier(random_state=0, n_chains=2)
    """,
    "model.fit(X, y)",
    "model.posterior_",
    "model.explain(X[0])",
    "model.set_params(progress=False).fit(X, y);",
]


@pytest.fixture(scope="module")
def outputs():
    """The outputs of each cell."""
    cells = [nbformat.v4.new_code_cell(re.sub(r"(?m)^ +", "", cell)) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
    return [cell.outputs for cell in notebook.cells]


@pytest.fixture(scope="module")
def model():
    return fit(*four_classes())


@pytest.mark.slow
def test_a_notebook_shows_a_bar_per_chain_in_one_output(outputs):
    progress, estimator = outputs[1]
    shown = progress["data"]["text/plain"]
    for words in ("chain 1", "chain 2", "sampling", "leaves, log posterior", "100%", "R-hat"):
        assert words in shown
    assert set(progress["data"]) == {"text/plain"}
    assert "\x1b" not in shown
    assert "BayesianTreeClassifier" in estimator["data"]["text/html"]


@pytest.mark.slow
def test_a_notebook_shows_tables_and_explanations(outputs):
    posterior, explanation = (outputs[cell][0]["data"]["text/html"] for cell in (2, 3))
    assert "<td" in posterior
    assert explanation.startswith("<pre>Predicted")


@pytest.mark.slow
def test_a_notebook_shows_no_bars_when_told_not_to(outputs):
    assert outputs[4] == []


def test_a_posterior_says_whether_it_has_converged(model):
    shown = model.posterior_._repr_html_()
    for words in ("chains", ">3<", "80, every 20 moves", "R-hat", "ESS", ">no: "):
        assert words in shown


def test_a_posterior_that_has_converged_says_so():
    converged = fit(*four_classes(), max_leaves=1, n_draws=400, alpha=1.0).posterior_
    assert converged.converged
    assert ">yes<" in converged._repr_html_()


def test_names_are_escaped(model):
    X, y = four_classes()
    shown = model.explain(X[y == "a & b"].iloc[0])._repr_html_()
    assert "a &amp; b" in shown
    assert "a & b" not in shown
