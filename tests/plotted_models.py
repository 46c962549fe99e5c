"""Models to draw: with many columns, many classes and long names; and of a mixed table."""

import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from explained_models import fit
from mixed_tables import mixed_table
from sweeptree import plots


class Fitted(NamedTuple):
    model: Any
    X: Any
    y: Any


def long_name(what, number):
    """A name of 60 characters."""
    return f"a {what} whose $name goes on_for quite a while".ljust(57, ".") + f"{number:03d}"


def wide_table(n_rows=300):
    """60 columns, one of them a category of 40 levels, and 25 classes."""
    rng = np.random.default_rng(0)
    names = [long_name("column", number) for number in range(60)]
    X = pd.DataFrame(rng.normal(size=(n_rows, 60)), columns=names)
    levels = np.array([long_name("level", number) for number in range(40)])
    X[names[0]] = levels[rng.integers(0, 40, n_rows)]
    scores = X[names[1]] + 0.3 * X[names[2]] + rng.normal(0, 0.2, n_rows)
    classes = np.array([long_name("class", number) for number in range(25)])
    return X, classes[np.clip(5 * scores + 12, 0, 24).astype(int)]


@cache
def wide():
    X, y = wide_table()
    return Fitted(fit(X, y), X, y)


@cache
def mixed():
    X, y = mixed_table()
    return Fitted(fit(X, y), X, y)


@cache
def odd():
    """Columns that are constant, empty, tiny, huge, or within an hour."""
    rng = np.random.default_rng(0)
    n_rows = 80
    X = pd.DataFrame(
        {
            "constant": np.ones(n_rows),
            "huge": rng.normal(5e9, 1e9, n_rows),
            "tiny": rng.normal(0, 1e-9, n_rows),
            "flag": pd.array(rng.choice(np.array([True, False, None]), n_rows), dtype="boolean"),
            "within an hour": pd.Timestamp("2024-05-01 12:00")
            + pd.to_timedelta(rng.integers(0, 3600, n_rows), unit="s"),
            "empty": np.full(n_rows, np.nan),
        }
    )
    y = np.where(X["huge"] > 5e9, "a", "b")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No row has a value in column 'empty'")
        return Fitted(fit(X, y), X, y)


@cache
def without_splits():
    X, y = mixed_table()
    return Fitted(fit(X, y, max_leaves=1), X, y)


@cache
def of_one_draw():
    X, y = mixed_table()
    return Fitted(fit(X, y, n_chains=1, n_draws=1), X, y)


@cache
def of_many_chains():
    X, y = mixed_table()
    return Fitted(fit(X, y, n_chains=12, n_draws=5), X, y)


@cache
def fully_traced():
    X, y = mixed_table()
    return Fitted(fit(X, y, strategy="sweeping", trace="full"), X, y)


@cache
def plugged_in():
    X, y = mixed_table()
    return Fitted(fit(X, y, likelihood="plug-in"), X, y)


PLOTS = {
    "trace": lambda m, X, y: plots.plot_trace(m),
    "sizes": lambda m, X, y: plots.plot_sizes(m),
    "moves": lambda m, X, y: plots.plot_moves(m),
    "map tree": lambda m, X, y: plots.plot_tree(m),
    "central tree": lambda m, X, y: plots.plot_tree(m, "central"),
    "variable use": lambda m, X, y: plots.plot_variable_use(m),
    "calibration": lambda m, X, y: plots.plot_calibration(m, X, y),
    "entropy": lambda m, X, y: plots.plot_entropy(m, X, y),
    "envelope": lambda m, X, y: plots.plot_envelope(m, X, y),
    "coverage": lambda m, X, y: plots.plot_coverage(m, X, y),
    "case": lambda m, X, y: plots.plot_case(m, X.iloc[0]),
}
"""Every plot that needs no column to be named."""


def by_column(column):
    """Plots of one column."""
    return {
        "rule density": lambda m, X, y: plots.plot_rule_density(m, column),
        "partial dependence": lambda m, X, y: plots.plot_partial_dependence(m, X, column),
    }


def partition(*columns):
    return lambda m, X, y: plots.plot_partition(m, *columns)


@cache
def thirty_leaves():
    """A large tree, with long names."""
    rng = np.random.default_rng(0)
    names = [long_name("column", number) for number in range(4)]
    X = pd.DataFrame(rng.normal(size=(440, 4)), columns=names)
    checks = (X > 0).sum(axis=1) + (X[names[0]] > 1) + 2 * (X[names[1]] < -0.8)
    y = np.array([long_name("class", number) for number in range(5)])[checks % 5]
    model = fit(X, y, leaf_penalty=0.0, n_burn_in=10_000)
    return model.representative_tree("map")
