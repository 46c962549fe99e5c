"""Long runs of the exact kernel against sums over every tree."""

from dataclasses import replace

import numpy as np
import pytest

from combinations import thinned
from exact_answers import (
    AlphaMixture,
    BoxProgram,
    all_trees,
    grid_problem,
    mixed_problem,
    strategy_settings,
)
from sweeptree.engines import ChainFactory
from sweeptree.posterior import Legend, pool_draws
from sweeptree.prediction import mean_probabilities
from sweeptree.settings import RULE_PRIORS, TREE_PRIORS

GRIDS = {
    "5x4x3": {"shape": (5, 4, 3), "n_rows": 60, "seed": 0, "p_min": 3, "max_leaves": 8},
    "6x6": {"shape": (6, 6), "n_rows": 90, "seed": 1, "p_min": 1, "max_leaves": 7},
    "4x3x3, 3 classes": {
        "shape": (4, 3, 3), "n_rows": 70, "seed": 2, "p_min": 2, "max_leaves": 7, "n_classes": 3,
    },
}  # fmt: skip


def sample(problem, n_chains=4, n_moves=2_000_000, thin=200, shares=(), **changes):
    factory = ChainFactory(
        "kernel", problem.table, problem.target, strategy_settings(problem, **changes)
    )
    seeds = np.random.SeedSequence(7).spawn(n_chains)
    chains = [factory.make(np.random.PCG64(seed)) for seed in seeds]
    for chain in chains:
        chain.temper(list(shares), 2)
        chain.run(50_000, True)
        chain.run(n_moves, False, thin)
    legend = Legend(problem.table.columns, np.array(problem.target.alphas))
    return pool_draws(chains, legend, slice(None))


def p_leaves(posterior, problem):
    counts = np.bincount(posterior.n_leaves.ravel(), minlength=problem.max_leaves + 1)
    return counts / counts.sum()


def total_variation(p, q):
    return np.abs(p - q).sum() / 2


def check_against_box_program(problem, posterior):
    program = AlphaMixture(problem) if problem.learned_alphas else BoxProgram(problem)
    assert total_variation(p_leaves(posterior, problem), program.p_leaves()) < 0.01
    points = problem.ranks[:: len(problem.ranks) // 12]
    X = problem.points(points)
    exact = np.array([program.predictive(ranks) for ranks in points])
    found = mean_probabilities(posterior, X, "kernel")
    np.testing.assert_allclose(found, exact, atol=0.01)


STANDARD_MOVES = (0.25, 0.2, 0.25, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "tree_prior"), thinned(GRIDS, TREE_PRIORS, together=1))
def test_long_runs_of_standard_agree_with_the_box_program(grid, tree_prior):
    problem = grid_problem(**GRIDS[grid], tree_prior=tree_prior)
    posterior = sample(problem, n_moves=6_000_000, thin=600, p_move=STANDARD_MOVES)
    check_against_box_program(problem, posterior)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("grid", "tree_prior", "rule_prior"), thinned(GRIDS, TREE_PRIORS, RULE_PRIORS, together=1)
)
def test_long_runs_of_the_exact_strategy_agree_with_the_box_program(grid, tree_prior, rule_prior):
    problem = grid_problem(**GRIDS[grid], tree_prior=tree_prior, rule_prior=rule_prior)
    check_against_box_program(problem, sample(problem, rule_draw="ranks"))


