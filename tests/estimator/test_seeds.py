"""The draws depend on the seed, and on nothing else."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comparing import arrays_of, assert_same_posterior, drawn_trees
from short_fits import ENGINES, STRATEGIES, short

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_draws_do_not_depend_on_n_jobs(injury):
    expected = short(n_chains=4, n_jobs=1, trace="full").fit(*injury)
    for n_jobs in (2, 4, -1, None):
        model = short(n_chains=4, n_jobs=n_jobs, trace="full").fit(*injury)
        assert_same_posterior(model.posterior_, expected.posterior_)


def test_a_chain_is_the_same_whatever_the_number_of_chains(injury):
    few = short(n_chains=2).fit(*injury).posterior_
    many = short(n_chains=5).fit(*injury).posterior_
    for name in ("n_leaves", "depth", "log_likelihood", "log_prior", "moves", "rule_scale"):
        assert_array_equal(getattr(few, name), getattr(many, name)[:2], err_msg=name)
    for chain in range(2):
        assert drawn_trees(few, chain) == drawn_trees(many, chain)


def test_chains_differ(injury):
    n_leaves = short(n_chains=4).fit(*injury).posterior_.n_leaves
    assert len(np.unique(n_leaves, axis=0)) == 4


def test_seed_decides_the_draws(injury):
    first = short(random_state=7).fit(*injury).posterior_
    assert_same_posterior(short(random_state=7).fit(*injury).posterior_, first)
    state = np.random.RandomState(7)
    assert_same_posterior(short(random_state=state).fit(*injury).posterior_, first)
    for other in (8, state, None):  # a RandomState goes on from where it is
        different = short(random_state=other).fit(*injury).posterior_
        assert (different.log_likelihood != first.log_likelihood).any()


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("likelihood", ["marginal", "plug-in"])
def test_reference_engine_makes_the_same_draws(strategy, likelihood, three_classes):
    X, y = three_classes
    lengths = {"n_burn_in": 300, "n_draws": 40, "thin": 5, "trace": "full"}
    kernel, reference = (
        short(engine=engine, strategy=strategy, likelihood=likelihood, **lengths).fit(X, y)
        for engine in ENGINES
    )
    assert kernel.posterior_.n_leaves.max() > 2
    found, expected = arrays_of(kernel.posterior_), arrays_of(reference.posterior_)
    for name, array in found.items():
        if np.issubdtype(array.dtype, np.integer):
            assert_array_equal(array, expected[name], err_msg=name)
        else:
            assert_allclose(array, expected[name], rtol=1e-9, atol=1e-9, err_msg=name)
    assert_allclose(kernel.predict_proba(X), reference.predict_proba(X), atol=1e-12)
