import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from comparing import arrays_of, assert_same_posterior, drawn_trees
from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_injury, make_xor3
from sweeptree.settings import MOVES

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SHORT = {"n_burn_in": 2000, "n_draws": 100, "thin": 10, "n_chains": 2, "random_state": 0}
STRATEGIES = ["sweeping", "standard", "restricting"]
ENGINES = ["kernel", "reference"]


def short(**parameters):
    return BayesianTreeClassifier(**{**SHORT, **parameters})


@pytest.fixture(scope="module")
def injury():
    """200 rows with ties and a class that is hard to tell: trees of many sizes."""
    return make_injury(200, random_state=0, return_X_y=True)


@pytest.fixture(scope="module")
def three_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.array(["low", "mid", "top"])[np.digitize(X[:, 1] + rng.normal(0, 0.3, 120), [-0.5, 0.5])]
    return X, y


# scikit-learn


@parametrize_with_checks([short(), short(strategy="standard", unavailable="reject")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([BayesianTreeClassifier()])
def test_scikit_learn_checks_of_the_default_estimator(estimator, check):
    check(estimator)


def test_constructor_only_stores():
    given_parameters = {
        "strategy": "nonsense",
        "alpha": [1.0, 2.0],
        "move_probabilities": {"birth": 2.0},
        "n_draws": -1,
    }
    model = BayesianTreeClassifier(**given_parameters)
    for name, value in given_parameters.items():
        assert model.get_params()[name] is value
    assert clone(model).get_params() == model.get_params()
    assert vars(model).keys() == model.get_params().keys()


def test_parameters_survive_a_fit(injury):
    model = short(alpha=[1.0, 2.0], max_leaves=5)
    before = model.get_params()
    model.fit(*injury)
    assert model.get_params() == before


def test_pipeline(injury):
    X, y = injury
    scaled = make_pipeline(StandardScaler(), short()).fit(X, y)
    assert scaled.score(X, y) > 0.7
    assert_allclose(scaled.predict_proba(X).sum(axis=1), 1.0)


def test_grid_search_and_cross_validation(injury):
    X, y = injury
    search = GridSearchCV(short(), {"min_samples_leaf": [3, 60]}, scoring="neg_log_loss", cv=3)
    search.fit(X, y)
    assert search.best_params_ == {"min_samples_leaf": 3}
    assert (cross_val_score(short(), X, y, cv=3) > 0.6).all()


def test_pickled_model_predicts_the_same(injury):
    X, y = injury
    model = short(trace="full").fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert_array_equal(copy.predict_proba_draws(X[:5]), model.predict_proba_draws(X[:5]))
    assert_same_posterior(copy.posterior_, model.posterior_)


# Predictions


def test_probabilities_are_the_mean_over_draws(three_classes):
    X, y = three_classes
    model = short().fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), 3)
    assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    assert (probabilities > 0.0).all()
    draws = model.predict_proba_draws(X)
    assert draws.shape == (2, 100, len(X), 3)
    assert_allclose(draws.mean(axis=(0, 1)), probabilities, rtol=0, atol=1e-12)
    assert_allclose(draws.sum(axis=-1), 1.0, atol=1e-12)


def test_no_probability_exceeds_one():
    X = np.arange(40.0).reshape(-1, 1)
    y = (X[:, 0] >= 20).astype(int)
    probabilities = short(alpha=1e-17).fit(X, y).predict_proba(X)
    assert probabilities.max() > 1 - 1e-9
    assert probabilities.max() <= 1.0


def test_predict_log_proba_and_score_follow_from_the_probabilities(three_classes):
    X, y = three_classes
    model = short().fit(X, y)
    probabilities = model.predict_proba(X)
    assert_allclose(model.predict_log_proba(X), np.log(probabilities), rtol=1e-14)
    predicted = model.classes_[probabilities.argmax(axis=1)]
    assert_array_equal(model.predict(X), predicted)
    assert model.score(X, y) == (predicted == y).mean() > 0.7


def test_plug_in_gives_log_probabilities_of_minus_infinity_without_a_warning():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    model = short(likelihood="plug-in").fit(X, np.repeat(["no", "yes"], 20))
    expected = [[0, -np.inf], [-np.inf, 0]]
    assert_allclose(model.predict_log_proba([[0.0], [1.0]]), expected, atol=1e-12)


def test_labels_may_be_strings(three_classes):
    X, y = three_classes
    model = short().fit(X, y)
    assert model.classes_.tolist() == ["low", "mid", "top"]
    assert set(model.predict(X)) <= {"low", "mid", "top"}
    coded = short().fit(X, np.searchsorted(model.classes_, y))
    assert_array_equal(coded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("labels", [[False, True], [-5, 2**40], [0.0, 1.0]])
def test_labels_come_back_as_they_were_given(labels, injury):
    X, y = injury
    labels = np.array(labels)
    model = short().fit(X, labels[y])
    assert_array_equal(model.classes_, labels)
    assert model.predict(X).dtype == labels.dtype


def test_column_names_are_kept():
    X, y = make_xor3(200, random_state=0, return_X_y=True, as_frame=True)
    model = short().fit(X, y)
    assert model.feature_names_in_.tolist() == ["x1", "x2", "x3"]
    assert model.n_features_in_ == 3
    assert_array_equal(
        model.predict_proba(X), short().fit(X.to_numpy(), y).predict_proba(X.to_numpy())
    )


def test_importances_find_the_informative_columns():
    X, y = make_xor3(1000, random_state=0, return_X_y=True)
    model = BayesianTreeClassifier(tree_prior="uniform", alpha=1.0, random_state=0).fit(X, y)
    importances = model.feature_importances_
    assert importances.sum() == pytest.approx(1.0, abs=1e-12)
    assert importances.min() >= 0.0
    assert importances[:2].min() > 0.25
    assert importances[2] < 0.05


# What is sampled


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
    assert_allclose(posterior.alphas.sum(axis=1)[[0, -1]], [0.05, 10.0])
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
    wanted = dict(zip(MOVES, (0.2, 0.25, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05), strict=True))
    model = short(move_probabilities=wanted, unavailable="reject", n_draws=2000).fit(*injury)
    n_proposed = model.posterior_.moves.sum(axis=(0, 1, 3))
    assert_allclose(n_proposed / n_proposed.sum(), list(wanted.values()), atol=0.01)


# Seeds


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


# What must not matter


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
