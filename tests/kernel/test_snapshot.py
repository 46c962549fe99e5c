"""A chain that is taken down and restored goes on as if nothing had happened, bit by bit."""

import copy

import numpy as np
import pytest
from test_engines import (
    QUICK,
    assert_same_draws,
    assert_same_trace,
    small_table,
    strategy_settings,
    target_settings,
)

from sweeptree.engines import ENGINES, ChainFactory
from sweeptree.settings import LIKELIHOODS, STRATEGIES, TREE_PRIORS

LENGTHS = {"kernel": 3_000, "reference": 200}
THIN = 7


def make_chain(engine, seed=1, **settings):
    """A chain of any kind: the strategy's own habits, unless told otherwise."""
    table = small_table(n_rows=60)
    strategy = settings.pop("strategy", "exact")
    unavailable, rule_draw = next(walk[1:] for walk in QUICK if walk[0] == strategy)
    target = target_settings(table, rule_prior=STRATEGIES[strategy].rule_prior, **settings)
    walk = strategy_settings(table, strategy, unavailable, rule_draw, anneal_moves=150)
    return ChainFactory(engine, table, target, walk).make(
        np.random.PCG64(seed), start_share=0.25, keeps_full_trace=True
    )


def temper(chain):
    chain.temper([0.9, 0.7], 11)


def assert_goes_on_alike(engine, n_burn_in, n_sampling, prepare=lambda chain: None, **settings):
    undisturbed = make_chain(engine, **settings)
    prepare(undisturbed)
    undisturbed.run(n_burn_in, True)
    undisturbed.run(n_sampling, False, THIN)
    restored = make_chain(engine, seed=2, **settings)
    restored.restore(undisturbed.state())
    for chain in (undisturbed, restored):
        chain.run(LENGTHS[engine], n_sampling == 0)
        chain.run(LENGTHS[engine], False, THIN)
    assert_same_draws(undisturbed.draws, restored.draws)
    for mine, yours in zip(undisturbed.full_trace, restored.full_trace, strict=True):
        np.testing.assert_array_equal(mine, yours)
    np.testing.assert_array_equal(undisturbed.counts, restored.counts)
    assert undisturbed.rule_scale == restored.rule_scale
    assert undisturbed.log_likelihood == restored.log_likelihood
    assert undisturbed.log_prior == restored.log_prior
    assert undisturbed.counts[..., 0].sum() > 20, "a chain that never moves would prove little"


GRID = tuple((total / 3,) * 3 for total in (0.3, 1.0, 3.0))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("tree_prior", TREE_PRIORS)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_restored_chain_goes_on_alike(strategy, tree_prior, likelihood):
    alphas = GRID if likelihood == "marginal" else GRID[:1]
    settings = {"strategy": strategy, "tree_prior": tree_prior, "likelihood": likelihood}
    assert_goes_on_alike("kernel", 2_000, 501, alphas=alphas, **settings)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("tree_prior", ["geometric", "range"])
def test_restored_chain_of_the_reference_goes_on_alike(strategy, tree_prior):
    assert_goes_on_alike(
        "reference", 200, 51, strategy=strategy, tree_prior=tree_prior, alphas=GRID
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("n_burn_in", "n_sampling"), [(0, 0), (100, 0), (0, 1), (160, 70)])
def test_tempered_chain_can_be_taken_down_anywhere(engine, n_burn_in, n_sampling):
    assert_goes_on_alike(engine, n_burn_in, n_sampling, temper)


@pytest.mark.parametrize("engine", ENGINES)
def test_chain_whose_draws_were_halved_goes_on_alike(engine):
    def burn_in_and_halve(chain):
        chain.run(200, True)
        chain.run(40 * THIN, False, THIN)
        chain.halve_draws()

    assert_goes_on_alike(engine, 0, 51, burn_in_and_halve)


@pytest.mark.parametrize("engine", ENGINES)
def test_chain_is_restored_again_and_again(engine):
    """Whether the next draw may share the last tree is known, too."""
    undisturbed, chain = make_chain(engine), make_chain(engine)
    temper(undisturbed)
    temper(chain)
    for n_moves in range(1, 25):
        undisturbed.run(n_moves, False, 3)
        chain.run(n_moves, False, 3)
        state, chain = chain.state(), make_chain(engine, seed=n_moves)
        chain.restore(state)
    assert_same_draws(undisturbed.draws, chain.draws)
    assert len(undisturbed.draws["tree"]) > len(undisturbed.draws["trees"][0])