# Backwards, so that what every run covers is what it leaves out of the test above.
OTHER_RULE_PRIORS = RULE_PRIORS[::-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tree_prior", "rule_prior"), thinned(TREE_PRIORS, OTHER_RULE_PRIORS, together=1)
)
def test_long_runs_with_gaussian_steps_agree_with_the_box_program(tree_prior, rule_prior):
    problem = grid_problem(**GRIDS["5x4x3"], tree_prior=tree_prior, rule_prior=rule_prior)
    check_against_box_program(problem, sample(problem, rule_draw="gaussian", changes_variable=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("grid", "tree_prior"), thinned(GRIDS, ["geometric", "depth", "range"], together=1)
)
def test_long_runs_that_learn_alpha_agree_with_the_mixture_of_box_programs(grid, tree_prior):
    problem = grid_problem(
        **GRIDS[grid], tree_prior=tree_prior, learned_alphas=(0.1, 0.3, 1.0, 3.0)
    )
    posterior = sample(problem, n_moves=4_000_000, thin=400, rule_draw="ranks")
    check_against_box_program(problem, posterior)
    found = np.bincount(posterior.alpha_index.ravel(), minlength=4) / posterior.alpha_index.size
    exact = AlphaMixture(problem).p_alpha()
    assert total_variation(found, exact) < 0.01
    assert exact.max() < 0.9  # the data leave α open: there is something to get wrong


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "tree_prior"), thinned(GRIDS, TREE_PRIORS, together=1))
def test_long_runs_of_tempered_chains_agree_with_the_box_program(grid, tree_prior):
    """Exchanges so often, with so little of the likelihood, that a wrong one would show."""
    problem = grid_problem(**GRIDS[grid], tree_prior=tree_prior)
    posterior = sample(problem, n_moves=1_000_000, thin=100, shares=(0.6, 0.3), rule_draw="ranks")
    check_against_box_program(problem, posterior)


@pytest.mark.slow
@pytest.mark.parametrize("grid", GRIDS)
def test_long_runs_of_tempered_chains_that_learn_alpha_agree_with_the_box_program(grid):
    problem = grid_problem(**GRIDS[grid], learned_alphas=(0.1, 0.3, 1.0, 3.0))
    posterior = sample(problem, n_moves=2_000_000, thin=200, shares=(0.6, 0.3), rule_draw="ranks")
    check_against_box_program(problem, posterior)


MIXED_GRIDS = {
    "holes": {
        "kinds": ("ordered",) * 3, "shape": (5, 4, 3), "p_missing": (0.3, 0.1, 0.0),
    },
    "levels": {
        "kinds": ("levels", "ordered", "levels"), "shape": (5, 4, 2), "p_missing": (0.0, 0.2, 0.2),
    },
    "groups": {
        "kinds": ("groups", "ordered", "levels"), "shape": (4, 3, 3), "p_missing": (0.2, 0.0, 0.0),
    },
}  # fmt: skip


MIXED_TARGETS = [
    ("geometric", "observed", "ranks"),
    ("depth", "continuous", "ranks"),
    ("range", "observed", "gaussian"),
    ("range", "continuous", "gaussian"),
]


def mixed_grid(grid, **settings):
    return mixed_problem(**MIXED_GRIDS[grid], n_rows=80, seed=3, p_min=2, max_leaves=6, **settings)


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "target"), thinned(MIXED_GRIDS, MIXED_TARGETS, together=1))
def test_long_runs_with_categories_and_missing_values_agree_with_the_box_program(grid, target):
    tree_prior, rule_prior, rule_draw = target
    problem = mixed_grid(grid, tree_prior=tree_prior, rule_prior=rule_prior)
    posterior = sample(problem, rule_draw=rule_draw)
    assert len(np.unique(posterior.trees.test)) > 1
    check_against_box_program(problem, posterior)


@pytest.mark.parametrize("grid", MIXED_GRIDS)
def test_box_program_agrees_with_the_list_of_all_mixed_trees(grid):
    problem = replace(mixed_grid(grid), max_leaves=3)
    by_size = np.zeros(problem.max_leaves + 1)
    for tree, weight in all_trees(problem).items():
        by_size[tree.count(None)] += weight
    np.testing.assert_allclose(BoxProgram(problem).p_leaves(), by_size / by_size.sum())


