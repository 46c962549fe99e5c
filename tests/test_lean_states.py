"""A chain whose draws stay at home is the chain that it would have been."""

import numpy as np
import pytest
from numpy.testing import assert_equal

from sweeptree.datasets import make_xor3
from sweeptree.encoding import encode
from sweeptree.engines import ENGINES, Blueprint
from sweeptree.lean_states import with_draws, without_draws
from sweeptree.settings import StrategySettings, TargetSettings


def blueprint_of(engine):
    X, y = make_xor3(60, random_state=0, return_X_y=True)
    target = TargetSettings(
        tree_prior="geometric",
        leaf_penalty=0.3,
        gamma=0.95,
        delta=1.0,
        split_chance=0.95,
        rule_prior="observed",
        likelihood="marginal",
        alphas=((0.5, 0.5), (1.0, 1.0)),
        min_samples_leaf=1,
        max_leaves=60,
    )
    strategy = StrategySettings(
        p_move=(0.25, 0.25, 0.25, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        redraws=False,
        sweeps=False,
        changes_variable=False,
        rule_draw="ranks",
        tunes=False,
        rule_scale=(0.1, 0.1, 0.1),
        restrict_leaves=10,
        restrict_moves=0,
        anneal_moves=40,
    )
    table = encode(X, y.astype(np.int32), 2)
    return Blueprint(engine, table, target, strategy, keeps_full_trace=True)


def new_chain(engine, seed=7):
    return blueprint_of(engine).make(np.random.PCG64(seed), 0.5)


def run_far_away(engine, chain, n_moves, is_burn_in, thin):
    """Run a chain by another one that does not know its draws; return how much was sent."""
    known = chain.state()
    sent = without_draws(known)
    other = new_chain(engine, seed=8)
    other.restore(sent)
    other.run(n_moves, is_burn_in, thin)
    chain.restore(with_draws(known, sent, other.state()))
    return len(sent["draws"]["tree"])


@pytest.mark.parametrize("engine", ENGINES)
def test_pieces_without_draws_make_the_whole(engine):
    whole, pieces = new_chain(engine), new_chain(engine)
    whole.run(50, True)
    run_far_away(engine, pieces, 50, True, 1)
    n_sent = []
    for n_moves, thin in [(1, 1), (1, 1), (7, 3), (40, 1), (2, 5), (300, 2), (40, 1), (3, 1)]:
        whole.run(n_moves, False, thin)
        n_sent.append(run_far_away(engine, pieces, n_moves, False, thin))
        assert_equal(pieces.state(), whole.state())
    assert set(n_sent) == {0, 1}  # with and without a tree to share


@pytest.mark.parametrize("engine", ENGINES)
def test_halved_and_tempered_chains_can_be_sent(engine):
    whole, pieces = new_chain(engine), new_chain(engine)
    for chain in (whole, pieces):
        chain.run(60, False, 1)
        chain.halve_draws()
        chain.temper([0.9, 0.8], 10)
    whole.run(60, False, 2)
    run_far_away(engine, pieces, 60, False, 2)
    assert_equal(pieces.state(), whole.state())
    assert len(pieces.draws["tree"]) == 60


def test_what_is_sent_does_not_grow_with_the_draws():
    chain = new_chain("kernel")
    chain.run(2000, False, 1)
    sent = without_draws(chain.state())
    assert len(sent["draws"]["trees"]["node_offsets"]) <= 2
    assert len(sent["full_trace"]["n_leaves"]) == 0
