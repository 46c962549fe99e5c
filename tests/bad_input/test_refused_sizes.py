"""What is too large for the memory, or for a counter."""

import time

import numpy as np
import pytest

from small_table import X, Y, short
from sweeptree.memory import physical_memory

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize(
    ("lengths", "to_lower"),
    [
        ({"n_draws": 10**12}, "n_draws or n_chains"),
        ({"n_chains": 10**12}, "n_draws or n_chains"),
        ({"n_chains": 10**12, "n_draws": "auto"}, "n_chains."),
        ({"trace": "full", "n_burn_in": 10**13}, 'n_burn_in, .* or use trace="draws"'),
        ({"trace": "full", "thin": 10**13}, '.* thin, .* or use trace="draws"'),
    ],
)
def test_draws_that_cannot_be_held_are_refused_at_once(lengths, to_lower):
    start = time.perf_counter()
    with pytest.raises(ValueError, match=rf"need [\d,.]+ [TP]B of memory.*lower {to_lower}"):
        short(**lengths).fit(X, Y)
    assert time.perf_counter() - start < 1.0


@pytest.mark.parametrize(
    "lengths",
    [
        {"n_burn_in": 10**20},
        {"thin": 10**20},
        {"thin": 10**18, "n_draws": 1000},
        {"n_burn_in": 10**20, "n_draws": "auto", "max_moves": None},
        {"thin": 10**20, "n_draws": "auto", "max_moves": 10**30},
    ],
)
def test_moves_that_cannot_be_counted_are_refused_at_once(lengths):
    start = time.perf_counter()
    with pytest.raises(ValueError, match=r"n_burn_in.*thin"):
        short(**lengths).fit(X, Y)
    assert time.perf_counter() - start < 1.0


@pytest.mark.parametrize("budget", [1e15, 1e308])
def test_budget_beyond_any_memory_is_as_good_as_enough(budget):
    expected = short().fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(short(memory_budget=budget).fit(X, Y).predict_proba(X), expected)


@pytest.mark.skipif(physical_memory() is None, reason="the size of the memory is not known")
def test_predictions_that_cannot_be_held_are_refused_at_once():
    model = short(n_draws=20_000, thin=1).fit(X[:, :1], Y)
    n_rows = physical_memory() // (8 * 2 * 20_000 * 2) + 1
    start = time.perf_counter()
    with pytest.raises(ValueError, match=r"need [\d,.]+ GB of memory.*lower the number of rows"):
        model.predict_proba_draws(np.zeros((n_rows, 1)))
    assert time.perf_counter() - start < 1.0
    assert model.predict_proba(np.zeros((10, 1))).shape == (10, 2)