@pytest.mark.parametrize("grid", MIXED_GRIDS)
@pytest.mark.parametrize("rule_prior", RULE_PRIORS)
def test_range_prior_sums_to_one_with_categories_and_missing_values(grid, rule_prior):
    problem = replace(
        mixed_grid(grid, tree_prior="range", rule_prior=rule_prior),
        n_classes=1, y=np.zeros(80, dtype=int), p_min=10, max_leaves=8,
    )  # fmt: skip
    program = BoxProgram(problem)
    assert abs(program.by_size(program.whole, 0).sum() - 1.0) < 1e-12


@pytest.mark.parametrize("tree_prior", TREE_PRIORS)
def test_box_program_agrees_with_the_list_of_all_trees(tree_prior):
    problem = grid_problem((3, 3), 20, 4, tree_prior=tree_prior, p_min=2, max_leaves=4)
    weights = all_trees(problem)
    by_size = np.zeros(problem.max_leaves + 1)
    for tree, weight in weights.items():
        by_size[tree.count(None)] += weight
    np.testing.assert_allclose(BoxProgram(problem).p_leaves(), by_size / by_size.sum())


@pytest.mark.parametrize("tree_prior", TREE_PRIORS)
def test_without_data_the_posterior_is_the_prior(tree_prior):
    """One class only: every tree has likelihood one."""
    problem = grid_problem((4, 4), 40, 6, tree_prior=tree_prior, n_classes=1, max_leaves=6)
    posterior = sample(problem, n_moves=400_000, thin=10)
    np.testing.assert_allclose(posterior.log_likelihood, 0.0, atol=1e-9)
    expected = BoxProgram(problem).p_leaves()
    assert total_variation(p_leaves(posterior, problem), expected) < 0.02


@pytest.mark.parametrize("rule_prior", RULE_PRIORS)
def test_range_prior_sums_to_one(rule_prior):
    """Eq. 13 made explicit: without data the weights of all trees are their probabilities."""
    problem = grid_problem(
        (4, 4), 24, 1, tree_prior="range", rule_prior=rule_prior, n_classes=1, p_min=2,
        max_leaves=12,
    )  # fmt: skip
    program = BoxProgram(problem)
    assert abs(program.by_size(program.whole, 0).sum() - 1.0) < 1e-12


def test_without_data_one_variable_has_a_closed_form():
    """Uniform shapes: k - 1 of N cuts, in any order, so P(k) ∝ binom(N, k - 1) / N^(k - 1)."""
    from math import comb

    problem = grid_problem((6,), 12, 8, n_classes=1, max_leaves=6)
    posterior = sample(problem, n_moves=400_000, thin=10)
    expected = np.array([0.0] + [comb(5, k - 1) / 5 ** (k - 1) for k in range(1, 7)])
    found = p_leaves(posterior, problem)
    assert total_variation(found, expected / expected.sum()) < 0.02


def test_the_redrawing_sampler_is_biased():
    """The check above can tell: the paper's redraw fails it."""
    problem = grid_problem((5, 4), 24, 9, p_min=4, max_leaves=6)
    exact = BoxProgram(problem).p_leaves()
    n = 600_000
    rejecting = sample(problem, n_moves=n, thin=10)
    redrawing = sample(problem, n_moves=n, thin=10, redraws=True)
    assert total_variation(p_leaves(rejecting, problem), exact) < 0.01
    assert total_variation(p_leaves(redrawing, problem), exact) > 0.03


def test_threshold_is_uniform_inside_its_gap():
    problem = grid_problem((4, 3), 30, 10, max_leaves=4)
    posterior = sample(problem, n_moves=600_000, thin=10)
    trees = posterior.trees
    for variable in range(problem.n_variables):
        threshold = trees.threshold[trees.variable == variable]
        values = problem.values[variable]
        cut = np.searchsorted(values, threshold, side="right") - 1
        fraction = (threshold - values[cut]) / (values[cut + 1] - values[cut])
        deciles = np.quantile(fraction, np.linspace(0.1, 0.9, 9))
        np.testing.assert_allclose(deciles, np.linspace(0.1, 0.9, 9), atol=0.02)
