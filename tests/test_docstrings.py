import doctest
import importlib
import pkgutil

import pytest

import sweeptree

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
    assert not runner.summarize(verbose=False).failed, "".join(said)


def test_public_functions_have_examples():
    with_examples = {test.name for module in MODULES for test in examples_of(module)}
    model = "sweeptree.estimator.BayesianTreeClassifier"
    for name in (model, f"{model}.fit", f"{model}.predict_proba_draws", f"{model}.summary"):
        assert name in with_examples
    for name in ("rhat", "ess_bulk", "ess_tail", "convergence"):
        assert f"sweeptree.diagnostics.{name}" in with_examples
