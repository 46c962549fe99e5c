from itertools import count

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_injury
from sweeptree.prediction import forest_of, leaf_probabilities

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

COUNTS = np.array([[3, 0, 1], [0, 0, 5]], dtype=np.int32)
ENGINES = ["kernel", "reference"]


@pytest.fixture(scope="module")
def table():
    return make_injury(150, random_state=0, return_X_y=True)


@pytest.fixture(scope="module", params=["marginal", "plug-in"])
def model(request, table):
    model = BayesianTreeClassifier(
        likelihood=request.param, n_burn_in=2000, n_draws=60, thin=7, n_chains=2, random_state=0
    )
    return model.fit(*table)


@pytest.fixture(scope="module")
def rows(model, table):
    """Rows seen and unseen, rows beyond the range, and rows exactly on thresholds."""
    X = table[0]
    unseen = make_injury(50, random_state=1).data
    on_thresholds = np.repeat(X[:1], 40, axis=0)
    trees = model.posterior_.trees
    splits = np.flatnonzero(trees.variable >= 0)[:40]
    on_thresholds[np.arange(40), trees.variable[splits]] = trees.threshold[splits]
    return np.vstack((X, unseen, X[:5] + 1e6, X[:5] - 1e6, on_thresholds))


def nested_trees(trees):
    """Each tree as (column, threshold, left, right), where a leaf is its number."""
    leaf_numbers = count()

    def next_subtree(nodes):
        node = next(nodes)
        if trees.variable[node] == -1:
            return next(leaf_numbers)
        return (
            trees.variable[node],
            trees.threshold[node],
            next_subtree(nodes),
            next_subtree(nodes),
        )

    ends = zip(trees.node_offsets[:-1], trees.node_offsets[1:], strict=True)
    return [next_subtree(iter(range(start, end))) for start, end in ends]


def leaf_of(tree, row):
    while isinstance(tree, tuple):
        column, threshold, left, right = tree
        tree = left if row[column] <= threshold else right
    return tree


@pytest.fixture(scope="module")
def walked(model, rows):
    """(tree, row): the leaf that each row falls into, by walking."""
    trees = nested_trees(model.posterior_.trees)
    return np.array([[leaf_of(tree, row) for row in rows] for tree in trees])


def test_leaf_probabilities_of_the_marginal_likelihood():
    expected = [
        [4 / 7.5, 0.5 / 7.5, 3 / 7.5],
        [1 / 8.5, 0.5 / 8.5, 7 / 8.5],
    ]
    assert_allclose(leaf_probabilities(COUNTS, np.array([1.0, 0.5, 2.0])), expected, rtol=1e-15)


def test_leaf_probabilities_of_the_plug_in_likelihood():
    expected = [[0.75, 0.0, 0.25], [0.0, 0.0, 1.0]]
    assert_array_equal(leaf_probabilities(COUNTS, np.zeros(3)), expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_fall_into_the_leaves_that_a_walk_finds(engine, model, rows, walked):
    leaves = forest_of(model.posterior_.trees, engine).apply(rows)
    assert_array_equal(leaves, walked)
    assert len(np.unique(leaves[0])) > 1


def test_training_rows_fall_into_the_leaves_that_counted_them(model, table):
    X, y = table
    trees = model.posterior_.trees
    leaves = forest_of(trees, "kernel").apply(X)
    counts = np.zeros_like(trees.leaf_counts)
    np.add.at(counts, (leaves, y), 1)
    assert_array_equal(counts, trees.leaf_counts)


def test_probabilities_are_the_average_over_walks(model, rows, walked):
    posterior = model.posterior_
    counts = posterior.trees.leaf_counts[walked[posterior.tree_index]]
    counts = counts + posterior.alpha[:, :, None, :]
    of_draw = counts / counts.sum(axis=-1, keepdims=True)
    assert_array_equal(model.predict_proba_draws(rows), of_draw)
    assert_allclose(model.predict_proba(rows), of_draw.mean(axis=(0, 1)), rtol=0, atol=1e-12)


def test_engines_average_alike(model, rows):
    trees = model.posterior_.trees
    rng = np.random.default_rng(0)
    weight, value = rng.uniform(size=len(trees)), rng.normal(size=(len(trees.leaf_counts), 3))
    kernel, reference = (
        forest_of(trees, engine).average(rows, weight, value) for engine in ENGINES
    )
    assert kernel.shape == (len(rows), 3)
    assert_allclose(kernel, reference, rtol=1e-12, atol=1e-12)


def test_a_row_is_predicted_alike_alone_and_among_others(model, rows):
    together = model.predict_proba(rows)
    for i in (0, 57, len(rows) - 1):
        assert_array_equal(model.predict_proba(rows[i : i + 1])[0], together[i])


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 1000, 5000])
def test_number_of_rows_does_not_matter(n_rows, model):
    X = make_injury(n_rows, random_state=2).data
    one_by_one = [model.predict_proba(X[i : i + 1])[0] for i in (0, n_rows // 2, n_rows - 1)]
    assert_array_equal(model.predict_proba(X)[[0, n_rows // 2, n_rows - 1]], one_by_one)


@pytest.mark.parametrize("n_threads", [2, 3, 16])
def test_threads_do_not_change_predictions(model, rows, n_threads):
    many = np.tile(rows, (5, 1))
    trees = model.posterior_.trees
    alone, shared = (forest_of(trees, "kernel", n) for n in (1, n_threads))
    assert_array_equal(shared.apply(many), alone.apply(many))
    weights = np.full(len(trees), 1 / len(trees))
    values = leaf_probabilities(trees.leaf_counts, np.ones(trees.leaf_counts.shape[1]))
    assert_array_equal(shared.average(many, weights, values), alone.average(many, weights, values))
