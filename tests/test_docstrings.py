import doctest
import importlib
import pkgutil

import matplotlib.pyplot as plt
import pytest

import sweeptree
from sweeptree import interpretation, plots, scores, uncertainty

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

MODULES = [
    module.name
    for module in pkgutil.walk_packages(sweeptree.__path__, "sweeptree.")
    if not module.name.endswith(("__main__", "_kernel"))
]


def examples_of(module):
    found = doctest.DocTestFinder().find(importlib.import_module(module))
    return [test for test in found if test.examples]


@pytest.mark.parametrize("module", [name for name in MODULES if examples_of(name)])
def test_examples_give_what_they_say(module):
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in examples_of(module):
        runner.run(test, out=said.append)
    plt.close("all")
    assert not runner.summarize(verbose=False).failed, "".join(said)


def test_public_functions_have_examples():
    with_examples = {test.name for module in MODULES for test in examples_of(module)}
    model = "sweeptree.estimator.BayesianTreeClassifier"
    draws = "sweeptree.prediction_mixin.PredictionMixin.predict_proba_draws"
    for name in (model, f"{model}.fit", f"{model}.summary", draws):
        assert name in with_examples
    for name in ("rhat", "ess_bulk", "ess_tail", "convergence", "standard_error_of_mean"):
        assert f"sweeptree.diagnostics.{name}" in with_examples


@pytest.mark.parametrize("package", [uncertainty, interpretation, plots, scores])
def test_functions_of_public_packages_have_examples(package):
    records = {"AccuracyCoverage", "DependenceCurve", "Entropies", "Envelope", "Explanation"}
    with_examples = {test.name for module in MODULES for test in examples_of(module)}
    names = getattr(package, "__all__", None) or [
        name
        for name, value in vars(package).items()
        if getattr(value, "__module__", "") == package.__name__ and not name.startswith("_")
    ]
    for name in set(names) - records:
        value = getattr(package, name)
        assert f"{value.__module__}.{name}" in with_examples
