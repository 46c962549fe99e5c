"""Cuts whose masks are not stored are counted exactly too."""

import numpy as np
import pytest

from sweeptree import _kernel
from sweeptree.encoding import encode

N_ROWS = 700


def awkward_table(n_classes):
    """Continuous, heavily tied, and zero-inflated columns."""
    rng = np.random.default_rng(5)
    continuous = rng.normal(size=N_ROWS)
    inflated = np.where(rng.random(N_ROWS) < 0.6, 0.0, rng.normal(size=N_ROWS))
    coarse = rng.integers(0, 5, size=N_ROWS).astype(float)
    skewed = np.exp(3 * rng.normal(size=N_ROWS))
    X = np.column_stack([continuous, inflated, coarse, skewed])
    y = (rng.random(N_ROWS) * n_classes * (0.5 + 0.5 * (continuous > 0))).astype(np.int32)
    return X, y, encode(X, y, n_classes)


def make_chain(table, mask_budget):
    data = _kernel.Data(
        table.n_classes,
        table.labels,
        table.order,
        table.values,
        table.starts,
        table.value_offsets,
        mask_budget,
    )
    alpha = (1.0,) * table.n_classes
    target = _kernel.Target(
        data, "flat", 0.0, 0.9, 1.0, 0.9, "observed", "marginal", (alpha,), 1, 50
    )
    n = table.n_variables
    strategy = _kernel.Strategy(
        (0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1),
        redraws=False,
        sweeps=False,
        changes_variable=False,
        rule_draw="ranks",
        tunes=False,
        rule_scale=(0.1,) * n,
        restrict_leaves=0,
        restrict_moves=0,
        anneal_moves=0,
    )
    return _kernel.Chain(target, strategy, np.random.PCG64(3)), data


@pytest.mark.parametrize("n_classes", [2, 5])
def test_chains_do_not_depend_on_how_many_masks_are_stored(n_classes):
    _, _, table = awkward_table(n_classes)
    every_mask, large = make_chain(table, 10**9)
    checkpoints, small = make_chain(table, 0)
    assert small.mask_bytes < large.mask_bytes / 2
    for chain in (every_mask, checkpoints):
        chain.run(20_000, False, 10)
    for name, expected in every_mask.draws.items():
        found = checkpoints.draws[name]
        if name == "trees":
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_array_equal(a, b)
        else:
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mask_budget", [0, 10**9])
def test_leaf_counts_are_those_of_the_rows(mask_budget):
    X, y, table = awkward_table(3)
    chain, _ = make_chain(table, mask_budget)
    for column, threshold in [(0, 0.1), (1, 0.0), (1, -0.3), (2, 1.5), (3, 20.0)]:
        assert chain.plant(np.array([column, -1, -1], dtype=np.int32), np.array([threshold, 0, 0]))
        leaf_counts = chain.tree[3]
        goes_left = X[:, column] <= threshold
        np.testing.assert_array_equal(leaf_counts[0], np.bincount(y[goes_left], minlength=3))
        np.testing.assert_array_equal(leaf_counts[1], np.bincount(y[~goes_left], minlength=3))


def test_a_damaged_tree_is_refused_before_the_kernel_walks_it():
    _, _, table = awkward_table(2)
    chain, _ = make_chain(table, 0)
    for variable in ([0, -1], [0, -1, -1, -1], [9, -1, -1], [-2], []):
        threshold = np.zeros(len(variable))
        with pytest.raises(ValueError, match=r"complete|variable|fit"):
            chain.plant(np.array(variable, dtype=np.int32), threshold)
