"""A model that has not been fitted says so, whatever it is asked."""

import inspect

import pytest
from sklearn.exceptions import NotFittedError

from sweeptree import BayesianTreeClassifier, plots

WORK_WITHOUT_FIT = ("fit", "get_", "set_")
METHODS = [
    name
    for name, member in inspect.getmembers(BayesianTreeClassifier, callable)
    if not name.startswith(("_", *WORK_WITHOUT_FIT))
]
PLOTS = [name for name in plots.__all__ if name.startswith("plot_")]
ARGUMENTS = {
    "X": [[0.0, 1.0]],
    "x": [0.0, 1.0],
    "y": ["a"],
    "variable": 0,
    "x_variable": 0,
    "y_variable": 1,
    "variables": [0],
}


def needed_arguments(function, **others):
    """What must be given to a function, in order."""
    given = ARGUMENTS | others
    needed = inspect.signature(function).parameters.values()
    return [given[p.name] for p in needed if p.default is p.empty]


@pytest.mark.parametrize("name", METHODS)
def test_method_of_an_unfitted_model_says_that_it_is_not_fitted(name, tmp_path):
    method = getattr(BayesianTreeClassifier(), name)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        method(*needed_arguments(method, path=tmp_path / "file"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", PLOTS)
def test_plot_of_an_unfitted_model_says_that_it_is_not_fitted(name):
    plot, unfitted = getattr(plots, name), BayesianTreeClassifier()
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        plot(*needed_arguments(plot, model=unfitted, tree=unfitted))
