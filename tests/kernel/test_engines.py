"""The kernel and the reference engine make the same moves from the same seed."""

from dataclasses import replace

import numpy as np
import pytest

from combinations import thinned
from sweeptree.encoding import encode
from sweeptree.engines import ChainFactory
from sweeptree.posterior import Trees
from sweeptree.settings import (
    LIKELIHOODS,
    MOVES,
    RULE_PRIORS,
    STRATEGIES,
    TREE_PRIORS,
    StrategySettings,
    TargetSettings,
)

N_BURN_IN, N_SAMPLING, THIN = 600, 900, 5


def small_table(n_classes=3, n_rows=80, seed=0):
    """Ties, a coarse variable, a constant column, and classes with an interaction."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n_rows, 4)), 1)
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] = 7.0
    y = (X[:, 0] * X[:, 1] > 0).astype(np.int32) + (X[:, 2] > 0.5)
    return encode(X, np.minimum(y, n_classes - 1).astype(np.int32), n_classes)


def target_settings(table, **changes):
    settings = {
        "tree_prior": "uniform",
        "leaf_penalty": 0.7,
        "gamma": 0.95,
        "delta": 1.0,
        "split_chance": 0.9,
        "rule_prior": "observed",
        "likelihood": "marginal",
        "alphas": ((1.0,) * table.n_classes,),
        "min_samples_leaf": 3,
        "max_leaves": table.n_rows // 3,
    }
    return TargetSettings(**(settings | changes))


PAPER_MOVES = (0.2, 0.2, 0.2, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ALL_MOVES = (0.15, 0.15, 0.1, 0.18, 0.1, 0.1, 0.07, 0.05, 0.05, 0.05)


def strategy_settings(table, strategy, unavailable, rule_draw, anneal_moves=0, screen_every=1):
    habits = STRATEGIES[strategy]
    return StrategySettings(
        p_move=ALL_MOVES if strategy == "exact" else PAPER_MOVES,
        redraws=unavailable == "redraw",
        sweeps=habits.sweeps,
        changes_variable=habits.changes_variable,
        rule_draw=rule_draw,
        tunes=rule_draw == "gaussian",
        rule_scale=(0.1,) * table.n_variables,
        restrict_leaves=3,
        restrict_moves=300 if habits.restricts else 0,
        anneal_moves=anneal_moves,
        n_tries=5 if strategy == "exact" else 1,
        screen_every=screen_every,
    )


def run(engine, table, target, strategy, start_share=0.0):
    chain = ChainFactory(engine, table, target, strategy).make(
        np.random.PCG64(1), start_share=start_share, keeps_full_trace=True
    )
    chain.run(N_BURN_IN, True)
    chain.run(N_SAMPLING, False, THIN)
    return chain


def assert_same_trace(a, b):
    np.testing.assert_array_equal(a.full_trace[0], b.full_trace[0])
    np.testing.assert_allclose(a.full_trace[1], b.full_trace[1], atol=1e-8)
    np.testing.assert_array_equal(a.counts, b.counts)
    np.testing.assert_allclose(a.rule_scale, b.rule_scale, rtol=1e-12)
    draws_a, draws_b = a.draws, b.draws
    for name in ("n_leaves", "depth", "alpha", "tree"):
        np.testing.assert_array_equal(draws_a[name], draws_b[name])
    for name in ("log_likelihood", "log_prior"):
        np.testing.assert_allclose(draws_a[name], draws_b[name], atol=1e-8)
    for name, mine, yours in zip(
        ("node_offsets", "variable", "test", "threshold", "missing_left", "leaf_counts"),
        draws_a["trees"],
        draws_b["trees"],
        strict=True,
    ):
        np.testing.assert_allclose(mine, yours, rtol=1e-12, err_msg=name)


def assert_same_draws(a, b):
    """Bit by bit, trees included."""
    for name in ("n_leaves", "depth", "log_likelihood", "log_prior", "alpha", "tree"):
        np.testing.assert_array_equal(a[name], b[name])
    for mine, yours in zip(a["trees"], b["trees"], strict=True):
        np.testing.assert_array_equal(mine, yours)


def assert_engines_agree(table, target, strategy, start_share=0.0):
    kernel = run("kernel", table, target, strategy, start_share)
    reference = run("reference", table, target, strategy, start_share)
    assert_same_trace(kernel, reference)
    made = kernel.counts.sum(axis=(0, 1))
    assert made[0] > 50, "a chain that never moves would prove little"


QUICK = [
    ("standard", "redraw", "prior"),
    ("restricting", "reject", "prior"),
    ("sweeping", "redraw", "gaussian"),
    ("exact", "reject", "ranks"),
]


@pytest.mark.parametrize(("strategy", "unavailable", "rule_draw"), QUICK)
@pytest.mark.parametrize("tree_prior", TREE_PRIORS)
def test_engines_make_the_same_moves(tree_prior, strategy, unavailable, rule_draw):
    table = small_table()
    rule_prior = STRATEGIES[strategy].rule_prior
    target = target_settings(table, tree_prior=tree_prior, rule_prior=rule_prior)
    assert_engines_agree(table, target, strategy_settings(table, strategy, unavailable, rule_draw))


# Each strategy with its own habits, and with others.
WALKS = [
    *QUICK,
    ("standard", "reject", "gaussian"),
    ("restricting", "redraw", "ranks"),
    ("sweeping", "reject", "prior"),
    ("exact", "redraw", "gaussian"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tree_prior", "likelihood", "rule_prior", "walk"),
    thinned(TREE_PRIORS, LIKELIHOODS, RULE_PRIORS, WALKS),
)
def test_engines_make_the_same_moves_under_every_setting(tree_prior, likelihood, rule_prior, walk):
    table = small_table()
    target = target_settings(
        table, tree_prior=tree_prior, likelihood=likelihood, rule_prior=rule_prior
    )
    assert_engines_agree(table, target, strategy_settings(table, *walk))


def mixed_table(category_rules, n_rows=120):
    """Holes, levels, a category of two levels, and a column that is constant but for its holes."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, [9, 5, 4, 3, 2, 1], size=(n_rows, 6)).astype(float)
    X[rng.random(X.shape) < [0.3, 0.1, 0.2, 0.0, 0.0, 0.4]] = np.nan
    y = (np.nan_to_num(X[:, 0], nan=6) > 4) ^ (X[:, 1] == 2)
    kinds = ["ordered", category_rules, category_rules, "ordered", "levels", "ordered"]
    return encode(X, y + (X[:, 2] == 1).astype(np.int32), 3, kinds)