@pytest.mark.parametrize(("taken", "restored"), [ENGINES, ENGINES[::-1]])
def test_engines_take_down_alike(taken, restored):
    first = make_chain(taken, alphas=GRID)
    temper(first)
    first.run(300, True)
    first.run(51, False, THIN)
    second = make_chain(restored, seed=2, alphas=GRID)
    second.restore(first.state())
    for chain in (first, second):
        chain.run(500, False, THIN)
    assert_same_trace(first, second)


def test_state_is_a_copy():
    chain = make_chain("kernel")
    chain.run(500, False, THIN)
    state = chain.state()
    before = copy.deepcopy(state)
    chain.run(5000, False, THIN)
    np.testing.assert_equal(state, before)


# What is refused


@pytest.fixture(scope="module")
def state():
    chain = make_chain("kernel", alphas=GRID)
    temper(chain)
    chain.run(300, True)
    chain.run(101, False, THIN)
    return chain.state()


def parts_of(state):
    """Every mapping or list with a key of it, all the way down."""
    for key, value in state.items() if isinstance(state, dict) else enumerate(state):
        yield state, key
        if isinstance(value, dict | list):
            yield from parts_of(value)


def spoilt(value, rng):
    """Something else in the place of a value."""
    if not isinstance(value, np.ndarray):
        return rng.choice([None, -1, 2**62, np.nan, "x", -1e300])
    match rng.integers(6):
        case 0:
            return value[:-1]
        case 1:
            return np.append(value, value[-1:] if len(value) else 1).astype(value.dtype)
        case 2:
            return value.astype(np.float32)
        case 3:
            return value.reshape(1, -1)
    spoilt = value.copy()
    highest = np.iinfo(value.dtype).max if value.dtype.kind in "iu" else np.inf
    if len(value):
        odd = rng.choice(
            [0, 1, 2, 3, 255, highest]
            if value.dtype.kind == "u"
            else [-2, -1, 0, 1, 3, 1000, highest]
        )
        spoilt[rng.integers(len(value))] = odd
    return spoilt


@pytest.mark.parametrize("engine", ENGINES)
def test_spoilt_state_is_refused_or_can_be_run(engine, state):
    """It may be another state that makes sense; it must never break anything."""
    rng = np.random.default_rng(0)
    n_trials, n_refused = (400, 0) if engine == "kernel" else (100, 0)
    for _ in range(n_trials):
        spoilt_state = copy.deepcopy(state)
        places = [place for place in parts_of(spoilt_state) if place[1] != "random"]
        holder, key = places[rng.integers(len(places))]
        if rng.random() < 0.1 and isinstance(holder, dict):
            del holder[key]
        else:
            holder[key] = spoilt(holder[key], rng)
        chain = make_chain(engine, alphas=GRID)
        try:
            chain.restore(spoilt_state)
        except ValueError:
            n_refused += 1
        chain.run(40, False, THIN)
        chain.draws  # noqa: B018
        chain.state()
    assert n_refused > n_trials / 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda s: s["walkers"][0]["variable"].put(0, 99), "outside the table"),
        (lambda s: s["walkers"][1]["cut"].put(0, 9999), "outside the table"),
        (lambda s: s["walkers"][0]["leaves"].put(0, 0), "set of nodes"),
        (lambda s: s["walkers"][0].update(alpha=3), "no such alpha"),
        (lambda s: s["walkers"].pop(), "share of the likelihood"),
        (lambda s: s["shares"].put(2, 0.99), "shares must fall"),
        (lambda s: s["draws"]["tree"].put(0, 10**6), "no such tree"),
        (lambda s: s["draws"]["trees"]["variable"].put(0, -1), "too many nodes"),
        (lambda s: s.update(n_since_draw=-1), "n_since_draw"),
        (lambda s: s["counts"].put(3, 2**63 - 1), "counts of moves"),
        (lambda s: s["walkers"][1].update(n_moves_made=2**62), "number of moves"),
        (lambda s: s["walkers"][0].update(n_moves_made=2**60), "too far apart"),
        (lambda s: s["walkers"][2].update(n_moves_made=0), "too far apart"),
        (lambda s: s["walkers"][0]["n_tried"].put(0, 2**63 - 1), "number of tries"),
        (lambda s: s.pop("shares"), "shares"),
    ],
)
def test_refusal_says_what_is_wrong(engine, spoil, words, state):
    spoilt_state = copy.deepcopy(state)
    spoil(spoilt_state)
    with pytest.raises(ValueError, match=words):
        make_chain(engine, alphas=GRID).restore(spoilt_state)
