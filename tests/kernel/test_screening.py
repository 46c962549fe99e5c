"""Proposals that are screened by a sample of the rows: as exact as those that are not."""

import numpy as np
import pytest
from test_box_program import GRIDS, check_against_box_program, mixed_grid, sample
from test_detailed_balance import GRID, Kernel, flows, imbalance, problem_of
from test_engines import (
    ALPHAS,
    LEARNED_ALPHAS,
    assert_engines_agree,
    assert_same_draws,
    assert_same_trace,
    mixed_table,
    run,
    run_tempered,
    small_table,
    strategy_settings,
    target_settings,
)

from exact_answers import all_trees, grid_problem
from sweeptree import BayesianTreeClassifier
from sweeptree.encoding import encode
from sweeptree.engines import ENGINES, ChainFactory
from sweeptree.resolving import strategy_of
from sweeptree.settings import FEWEST_ROWS_SCREENED, SCREEN_EVERY, TREE_PRIORS

SCREENED_PRIORS = [prior for prior in TREE_PRIORS if prior != "range"]


def screened(table, every=3, anneal_moves=0, rule_draw="ranks"):
    return strategy_settings(table, "exact", "reject", rule_draw, anneal_moves, every)


# Exact


@pytest.mark.parametrize("every", [2, 5])
@pytest.mark.parametrize("tree_prior", SCREENED_PRIORS)
def test_screened_moves_are_in_detailed_balance(tree_prior, every):
    problem = grid_problem(**GRID, tree_prior=tree_prior)
    weights = all_trees(problem)
    flow = flows(Kernel(problem, screen_every=every), weights)
    assert flow.sum() > 0.01
    assert imbalance(flow) < 1e-12
    assert flow.sum() < 0.99 * flows(Kernel(problem), weights).sum()  # it does hold moves back


@pytest.mark.parametrize("mixed", ["holes", "levels with holes", "groups with holes"])
def test_screened_moves_are_in_balance_with_categories_and_missing_values(mixed):
    problem = problem_of(mixed)
    flow = flows(Kernel(problem, screen_every=3), all_trees(problem))
    assert flow.sum() > 0.01
    assert imbalance(flow) < 1e-12


def test_mutant_that_does_not_take_off_what_the_screen_has_seen_fails():
    def counted_twice(log_ratio, seen):
        return min(1.0, np.exp(seen)) * min(1.0, np.exp(log_ratio))

    problem = grid_problem(**GRID)
    kernel = Kernel(problem, screen_every=3)
    assert imbalance(flows(kernel, all_trees(problem), passes=counted_twice)) > 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("grid", GRIDS)
def test_long_screened_runs_agree_with_the_box_program(grid):
    problem = grid_problem(**GRIDS[grid], tree_prior="geometric")
    check_against_box_program(problem, sample(problem, rule_draw="ranks", screen_every=4))


@pytest.mark.slow
def test_long_screened_runs_that_learn_alpha_and_are_tempered_agree_with_the_box_program():
    problem = grid_problem(**GRIDS["6x6"], learned_alphas=(0.1, 0.3, 1.0, 3.0))
    posterior = sample(
        problem, n_moves=2_000_000, shares=(0.6, 0.3), rule_draw="ranks", screen_every=4
    )
    check_against_box_program(problem, posterior)


@pytest.mark.slow
def test_long_screened_runs_with_missing_values_agree_with_the_box_program():
    problem = mixed_grid("groups", tree_prior="geometric")
    check_against_box_program(problem, sample(problem, rule_draw="ranks", screen_every=4))


# Both engines


@pytest.mark.parametrize("every", [2, 7, 1000])
@pytest.mark.parametrize("tree_prior", SCREENED_PRIORS)
def test_engines_make_the_same_moves_while_screening(tree_prior, every):
    table = small_table()
    assert_engines_agree(
        table, target_settings(table, tree_prior=tree_prior), screened(table, every)
    )


@pytest.mark.parametrize("category_rules", ["levels", "groups"])
def test_engines_agree_while_screening_categories_and_missing_values(category_rules):
    table = mixed_table(category_rules)
    assert_engines_agree(table, target_settings(table, tree_prior="geometric"), screened(table))