@pytest.mark.parametrize("category_rules", ["levels", "groups"])
@pytest.mark.parametrize(("strategy", "unavailable", "rule_draw"), QUICK)
def test_engines_agree_on_categories_and_missing_values(
    category_rules, strategy, unavailable, rule_draw
):
    table = mixed_table(category_rules)
    rule_prior = STRATEGIES[strategy].rule_prior
    target = target_settings(table, tree_prior="geometric", rule_prior=rule_prior)
    assert_engines_agree(table, target, strategy_settings(table, strategy, unavailable, rule_draw))


@pytest.mark.parametrize("tree_prior", ["flat", "range"])
@pytest.mark.parametrize("category_rules", ["levels", "groups"])
def test_engines_agree_on_transpositions(category_rules, tree_prior):
    """Of which there are many where columns have few values."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, [2, 3, 3, 4], size=(150, 4)).astype(float)
    X[rng.random(X.shape) < [0.0, 0.2, 0.2, 0.1]] = np.nan
    y = (np.nan_to_num(X[:, 1], nan=1) > X[:, 0]) ^ (X[:, 3] == 2)
    kinds = ["ordered", "ordered", "levels", category_rules]
    table = encode(X, y.astype(np.int32), 2, kinds)
    target = target_settings(table, tree_prior=tree_prior, min_samples_leaf=1, max_leaves=40)
    strategy = replace(
        strategy_settings(table, "exact", "reject", "ranks"),
        p_move=(0.15, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05, 0.25),
    )
    assert_engines_agree(table, target, strategy)
    made = run("kernel", table, target, strategy).counts.sum(axis=0)
    assert made[MOVES.index("transpose"), 0] > 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tree_prior", "rule_prior", "walk", "category_rules"),
    thinned(["geometric", "range"], RULE_PRIORS, WALKS, ["levels", "groups"]),
)
def test_engines_agree_on_categories_and_missing_values_under_every_setting(
    tree_prior, rule_prior, walk, category_rules
):
    table = mixed_table(category_rules)
    target = target_settings(table, tree_prior=tree_prior, rule_prior=rule_prior)
    assert_engines_agree(table, target, strategy_settings(table, *walk))


@pytest.mark.parametrize("n_classes", [2, 7])
def test_engines_agree_on_other_numbers_of_classes_and_uneven_alpha(n_classes):
    rng = np.random.default_rng(3)
    y = rng.integers(n_classes, size=150).astype(np.int32)
    X = rng.normal(size=(150, 3)) + y[:, None]
    table = encode(X, y, n_classes)
    alpha = tuple(0.2 + 0.3 * c for c in range(n_classes))
    target = target_settings(table, alphas=(alpha,), tree_prior="flat", min_samples_leaf=1)
    assert_engines_agree(table, target, strategy_settings(table, "sweeping", "redraw", "gaussian"))


LEARNED_ALPHAS = tuple((alpha,) * 3 for alpha in (0.01, 0.05, 0.2, 1.0))


@pytest.mark.parametrize(("strategy", "unavailable", "rule_draw"), QUICK)
def test_engines_agree_while_they_learn_alpha(strategy, unavailable, rule_draw):
    table = small_table()
    target = target_settings(table, alphas=LEARNED_ALPHAS, tree_prior="geometric")
    settings = strategy_settings(table, strategy, unavailable, rule_draw)
    assert_engines_agree(table, target, settings)
    assert len(np.unique(run("kernel", table, target, settings).draws["alpha"])) > 1


ALPHAS = {"fixed": LEARNED_ALPHAS[:1], "learned": LEARNED_ALPHAS}


@pytest.mark.parametrize(
    ("tree_prior", "alpha", "start_share"), thinned(["flat", "range"], ALPHAS, [0.0, 0.4])
)
def test_engines_agree_while_annealing(tree_prior, alpha, start_share):
    table = small_table()
    target = target_settings(
        table, tree_prior=tree_prior, min_samples_leaf=1, max_leaves=80, alphas=ALPHAS[alpha]
    )
    strategy = strategy_settings(table, "exact", "reject", "ranks", anneal_moves=900)
    assert_engines_agree(table, target, strategy, start_share)


def run_tempered(engine, table, target, strategy, shares):
    """Tempered in the middle of the burn-in, and once more before the sampling."""
    chain = ChainFactory(engine, table, target, strategy).make(
        np.random.PCG64(1), keeps_full_trace=True
    )
    chain.run(300, True)
    chain.temper(shares[:-1], 20)
    chain.run(300, True)
    chain.temper(shares[-1:], 7)
    chain.run(1_200, False, THIN)
    return chain


@pytest.mark.parametrize(
    ("tree_prior", "alpha", "anneal_moves"),
    thinned(["geometric", "depth", "range"], ALPHAS, [0, 500]),
)
def test_engines_agree_while_tempered(tree_prior, alpha, anneal_moves):
    table = small_table()
    target = target_settings(table, tree_prior=tree_prior, alphas=ALPHAS[alpha])
    strategy = strategy_settings(table, "exact", "reject", "ranks", anneal_moves)
    kernel, reference = (
        run_tempered(engine, table, target, strategy, [0.9, 0.8, 0.6])
        for engine in ("kernel", "reference")
    )
    assert_same_trace(kernel, reference)
    assert kernel.counts[1].sum() == 1_200  # those of the walker that samples


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_walkers_that_come_later_have_the_steps_as_tuned(engine):
    table = small_table()
    strategy = strategy_settings(table, "exact", "reject", "gaussian")
    chain = ChainFactory(engine, table, target_settings(table), strategy).make(np.random.PCG64(1))
    chain.run(300, True)
    chain.temper([0.9, 0.8], 20)
    first, *others = (walker["rule_scale"] for walker in chain.state()["walkers"])
    assert (first != 0.1).any()
    for scale in others:
        np.testing.assert_array_equal(scale, first)


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_thresholds_stay_inside_a_range_that_is_as_narrow_as_doubles_are(engine):
    """Where they are rounded, rules are still drawn as from the same column from 0 to 1."""
    found = []
    for lowest in (0.0, 1.7e15):
        X = np.repeat([lowest, lowest + 1.0], 10)[:, np.newaxis]
        y = np.arange(20, dtype=np.int32) % 3 // 2
        table = encode(X, y, 2)
        target = target_settings(table, tree_prior="flat", rule_prior="continuous")
        found.append(
            run(engine, table, target, strategy_settings(table, "exact", "reject", "prior"))
        )
    a, b = found
    np.testing.assert_array_equal(a.full_trace[0], b.full_trace[0])
    np.testing.assert_array_equal(a.counts, b.counts)
    assert len(set(a.full_trace[0])) > 1


def test_engines_agree_where_every_rule_splits_and_every_node_is_split():
    X = np.repeat(np.arange(2.0), 20)[:, np.newaxis] + np.zeros(49)
    table = encode(X, np.arange(40, dtype=np.int32) % 2, 2)
    target = target_settings(table, tree_prior="range", split_chance=1.0)
    priors = [
        ChainFactory(engine, table, target, strategy_settings(table, "exact", "reject", "prior"))
        .make(np.random.PCG64(1))
        .log_prior
        for engine in ("kernel", "reference")
    ]
    assert priors == [-np.inf, -np.inf]


@pytest.mark.parametrize("shares", [[1.0], [0.5, 0.6], [0.5, 0.0]])
def test_kernel_refuses_shares_that_do_not_fall(shares):
    with pytest.raises(ValueError, match="fall"):
        new_chain("kernel").temper(shares, 100)


def test_engines_agree_with_few_leaves_allowed():
    table = small_table()
    target = target_settings(table, tree_prior="flat", max_leaves=3)
    strategy = strategy_settings(table, "standard", "redraw", "prior")
    kernel = run("kernel", table, target, strategy)
    assert_same_trace(kernel, run("reference", table, target, strategy))
    assert kernel.full_trace[0].max() == 3


def test_slices_of_a_run_do_not_change_it():
    table = small_table()
    target = target_settings(table)
    strategy = strategy_settings(table, "sweeping", "redraw", "gaussian")
    whole = run("kernel", table, target, strategy)
    sliced = ChainFactory("kernel", table, target, strategy).make(
        np.random.PCG64(1), keeps_full_trace=True
    )
    for n in (1, 299, 300):
        sliced.run(n, True)
    for n in (7, 2, 491, 400):
        sliced.run(n, False, THIN)
    assert_same_trace(whole, sliced)


def test_slices_of_a_tempered_run_do_not_change_it():
    """Wherever it is cut, between exchanges or at one."""
    whole, sliced = new_chain("kernel"), new_chain("kernel")
    for chain, lengths in ((whole, [600]), (sliced, [7, 33, 60, 1, 499])):
        chain.temper([0.9, 0.8], 20)
        for n in lengths:
            chain.run(n, False, THIN)
    assert_same_draws(whole.draws, sliced.draws)
    np.testing.assert_array_equal(whole.counts, sliced.counts)


GOLDEN_N_LEAVES = [2, 6, 6, 5, 5, 6, 5, 6, 5, 6]
GOLDEN_COUNTS = [
    [103, 0, 334, 0],
    [48, 375, 2, 0],
    [19, 267, 122, 18],
    [134, 504, 214, 32],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
]


def test_golden_trace():
    """Pinned integers: a change of the random stream's use must be a decision, not an accident."""
    table = small_table()
    strategy = strategy_settings(table, "sweeping", "redraw", "gaussian")
    target = target_settings(
        table, tree_prior="flat", likelihood="plug-in", rule_prior="continuous"
    )
    chain = run("kernel", table, target, strategy)
    assert chain.full_trace[0][::150].tolist() == GOLDEN_N_LEAVES
    assert chain.counts.sum(axis=0).tolist() == GOLDEN_COUNTS


