"""What is sampled, by the parameters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine

from comparing import arrays_of, assert_same_posterior
from short_fits import ENGINES, STRATEGIES, short
from sweeptree.settings import MOVES

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_number_of_draws_is_as_asked_for(injury):
    posterior = short(n_draws=123, n_chains=3).fit(*injury).posterior_
    assert posterior.n_leaves.shape == (3, 123)
    assert posterior.stopped_by == "n_draws"
    assert (posterior.n_moves, posterior.thin) == (2000 + 123 * 10, 10)
    assert posterior.full_trace is None


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_constant_columns_carry_no_rule(strategy, injury):
    X, y = injury
    X = X[:, :4]
    widened = np.insert(X, [0, 2], [[5.0, -1e300]], axis=1)
    plain = short(strategy=strategy).fit(X, y)
    model = short(strategy=strategy).fit(widened, y)
    new_column = np.array([1, 2, 4, 5, -1])  # the last is for -1, a leaf
    plain_arrays, found = arrays_of(plain.posterior_), arrays_of(model.posterior_)
    assert_array_equal(found.pop("variable"), new_column[plain_arrays.pop("variable")])
    for name, array in found.items():
        assert_array_equal(array, plain_arrays[name], err_msg=name)
    assert_array_equal(model.feature_importances_[[0, 3]], 0.0)
    assert_array_equal(model.predict_proba(widened), plain.predict_proba(X))


CONSTANT = np.full((8, 2), 3.0)
STARVING = np.array([[0.0, 7], [0, 7], [0, 7], [0, 7], [0, 7], [0, 7], [0, 7], [1, 7]])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("unavailable", ["redraw", "reject"])
@pytest.mark.parametrize("X", [CONSTANT, STARVING], ids=["constant", "starving"])
def test_table_without_a_usable_rule_gives_the_class_shares(X, unavailable, strategy, engine):
    y = [0, 0, 0, 1, 1, 2, 0, 0]
    alpha = np.array([0.5, 1.0, 3.0])
    model = short(
        strategy=strategy,
        unavailable=unavailable,
        engine=engine,
        alpha=alpha,
        n_burn_in=3,
        n_draws=4,
        thin=1,
        n_chains=1,
    ).fit(X, y)
    assert_array_equal(model.posterior_.n_leaves, 1)
    assert_array_equal(model.posterior_.depth, 0)
    assert len(model.posterior_.trees) == 1
    expected = (np.array([5, 2, 1]) + alpha) / (8 + alpha.sum())
    assert_allclose(model.predict_proba([[0, 7], [3, 3]]), [expected] * 2, rtol=1e-14)
    assert_array_equal(model.feature_importances_, 0.0)


def test_only_the_exact_strategy_anneals_unless_told_to(injury):
    def posterior(**parameters):
        return short(**parameters).fit(*injury).posterior_

    assert_same_posterior(
        posterior(strategy="sweeping"), posterior(strategy="sweeping", anneal=0.0)
    )
    annealed, plain = posterior(), posterior(anneal=0.0)
    assert not np.array_equal(annealed.n_leaves, plain.n_leaves)
    assert_same_posterior(annealed, posterior(anneal=0.5))


def test_alpha_is_learned_with_the_trees():
    X, y = load_wine(return_X_y=True)
    model = short(alpha="learn", n_draws=200).fit(X, y)
    posterior = model.posterior_
    assert posterior.alphas.shape == (16, 3)
    assert_allclose(posterior.alphas.sum(axis=1)[[0, -1]], [0.2, 10.0])
    assert posterior.alpha.shape == (*posterior.n_leaves.shape, 3)
    assert len(np.unique(posterior.alpha)) > 3
    assert_allclose(
        model.predict_proba(X), model.predict_proba_draws(X).mean(axis=(0, 1)), atol=1e-12
    )


def test_learned_alpha_is_small_where_classes_are_clear_and_large_where_they_are_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    clear = (X[:, 0] > 0).astype(int)
    unclear = (rng.random(300) < 0.5).astype(int)
    learned = [
        short(alpha="learn", n_burn_in=20_000, n_draws=200).fit(X, y).posterior_.alpha.mean()
        for y in (clear, unclear)
    ]
    assert learned[0] < 0.5 < learned[1]


def test_plug_in_likelihood_has_no_alpha():
    X, y = load_wine(return_X_y=True)
    models = [short(likelihood="plug-in", alpha=alpha).fit(X, y) for alpha in ("learn", 1.0)]
    assert_same_posterior(models[0].posterior_, models[1].posterior_)
    assert not models[0].posterior_.alpha.any()


def test_alpha_per_class_follows_the_order_of_the_classes():
    X, y = np.zeros((10, 1)), np.array(["b"] * 7 + ["a"] * 3)
    model = short(alpha=[4.0, 1.0]).fit(X, y)
    assert_allclose(model.predict_proba(X[:1]), [[7 / 15, 8 / 15]], rtol=1e-14)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("min_samples_leaf", [1, 12])
def test_no_leaf_has_too_few_rows(strategy, min_samples_leaf, injury):
    model = short(strategy=strategy, min_samples_leaf=min_samples_leaf).fit(*injury)
    sizes = model.posterior_.trees.leaf_counts.sum(axis=1)
    assert sizes.min() >= min_samples_leaf
    assert sizes.min() < min_samples_leaf + 12


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("max_leaves", [1, 3])
def test_no_tree_has_too_many_leaves(strategy, max_leaves, injury):
    model = short(strategy=strategy, max_leaves=max_leaves, trace="full").fit(*injury)
    assert model.posterior_.full_trace.n_leaves.max() == max_leaves


@pytest.mark.parametrize("engine", ENGINES)
def test_restricting_keeps_trees_small_at_first(engine, injury):
    model = short(
        strategy="restricting",
        restrict_leaves=2,
        restrict_moves=500,
        engine=engine,
        n_burn_in=0,
        n_draws=1000,
        thin=1,
        n_chains=1,
        trace="full",
    ).fit(*injury)
    n_leaves = model.posterior_.full_trace.n_leaves
    assert n_leaves[:, :500].max() == 2
    assert n_leaves[:, 500:].max() > 2


def test_restricting_lasts_for_half_of_the_burn_in_unless_told_otherwise(injury):
    model = short(strategy="restricting", restrict_leaves=2, trace="full").fit(*injury)
    n_leaves = model.posterior_.full_trace.n_leaves
    assert n_leaves[:, :1000].max() == 2
    assert n_leaves[:, 1000:2000].max() > 2


@pytest.mark.parametrize(
    "no_restriction", [{"restrict_leaves": 10**12}, {"restrict_moves": 0, "restrict_leaves": 1}]
)
def test_restricting_without_a_restriction_is_the_standard_strategy(no_restriction, injury):
    restricting = short(strategy="restricting", **no_restriction).fit(*injury)
    standard = short(strategy="standard").fit(*injury)
    assert_same_posterior(restricting.posterior_, standard.posterior_)


def test_restricting_may_outlast_the_run(injury):
    model = short(strategy="restricting", restrict_leaves=2, restrict_moves=10**20).fit(*injury)
    assert model.posterior_.n_leaves.max() == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_full_trace_agrees_with_the_draws(engine, injury):
    model = short(
        n_burn_in=70, n_draws=20, thin=3, trace="full", engine=engine, strategy="standard"
    ).fit(*injury)
    posterior = model.posterior_
    assert posterior.full_trace.n_leaves.shape == (2, 70 + 20 * 3)
    assert posterior.full_trace.log_likelihood.shape == (2, 70 + 20 * 3)
    at_draws = 70 + 3 * np.arange(1, 21) - 1
    assert_array_equal(posterior.full_trace.n_leaves[:, at_draws], posterior.n_leaves)
    assert_array_equal(posterior.full_trace.log_likelihood[:, at_draws], posterior.log_likelihood)


def test_full_trace_changes_nothing_else(injury):
    plain = arrays_of(short().fit(*injury).posterior_)
    full = arrays_of(short(trace="full").fit(*injury).posterior_)
    for name, array in plain.items():
        assert_array_equal(array, full[name], err_msg=name)


@pytest.mark.parametrize("left_out", ["change_split", "change_rule", "swap"])
def test_move_left_out_is_never_proposed(left_out, injury):
    kept = {"birth": 0.2, "death": 0.2, "change_split": 0.3, "change_rule": 0.3, "swap": 0.3}
    del kept[left_out]
    posterior = short(move_probabilities=kept).fit(*injury).posterior_
    n_proposed = dict(zip(posterior.move_names, posterior.moves.sum(axis=(0, 1, 3)), strict=True))
    assert {move for move, n in n_proposed.items() if n > 0} == set(kept)


def test_graft_needs_splice():
    moves = {"birth": 0.3, "death": 0.3, "graft": 0.4}
    with pytest.raises(ValueError, match="graft and splice both"):
        short(move_probabilities=moves).fit(np.eye(8), np.arange(8) % 2)


def test_move_probabilities_are_the_shares_of_the_moves(injury):
    wanted = dict(zip(MOVES, (0.2, 0.25, 0.1, 0.1, 0.1, 0.1, 0.05, 0.04, 0.04, 0.02), strict=True))
    model = short(move_probabilities=wanted, unavailable="reject", n_draws=2000).fit(*injury)
    n_proposed = model.posterior_.moves.sum(axis=(0, 1, 3))
    assert_allclose(n_proposed / n_proposed.sum(), list(wanted.values()), atol=0.01)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("delta", [5.0, 2000.0])
def test_depth_prior_that_forbids_deep_trees_keeps_them_shallow(engine, delta, injury):
    model = short(
        tree_prior="depth",
        delta=delta,
        gamma=1.0,
        engine=engine,
        n_burn_in=300,
        n_draws=50,
        thin=2,
    ).fit(*injury)
    assert (model.posterior_.depth >= 1).all()  # gamma is 1: the root is always split
    if delta == 2000.0:
        assert_array_equal(model.posterior_.depth, 1)


@pytest.mark.parametrize("X", [CONSTANT, np.arange(16.0).reshape(8, 2)], ids=["none", "some"])
def test_prior_that_forbids_the_first_tree_brings_no_numerical_warning(X, capsys):
    model = short(
        tree_prior="depth", gamma=1.0, unavailable="reject", n_burn_in=0, thin=1, n_chains=4
    ).fit(X, [0, 1] * 4)
    assert (model.posterior_.log_prior == -np.inf).any()
    assert np.isfinite(model.predict_proba(X)).all()
    model.summary()
    assert "log posterior" in capsys.readouterr().out
