"""Cuts whose masks are not stored are counted exactly too."""

import numpy as np
import pytest

from sweeptree import _kernel
from sweeptree.encoding import encode

N_ROWS = 700


def awkward_table(n_classes):
    """Continuous, heavily tied and zero-inflated columns, holes, and many uneven levels."""
    rng = np.random.default_rng(5)
    continuous = rng.normal(size=N_ROWS)
    inflated = np.where(rng.random(N_ROWS) < 0.6, 0.0, rng.normal(size=N_ROWS))
    coarse = rng.integers(0, 5, size=N_ROWS).astype(float)
    skewed = np.exp(3 * rng.normal(size=N_ROWS))
    with_holes = np.where(rng.random(N_ROWS) < 0.2, np.nan, rng.normal(size=N_ROWS))
    levels = np.unique((rng.pareto(0.4, size=N_ROWS)).astype(int), return_inverse=True)[1]
    with_both = np.where(rng.random(N_ROWS) < 0.1, np.nan, rng.permutation(levels))
    with_both = np.unique(with_both, return_inverse=True)[1] + np.where(
        np.isnan(with_both), np.nan, 0.0
    )
    X = np.column_stack([continuous, inflated, coarse, skewed, with_holes, levels, with_both])
    y = (rng.random(N_ROWS) * n_classes * (0.5 + 0.5 * (continuous > 0))).astype(np.int32)
    return X, y, encode(X, y, n_classes, ["ordered"] * 5 + ["levels"] * 2)


def make_chain(table, mask_budget):
    data = _kernel.Data(
        table.n_classes,
        table.labels,
        table.kinds,
        table.n_missing,
        table.order,
        table.values,
        table.value_offsets,
        table.starts,
        table.start_offsets,
        mask_budget,
    )
    alpha = (1.0,) * table.n_classes
    target = _kernel.Target(
        data, "flat", 0.0, 0.9, 1.0, 0.9, "observed", "marginal", (alpha,), 1, 50
    )
    n = table.n_variables
    strategy = _kernel.Strategy(
        (0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.04, 0.04, 0.02),
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
    """Every rule of every variable, in a table with holes and with levels by the hundred."""
    X, y, table = awkward_table(3)
    chain, _ = make_chain(table, mask_budget)
    for variable, column in enumerate(X.T):
        halves = []
        n_values = len(np.unique(column[~np.isnan(column)]))
        n_questions = n_values if table.kinds[variable] == 1 else n_values - 1
        for cut in range(2 * n_questions + 1 if np.isnan(column).any() else n_questions):
            assert chain.plant(*np.array([[variable, -1, -1], [cut, -1, -1]], dtype=np.int32))
            *_, leaf_counts = tree = chain.tree
            leaf = _kernel.Forest(*tree[:-1]).apply(X)[0]
            np.testing.assert_array_equal(leaf_counts[0], np.bincount(y[leaf == 0], minlength=3))
            np.testing.assert_array_equal(leaf_counts[1], np.bincount(y[leaf == 1], minlength=3))
            halves.append(leaf.tobytes())
        assert len(set(halves)) == len(halves)  # no two rules are the same


def test_a_damaged_tree_is_refused_before_the_kernel_walks_it():
    _, _, table = awkward_table(2)
    chain, _ = make_chain(table, 0)
    for variable in ([0, -1], [0, -1, -1, -1], [9, -1, -1], [-2], []):
        cut = np.zeros(len(variable), dtype=np.int32)
        with pytest.raises(ValueError, match=r"complete|variable|fit"):
            chain.plant(np.array(variable, dtype=np.int32), cut)
    for cut in (-1, 10**6):
        with pytest.raises(ValueError, match="no such rule"):
            chain.plant(np.array([0, -1, -1], np.int32), np.array([cut, 0, 0], np.int32))
