"""Units, orders, names and layouts do not matter; any finite table can be fitted."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from comparing import arrays_of, assert_same_posterior
from short_fits import ENGINES, STRATEGIES, short

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_power_of_two_units_do_not_matter(strategy, injury):
    X, y = injury
    factors = np.exp2(np.arange(X.shape[1]) - 9)
    model = short(strategy=strategy).fit(X, y)
    scaled = short(strategy=strategy).fit(X * factors, y)
    expected, found = arrays_of(model.posterior_), arrays_of(scaled.posterior_)
    variable = found["variable"]
    factor = np.where(variable >= 0, factors[variable], 1.0)
    assert_array_equal(found.pop("threshold"), expected.pop("threshold") * factor)
    for name, array in found.items():
        assert_array_equal(array, expected[name], err_msg=name)
    assert_array_equal(scaled.predict_proba(X * factors), model.predict_proba(X))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_order_of_the_rows_does_not_matter(strategy, injury):
    X, y = injury
    order = np.random.default_rng(0).permutation(len(X))
    model = short(strategy=strategy).fit(X, y)
    permuted = short(strategy=strategy).fit(X[order], y[order])
    assert_same_posterior(permuted.posterior_, model.posterior_)


def test_names_of_the_classes_do_not_matter(three_classes):
    X, y = three_classes
    renamed = np.select([y == "low", y == "mid"], ["z", "x"], "y")
    model = short().fit(X, y)
    other = short().fit(X, renamed)
    assert_array_equal(other.posterior_.n_leaves, model.posterior_.n_leaves)
    columns = np.searchsorted(other.classes_, ["z", "x", "y"])
    assert_allclose(other.predict_proba(X)[:, columns], model.predict_proba(X), atol=1e-12)


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def every_second_column(X):
    return X.repeat(2, axis=1)[:, ::2]


@pytest.mark.parametrize(
    "make",
    [np.asfortranarray, pd.DataFrame, np.ndarray.tolist, read_only, every_second_column],
)
def test_layout_of_the_table_does_not_matter(make, injury):
    X, y = injury
    model, usual = short().fit(make(X), y), short().fit(X, y)
    assert_same_posterior(model.posterior_, usual.posterior_)
    assert_array_equal(model.predict(make(X)), usual.predict(X))
    tree = usual.representative_tree("map")
    assert_array_equal(tree.predict_proba(make(X)), tree.predict_proba(X))


VALUES = st.one_of(
    st.integers(-2, 2).map(float),
    st.sampled_from([-8e307, 8e307, 5e-324, 1e-300, np.nextafter(1.0, 2.0)]),
    st.floats(-8e307, 8e307),  # a column may not span more than a float can hold
)


@st.composite
def tables(draw):
    n_rows, n_columns = draw(st.integers(6, 20)), draw(st.integers(1, 3))
    X = draw(arrays(np.float64, (n_rows, n_columns), elements=VALUES))
    y = draw(arrays(np.int64, n_rows, elements=st.integers(0, 2)))
    y[:2] = 0, 1
    return X, y


@settings(deadline=None, derandomize=True, max_examples=300)
@given(
    table=tables(),
    strategy=st.sampled_from(STRATEGIES),
    unavailable=st.sampled_from(["redraw", "reject"]),
    likelihood=st.sampled_from(["marginal", "plug-in"]),
    rule_scale=st.sampled_from([None, "prior", 0.5]),
    min_samples_leaf=st.integers(1, 3),
)
def test_any_finite_table_gives_probabilities(table, **parameters):
    X, y = table
    model = short(n_burn_in=200, n_draws=40, thin=2, **parameters).fit(X, y)
    posterior = model.posterior_
    for probabilities in (model.predict_proba(X), model.predict_proba(X[:1])):
        assert np.isfinite(probabilities).all()
        assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    assert np.isfinite(posterior.log_posterior).all()
    trees = posterior.trees
    sizes = np.add.reduceat(trees.leaf_counts.sum(axis=1), trees.leaf_offsets[:-1])
    assert_array_equal(sizes, len(y))
    assert_array_equal(np.diff(trees.leaf_offsets)[posterior.tree_index], posterior.n_leaves)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    table=tables(),
    strategy=st.sampled_from(STRATEGIES),
    rule_prior=st.sampled_from(["observed", "continuous"]),
    rule_scale=st.sampled_from(["prior", 0.5]),
)
def test_engines_agree_on_any_finite_table(table, **parameters):
    kernel, reference = (
        short(
            engine=engine,
            n_burn_in=20,
            n_draws=30,
            thin=1,
            n_chains=1,
            min_samples_leaf=1,
            unavailable="reject",
            **parameters,
        )
        .fit(*table)
        .posterior_
        for engine in ENGINES
    )
    assert_array_equal(kernel.n_leaves, reference.n_leaves)
    assert_array_equal(kernel.trees.leaf_counts, reference.trees.leaf_counts)
    assert_allclose(kernel.log_posterior, reference.log_posterior, rtol=1e-9)
