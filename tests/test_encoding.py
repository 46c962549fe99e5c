"""Sorting and ranking of columns, against NumPy's."""

import numpy as np
import pytest

from sweeptree.encoding import encode


def awkward_columns(n_rows, rng):
    """Ties, holes, both zeros, values that differ in their last bits, and every magnitude."""
    return {
        "plain": rng.normal(size=n_rows),
        "tied": rng.integers(0, 5, n_rows).astype(float),
        "with holes": np.where(rng.random(n_rows) < 0.3, np.nan, rng.normal(size=n_rows)),
        "close together": 1 + 1e-12 * rng.normal(size=n_rows),
        "constant": np.full(n_rows, 7.0),
        "both zeros": np.where(rng.random(n_rows) < 0.5, -0.0, 0.0),
        "of every size": rng.normal(size=n_rows) * 10.0 ** rng.integers(-300, 300, n_rows),
        "negative": -np.exp(5 * rng.normal(size=n_rows)),
        "empty": np.full(n_rows, np.nan),
    }


def table_of(n_rows):
    rng = np.random.default_rng(n_rows)
    X = np.column_stack(list(awkward_columns(n_rows, rng).values()))
    return X, rng.integers(0, 3, n_rows).astype(np.int32)


def distinct(column):
    return np.unique(column[~np.isnan(column)])


@pytest.mark.parametrize("n_rows", [1, 2, 50, 3000])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_values_and_ranks_are_those_of_numpy(n_rows, layout):
    X, y = table_of(n_rows)
    table = encode(layout(X), y, 3, n_threads=2)
    for variable, column in enumerate(table.columns):
        values = distinct(X[:, column])
        np.testing.assert_array_equal(table.values_of(variable), values)
        is_missing = np.isnan(X[:, column])
        ranks = np.where(is_missing, len(values), np.searchsorted(values, X[:, column]))
        np.testing.assert_array_equal(table.ranks_of(variable), ranks)
        assert table.n_missing[variable] == is_missing.sum()


@pytest.mark.parametrize("n_rows", [1, 50])
def test_only_columns_with_two_different_entries_are_variables(n_rows):
    X, y = table_of(n_rows)
    kept = [c for c in range(X.shape[1]) if len(np.unique(X[:, c])) > 1]
    assert encode(X, y, 3).columns.tolist() == kept


def test_places_follow_the_classes_and_each_class_starts_a_word():
    y = np.array([1, 0, 1, 2, 0], dtype=np.int32)
    table = encode(np.arange(5.0)[:, None], y, 3)
    assert table.places.tolist() == [64, 0, 65, 128, 1]
    assert table.order[0].tolist() == table.places.tolist()