@pytest.mark.parametrize("rule_draw", ["prior", "gaussian", "ranks"])
def test_engines_agree_while_screening_and_annealing(rule_draw):
    table = small_table()
    target = target_settings(table, tree_prior="flat", alphas=LEARNED_ALPHAS, min_samples_leaf=1)
    strategy = screened(table, anneal_moves=900, rule_draw=rule_draw)
    assert_engines_agree(table, target, strategy, 0.25)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_engines_agree_while_screening_and_tempered(alpha):
    table = small_table()
    target = target_settings(table, tree_prior="geometric", alphas=ALPHAS[alpha])
    kernel, reference = (
        run_tempered(engine, table, target, screened(table), [0.9, 0.8, 0.6]) for engine in ENGINES
    )
    assert_same_trace(kernel, reference)


@pytest.mark.parametrize("n_levels", [2, 60, None])
def test_masks_of_a_sample_need_not_be_stored(n_levels):
    """Those that are put together from a few stored ones make the same moves."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(700, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(np.int32)
    X[rng.random(X.shape) < 0.1] = np.nan
    kinds = ["ordered"] * 3
    if n_levels is not None:
        X[:, 2] = rng.integers(n_levels, size=len(X))
        kinds[2] = "levels"
    table = encode(X, y, 2, kinds)
    target = target_settings(table, min_samples_leaf=1, max_leaves=100)
    chains = []
    for mask_budget in (None, 1):
        factory = ChainFactory("kernel", table, target, screened(table), mask_budget)
        chain = factory.make(np.random.PCG64(1))
        chain.run(20_000, False, 50)
        chains.append(chain)
    assert_same_draws(chains[0].draws, chains[1].draws)
    assert chains[0].counts[..., 0].sum() > 500


@pytest.mark.parametrize("goes_on_in", ENGINES)
def test_restored_chain_goes_on_screening(goes_on_in):
    table = small_table()
    target = target_settings(table, alphas=LEARNED_ALPHAS, tree_prior="geometric")
    undisturbed = run("kernel", table, target, screened(table))
    other = ChainFactory(goes_on_in, table, target, screened(table)).make(
        np.random.PCG64(2), keeps_full_trace=True
    )
    other.restore(undisturbed.state())
    for chain in (undisturbed, other):
        chain.run(800, False, 5)
    assert_same_trace(undisturbed, other)


# What is screened, and what is not


@pytest.mark.parametrize("habit", [{"redraws": True}, {"sweeps": True}])
def test_kernel_does_not_screen_what_may_be_redrawn_or_swept(habit):
    table = small_table()
    settings = screened(table).__class__(**{**vars(screened(table)), **habit})
    with pytest.raises(ValueError, match="cannot be screened"):
        ChainFactory("kernel", table, target_settings(table), settings)


def test_kernel_does_not_screen_under_the_range_prior():
    table = small_table()
    target = target_settings(table, tree_prior="range")
    with pytest.raises(ValueError, match="cannot be screened"):
        ChainFactory("kernel", table, target, screened(table)).make(np.random.PCG64(0))


def large_table(n_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    return X, ((X[:, 0] > 0) & (X[:, 1] > 0.5)) ^ (rng.random(n_rows) < 0.1)


@pytest.mark.parametrize(
    ("parameters", "n_rows", "every"),
    [
        ({}, FEWEST_ROWS_SCREENED, SCREEN_EVERY),
        ({}, FEWEST_ROWS_SCREENED - 1, 1),
        ({"strategy": "standard", "unavailable": "reject"}, FEWEST_ROWS_SCREENED, SCREEN_EVERY),
        ({"strategy": "standard"}, FEWEST_ROWS_SCREENED, 1),
        ({"strategy": "sweeping"}, FEWEST_ROWS_SCREENED, 1),
        ({"tree_prior": "range"}, FEWEST_ROWS_SCREENED, 1),
    ],
    ids=str,
)
def test_large_tables_are_screened_where_it_is_exact(parameters, n_rows, every):
    X, y = large_table(n_rows)
    model = BayesianTreeClassifier(**parameters)
    model.n_features_in_ = X.shape[1]
    assert strategy_of(model, encode(X, y.astype(np.int32), 2)).screen_every == every


def test_large_table_is_fitted_and_predicted():
    X, y = large_table(FEWEST_ROWS_SCREENED)
    model = BayesianTreeClassifier(random_state=0, n_chains=2, max_moves=300_000).fit(X, y)
    assert model.posterior_.converged
    probabilities = model.predict_proba([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(probabilities[:, 1], [0.9, 0.1, 0.1], atol=0.02)