# Halving


def trees_by_draw(draws):
    """What each draw's tree is, as bytes."""
    all_trees = Trees.from_engine(*draws["trees"])
    leaf_offsets = all_trees.leaf_offsets
    trees = [
        (rules, all_trees.leaf_counts[leaf_offsets[t] : leaf_offsets[t + 1]].tobytes())
        for t, rules in enumerate(all_trees.rules_as_bytes())
    ]
    assert sorted(set(draws["tree"].tolist())) == list(range(len(trees)))
    return [trees[t] for t in draws["tree"]]


def new_chain(engine, anneal_moves=0):
    table = small_table()
    strategy = strategy_settings(table, "exact", "reject", "ranks", anneal_moves)
    factory = ChainFactory(engine, table, target_settings(table), strategy)
    return factory.make(np.random.PCG64(1))


@pytest.mark.parametrize("engine", ["kernel", "reference"])
@pytest.mark.parametrize("thin", [1, 7])  # at 1 most draws share their tree with the one before
def test_halving_keeps_every_second_draw(engine, thin):
    chain = new_chain(engine)
    chain.run(700, False, thin)
    before = chain.draws
    chain.halve_draws()
    after = chain.draws
    for name in ("n_leaves", "depth", "log_likelihood", "log_prior"):
        np.testing.assert_array_equal(after[name], before[name][1::2])
    assert trees_by_draw(after) == trees_by_draw(before)[1::2]


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_chain_that_was_halved_goes_on_as_one_with_twice_the_interval(engine):
    halved, plain = new_chain(engine), new_chain(engine)
    halved.run(200, True, 1)
    halved.run(400, False, 1)
    halved.halve_draws()
    halved.run(400, False, 2)
    halved.halve_draws()
    halved.run(404, False, 4)
    plain.run(200, True, 4)
    plain.run(1204, False, 4)
    assert_same_draws(halved.draws, plain.draws)


def test_engines_halve_alike():
    kernel, reference = new_chain("kernel"), new_chain("reference")
    for chain in (kernel, reference):
        chain.run(600, False, 3)
        chain.halve_draws()
        chain.run(66, False, 6)
    a, b = kernel.draws, reference.draws
    np.testing.assert_array_equal(a["tree"], b["tree"])
    np.testing.assert_allclose(a["log_likelihood"], b["log_likelihood"], atol=1e-8)
    for mine, yours in zip(a["trees"], b["trees"], strict=True):
        np.testing.assert_allclose(mine, yours, rtol=1e-12)


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_odd_number_of_draws_cannot_be_halved(engine):
    chain = new_chain(engine)
    chain.halve_draws()  # nothing yet
    chain.run(3, False, 1)
    with pytest.raises(ValueError, match="even number"):
        chain.halve_draws()


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_annealing_ends_with_the_burn_in(engine):
    annealed, plain = new_chain(engine, anneal_moves=10**6), new_chain(engine)
    for chain in (annealed, plain):
        chain.run(500, False, 1)
    assert_same_draws(annealed.draws, plain.draws)
    assert annealed.n_leaves > 1
