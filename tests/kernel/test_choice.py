"""A rule chosen among several by likelihood: as exact as one drawn from the prior."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from test_box_program import (
    GRIDS,
    check_against_box_program,
    mixed_grid,
    sample,
    total_variation,
)
from test_detailed_balance import GRID, MIXED, Kernel, flows, imbalance, problem_of
from test_engines import (
    assert_engines_agree,
    assert_same_trace,
    run,
    strategy_settings,
    target_settings,
)

from combinations import thinned
from exact_answers import all_trees, grid_problem
from sweeptree import BayesianTreeClassifier
from sweeptree.encoding import encode
from sweeptree.engines import ENGINES, ChainFactory
from sweeptree.resolving import strategy_of
from sweeptree.settings import (
    LIKELIHOODS,
    MOST_ROWS_CHOSEN_FOR,
    MOVES,
    RULE_PRIORS,
    TREE_PRIORS,
)


def splits_of_two_leaves(problem, tree):
    """The places of these in a preorder, each with the rows that are there."""
    waiting = [np.arange(len(problem.y))]
    for place, rule in enumerate(tree):
        rows = waiting.pop()
        if rule is None:
            continue
        if tree[place + 1] is None and tree[place + 2] is None:
            yield place, rows
        goes_left = problem.goes_left(problem.ranks[rows, rule[0]], *rule)
        waiting += [rows[~goes_left], rows[goes_left]]


def likelihoods_of_rules(problem, rows):
    """What each rule makes of these rows, worked out without the kernel."""
    found = {}
    for rule in problem.rules():
        goes_left = problem.goes_left(problem.ranks[rows, rule[0]], *rule)
        found[rule] = problem.leaf_weight(rows[goes_left]) * problem.leaf_weight(rows[~goes_left])
    return found


def choices(problem, rows, n_tries):
    """Every rule that may be chosen with the others it was tried with, and the chance of that."""
    weight = likelihoods_of_rules(problem, rows)
    for chosen, *others in product(problem.rules(), repeat=n_tries):
        tried = (chosen, *others)
        if weight[chosen] > 0.0:
            drawn = np.prod([problem.rule_probability(*rule) for rule in tried])
            share = weight[chosen] / sum(weight[rule] for rule in tried)
            yield chosen, others, n_tries * drawn * share  # it may come first, second …


class ChoosingKernel(Kernel):
    """Choices among so many rules, and no other move; mutated, it forgets the other rules."""

    def __init__(self, problem, n_tries, corrects=True):
        super().__init__(problem, p_move=[float(move == "change_split") for move in MOVES])
        self.n_tries = n_tries
        self.corrects = corrects

    def moves_from(self, tree):
        for node, rows in splits_of_two_leaves(self.problem, tree):
            for rule, others, chance in choices(self.problem, rows, self.n_tries):
                yield "change_split", chance, node, (rule, others)

    def propose(self, move, node, rule):
        (variable, cut), others = rule
        tried = {"others_tried": others} if self.corrects else {}
        found = self.chain.propose(move, node, variable=variable, cut=cut, **tried)
        assert found[0], "what has a likelihood can be chosen"
        return found


# Exact


@pytest.mark.parametrize(
    ("tree_prior", "rule_prior", "n_tries"), thinned(TREE_PRIORS, RULE_PRIORS, [2, 3], together=2)
)
def test_choices_are_in_detailed_balance(tree_prior, rule_prior, n_tries):
    problem = grid_problem(
        (3, 3), 24, 3, max_leaves=4, p_min=2, tree_prior=tree_prior, rule_prior=rule_prior
    )
    flow = flows(ChoosingKernel(problem, n_tries), all_trees(problem))
    assert flow.sum() > 0.01
    assert imbalance(flow) < 1e-12


@pytest.mark.parametrize(("mixed", "rule_prior"), thinned(MIXED, RULE_PRIORS, together=1))
def test_choices_are_in_balance_with_categories_and_missing_values(mixed, rule_prior):
    problem = problem_of(mixed, rule_prior=rule_prior)
    flow = flows(ChoosingKernel(problem, 2), all_trees(problem))
    assert flow.sum() > 0.01
    assert imbalance(flow) < 1e-12


def test_chains_make_more_of_several_rules_than_of_one():
    problem = grid_problem(**GRID)
    weights = all_trees(problem)
    one, two = (flows(ChoosingKernel(problem, n), weights) for n in (1, 2))
    assert two.sum() > 1.2 * one.sum()


def test_mutant_that_forgets_that_there_was_a_choice_fails():
    problem = grid_problem(**GRID)
    flow = flows(ChoosingKernel(problem, 2, corrects=False), all_trees(problem))
    assert imbalance(flow) > 1e-4


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("rule_prior", RULE_PRIORS)
def test_rules_are_chosen_as_often_as_the_posterior_says(rule_prior, likelihood):
    """Trees of one or two leaves, nine tenths of the moves choices: it is they that draw."""
    problem = grid_problem(
        (5, 4), 40, 3, max_leaves=2, p_min=2, rule_prior=rule_prior, likelihood=likelihood
    )
    weights = all_trees(problem)
    expected = np.array(list(weights.values())) / sum(weights.values())
    posterior = sample(
        problem, n_moves=300_000, thin=10, n_tries=16, p_move=(0.05, 0.05, 0.9, *[0.0] * 7)
    )
    kernel = Kernel(problem)
    trees = posterior.trees
    flats = np.split(np.arange(len(trees.variable)), trees.node_offsets[1:-1])
    number = {tree: i for i, tree in enumerate(weights)}
    nodes = (trees.variable, trees.test, trees.threshold, trees.missing_left)
    drawn = [number[kernel.tree_of((None, *(each[f] for each in nodes), None))] for f in flats]
    found = np.bincount(np.array(drawn)[posterior.tree_index.ravel()], minlength=len(weights))
    assert total_variation(found / found.sum(), expected) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    ("grid", "tree_prior", "rule_prior"), thinned(GRIDS, TREE_PRIORS, RULE_PRIORS, together=1)
)
def test_long_runs_with_choices_agree_with_the_box_program(grid, tree_prior, rule_prior):
    problem = grid_problem(**GRIDS[grid], tree_prior=tree_prior, rule_prior=rule_prior)
    check_against_box_program(problem, sample(problem, rule_draw="ranks", n_tries=6))


@pytest.mark.slow
@pytest.mark.parametrize("grid", ["holes", "groups"])
def test_long_runs_with_choices_agree_on_categories_and_missing_values(grid):
    problem = mixed_grid(grid, tree_prior="geometric")
    check_against_box_program(problem, sample(problem, rule_draw="ranks", n_tries=6))


@pytest.mark.slow
def test_long_runs_of_tempered_chains_with_choices_agree_with_the_box_program():
    """On a rung rules are weighed by its share of the likelihood; screened or not."""
    problem = grid_problem(**GRIDS["6x6"], learned_alphas=(0.1, 0.3, 1.0, 3.0))
    for screen_every in (1, 4):
        posterior = sample(
            problem, shares=(0.6, 0.3), rule_draw="ranks", n_tries=6, screen_every=screen_every
        )
        check_against_box_program(problem, posterior)


# Where they are made


def noisy_table(n_rows):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(n_rows, 3)), 2)
    y = (X[:, 0] > 0) ^ (rng.random(n_rows) < 0.4)
    return encode(X, y.astype(np.int32), 2)


@pytest.mark.parametrize("n_rows", [MOST_ROWS_CHOSEN_FOR, MOST_ROWS_CHOSEN_FOR + 1])
def test_engines_agree_on_where_choices_are_made(n_rows):
    table = noisy_table(n_rows)
    target = target_settings(table, max_leaves=2)
    assert_engines_agree(table, target, strategy_with(table, 7))


def test_splits_of_many_rows_get_a_rule_from_the_prior():
    """Trees of two leaves at most: with one row too many nothing depends on `n_tries`."""
    for n_rows, differs in ((MOST_ROWS_CHOSEN_FOR, True), (MOST_ROWS_CHOSEN_FOR + 1, False)):
        table = noisy_table(n_rows)
        target = target_settings(table, max_leaves=2)
        one, many = (
            run("kernel", table, target, strategy_with(table, n_tries)) for n_tries in (1, 7)
        )
        if differs:
            assert (one.full_trace[1] != many.full_trace[1]).any()
        else:
            assert_same_trace(one, many)


def strategy_with(table, n_tries):
    return replace(strategy_settings(table, "exact", "reject", "ranks"), n_tries=n_tries)


def test_engines_agree_where_few_rules_leave_both_sides_enough_rows():
    """The present split has the only one; where no try finds it, nothing is drawn by weight."""
    X = np.repeat(np.arange(12.0), [1, 1, 1, 1, 1, 5, 5, 1, 1, 1, 1, 1])[:, np.newaxis]
    table = encode(X, (np.arange(20) % 3 == 0).astype(np.int32), 2)
    target = target_settings(table, min_samples_leaf=10, max_leaves=2)
    kernel, reference = (run(e, table, target, strategy_with(table, 2)) for e in ENGINES)
    assert_same_trace(kernel, reference)
    assert set(kernel.full_trace[0]) == {1, 2}


@pytest.mark.filterwarnings("ignore:The chains have not converged")
def test_only_the_exact_strategy_chooses():
    X, y = np.arange(20.0)[:, np.newaxis], np.arange(20) % 2
    for strategy, chooses in (("exact", True), ("standard", False), ("sweeping", False)):
        model = BayesianTreeClassifier(strategy=strategy, n_draws=5, n_burn_in=5).fit(X, y)
        assert (strategy_of(model, encode(X, y.astype(np.int32), 2)).n_tries > 1) == chooses


def test_kernel_refuses_choices_that_leave_out_a_variable():
    problem = grid_problem(**GRID)
    with pytest.raises(ValueError, match="leaves out the present variable"):
        Kernel(problem, n_tries=2, changes_variable=True)


def test_kernel_refuses_choices_at_other_nodes():
    kernel = Kernel(grid_problem(**GRID))
    kernel.plant(((0, 1), (1, 1), None, None, None))
    with pytest.raises(ValueError, match="two leaves"):
        kernel.chain.propose("change_split", 0, variable=0, cut=0, others_tried=[(0, 1)])


def test_engines_agree_where_the_likelihood_hardly_counts():
    """Early in annealing all rules that are possible weigh about the same."""
    table = noisy_table(120)
    target = target_settings(table, tree_prior="flat", min_samples_leaf=1)
    strategy = strategy_settings(table, "exact", "reject", "ranks", anneal_moves=10**9)
    for start_share in (0.0, 1e-9):
        chains = []
        for engine in ENGINES:
            chain = ChainFactory(engine, table, target, strategy).make(
                np.random.PCG64(1), start_share=start_share, keeps_full_trace=True
            )
            chain.run(400, True)
            chains.append(chain)
        assert_same_trace(*chains)
