import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import gammaln, xlogy

from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_injury

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ALPHA = np.array([0.5, 2.0])
N_BURN_IN, N_DRAWS, THIN, N_CHAINS = 3000, 200, 5, 3


def make_model(**parameters):
    return BayesianTreeClassifier(
        n_burn_in=N_BURN_IN,
        n_draws=N_DRAWS,
        thin=THIN,
        n_chains=N_CHAINS,
        random_state=0,
        alpha=ALPHA,
        **parameters,
    )


@pytest.fixture(scope="module")
def table():
    return make_injury(200, random_state=0, return_X_y=True)


@pytest.fixture(scope="module", params=["sweeping", "standard", "restricting"])
def posterior(request, table):
    return make_model(strategy=request.param, tree_prior="uniform").fit(*table).posterior_


def nodes_of(trees, number):
    return slice(*trees.node_offsets[number : number + 2])


def depth_of(variable):
    """Number of splits on the longest way down a tree in preorder."""
    deepest, waiting = 0, [0]
    for asks_about in variable:
        depth = waiting.pop()
        deepest = max(deepest, depth)
        if asks_about >= 0:
            waiting += [depth + 1, depth + 1]
    assert not waiting
    return deepest


def test_trees_are_distinct(posterior):
    trees = posterior.trees
    written = [
        (
            trees.variable[nodes_of(trees, t)].tobytes(),
            trees.threshold[nodes_of(trees, t)].tobytes(),
        )
        for t in range(len(trees))
    ]
    assert len(set(written)) == len(trees) > 10
    assert_array_equal(np.unique(posterior.tree_index), np.arange(len(trees)))


def test_draws_share_trees(posterior):
    assert len(posterior.trees) < posterior.tree_index.size


def test_traces_are_those_of_the_trees(posterior):
    trees = posterior.trees
    assert trees.node_offsets[0] == 0
    assert trees.node_offsets[-1] == len(trees.variable) == len(trees.threshold)
    assert trees.leaf_offsets[-1] == len(trees.leaf_counts) == (trees.variable == -1).sum()
    n_leaves = np.diff(trees.leaf_offsets)
    depth = np.array([depth_of(trees.variable[nodes_of(trees, t)]) for t in range(len(trees))])
    assert_array_equal(n_leaves[posterior.tree_index], posterior.n_leaves)
    assert_array_equal(depth[posterior.tree_index], posterior.depth)
    assert posterior.depth.max() > 2


def test_leaves_of_a_tree_hold_all_rows(posterior, table):
    trees = posterior.trees
    counts = np.add.reduceat(trees.leaf_counts, trees.leaf_offsets[:-1])
    assert_array_equal(counts, [np.bincount(table[1])] * len(trees))


@pytest.mark.parametrize("likelihood", ["marginal", "plug-in"])
def test_log_likelihood_is_that_of_the_leaf_counts(likelihood, table):
    posterior = make_model(likelihood=likelihood).fit(*table).posterior_
    counts = posterior.trees.leaf_counts
    sizes = counts.sum(axis=1)
    if likelihood == "marginal":
        of_leaf = (gammaln(counts + ALPHA) - gammaln(ALPHA)).sum(axis=1)
        of_leaf += gammaln(ALPHA.sum()) - gammaln(sizes + ALPHA.sum())
    else:
        of_leaf = xlogy(counts, counts).sum(axis=1) - xlogy(sizes, sizes)
    of_tree = np.add.reduceat(of_leaf, posterior.trees.leaf_offsets[:-1])
    assert_allclose(posterior.log_likelihood, of_tree[posterior.tree_index], rtol=1e-9)


def test_log_prior_is_that_of_the_shape_and_the_rules(table):
    X, y = table
    posterior = make_model(rule_prior="observed", tree_prior="uniform").fit(X, y).posterior_
    n_cuts = np.array([len(np.unique(column)) - 1 for column in X.T])
    assert n_cuts.min() > 0
    variable = posterior.trees.variable
    of_rule = np.where(variable >= 0, -np.log(len(n_cuts) * n_cuts[variable]), 0.0)
    of_rules = np.add.reduceat(of_rule, posterior.trees.node_offsets[:-1])
    k = posterior.n_leaves
    log_catalan = gammaln(2 * k - 1) - gammaln(k) - gammaln(k + 1)
    expected = of_rules[posterior.tree_index] - log_catalan
    assert_allclose(posterior.log_prior, expected, rtol=1e-9)
    assert_array_equal(posterior.log_posterior, posterior.log_likelihood + posterior.log_prior)


def test_tree_weights_are_the_shares_of_the_draws(posterior):
    weights = posterior.tree_weights
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert weights[0] == (posterior.tree_index == 0).mean() > 0
    mean_n_leaves = weights @ np.diff(posterior.trees.leaf_offsets)
    assert mean_n_leaves == pytest.approx(posterior.n_leaves.mean(), rel=1e-12)


def test_split_shares_are_averaged_over_draws(posterior):
    trees, n_columns = posterior.trees, 18
    shares = []
    for t in posterior.tree_index.ravel():
        variable = trees.variable[nodes_of(trees, t)]
        asked = variable[variable >= 0]
        if len(asked):
            shares.append(np.bincount(asked, minlength=n_columns) / len(asked))
    assert_allclose(posterior.split_shares(n_columns), np.mean(shares, axis=0), atol=1e-12)


def test_every_move_is_counted_once(posterior):
    made = [name != "redrawn" for name in posterior.outcome_names]
    n_made = posterior.moves[..., made].sum(axis=(2, 3))
    assert posterior.phase_names == ("burn_in", "sampling")
    assert_array_equal(n_made, [[N_BURN_IN, N_DRAWS * THIN]] * N_CHAINS)


def test_only_the_sweeping_strategy_sweeps_and_only_by_changes(table):
    for strategy, sweeps in [("sweeping", True), ("standard", False), ("restricting", False)]:
        posterior = make_model(strategy=strategy).fit(*table).posterior_
        swept = posterior.moves[..., posterior.outcome_names.index("swept")].sum(axis=(0, 1))
        by_move = dict(zip(posterior.move_names, swept.tolist(), strict=True))
        assert by_move["birth"] == by_move["death"] == 0
        assert (by_move["change_split"] > 0) == sweeps
        assert (by_move["change_rule"] > 0) == sweeps


@pytest.mark.parametrize("strategy", ["sweeping", "standard"])
def test_nothing_is_redrawn_if_unavailable_moves_are_rejected(strategy, table):
    for unavailable, redraws in [("redraw", True), ("reject", False)]:
        posterior = make_model(strategy=strategy, unavailable=unavailable).fit(*table).posterior_
        redrawn = posterior.moves[..., posterior.outcome_names.index("redrawn")]
        assert (redrawn.sum() > 0) == redraws


def test_rule_scale_is_tuned_or_as_given(table):
    X, y = table
    tuned = make_model(rule_scale="tune").fit(X, y).posterior_.rule_scale
    assert tuned.shape == (N_CHAINS, X.shape[1])
    assert len(np.unique(tuned)) > N_CHAINS
    given = np.linspace(0.05, 0.5, X.shape[1])
    assert_array_equal(make_model(rule_scale=given).fit(X, y).posterior_.rule_scale, [given] * 3)


def test_posterior_says_what_it_is(posterior):
    assert (posterior.n_chains, posterior.n_draws) == (N_CHAINS, N_DRAWS)
    assert repr(posterior) == (
        f"Posterior(3 chains x 200 draws, {len(posterior.trees)} distinct trees, "
        f"{posterior.n_leaves.mean():.1f} leaves on average)"
    )
