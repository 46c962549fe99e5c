"""Small tables of every kind, good and bad, for tests that draw their cases at random."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

EPSILON = np.finfo(float).eps


def with_holes(values, rng):
    """Leave some values out; of what cannot be NaN, an object array with None is made."""
    is_hole = rng.random(len(values)) < 0.3
    if values.dtype.kind == "M":
        return np.where(is_hole, np.datetime64("NaT", "us"), values)
    if values.dtype.kind == "f":
        return np.where(is_hole, np.nan, values)
    return np.where(is_hole, None, values.astype(object))


def text(levels):
    return lambda rng, n: rng.choice(np.array(levels, dtype=object), n)


def days(rng, n):
    return np.datetime64("2024-01-01", "us") + rng.integers(0, 900, n).astype("timedelta64[D]")


COLUMNS = {
    "numbers": lambda rng, n: rng.normal(size=n),
    "numbers with holes": lambda rng, n: with_holes(rng.normal(size=n), rng),
    "repeated": lambda rng, n: rng.integers(-2, 3, n),
    "repeated with holes": lambda rng, n: with_holes(rng.integers(-2, 3, n).astype(float), rng),
    "constant": lambda rng, n: np.full(n, 7.5),
    "constant with holes": lambda rng, n: with_holes(np.full(n, 7.5), rng),
    "zeros of both signs": lambda rng, n: rng.choice([-0.0, 0.0], n),
    "huge": lambda rng, n: rng.uniform(-8e307, 8e307, n),
    "tiny": lambda rng, n: rng.choice([0.0, 5e-324, 1e-310, -1e-300], n),
    "all magnitudes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
    "next to each other": lambda rng, n: 1 + EPSILON * rng.integers(0, 3, n),
    "long integers": lambda rng, n: rng.integers(1 - 2**53, 2**53, n),
    "booleans": lambda rng, n: rng.random(n) < 0.5,
    "booleans with holes": lambda rng, n: with_holes(rng.random(n) < 0.5, rng),
    "text": text(["a", "b", "c"]),
    "text with holes": lambda rng, n: with_holes(text(["a", "b"])(rng, n), rng),
    "odd text": text(["", " ", "<b>", "\u202eאבג", "nan", "1"]),
    "many levels": text([f"level {i}" for i in range(20)]),
    "one level": text(["only"]),
    "days": days,
    "days with holes": lambda rng, n: with_holes(days(rng, n), rng),
    "no numbers": lambda rng, n: np.full(n, np.nan),
    "nothing": lambda rng, n: np.full(n, None),
}
NO_CODES = {"days", "days with holes", "huge", "all magnitudes"}
N_NEW = 8
"""Rows to predict."""
NEW_LEVEL = "a level that was not there"

WRONG_COLUMNS = {
    "infinite": lambda rng, n: np.where(np.arange(n) == n - 1, -np.inf, rng.normal(size=n)),
    "too wide": lambda rng, n: np.where(np.arange(n) == 0, -1e308, 1e308),
    "numbers and text": lambda rng, n: np.array([1.5, *["a"] * (n - 1)], dtype=object),
    "sets": lambda rng, n: np.array([set()] * n, dtype=object),
}

LABELS = {
    "text": lambda places: np.array(["no", "yes", "perhaps", "never", "often"])[places],
    "objects": lambda places: np.array(list("edcba"), dtype=object)[places],
    "integers": lambda places: places * 1000 - 1,
    "bytes of integers": lambda places: places.astype(np.int8),
    "whole floats": lambda places: places.astype(float),
    "booleans": lambda places: places > 0,
}
WRONG_LABELS = {
    "one class": lambda places: np.full(len(places), "yes"),
    "measurements": lambda places: places + 0.5,
    "missing": lambda places: np.where(np.arange(len(places)) == 1, np.nan, places),
    "None": lambda places: np.where(places == 0, None, "yes"),
    "too few": lambda places: places[:-1],
    "columns": lambda places: np.column_stack((places, 1 - places)),
}

WRONG_WEIGHTS = {
    "fractions": lambda n: np.full(n, 0.5),
    "negative": lambda n: np.full(n, -1),
    "none": lambda n: np.zeros(n),
    "too few": lambda n: np.ones(n - 1),
    "missing": lambda n: np.full(n, np.nan),
}


WRONG_ROWS = {
    "a number": lambda columns: 3,
    "a word": lambda columns: "rows",
    "nothing": lambda columns: None,
    "one dimension": lambda columns: np.arange(len(columns)),
    "three dimensions": lambda columns: np.zeros((2, len(columns), 2)),
    "a column more": lambda columns: pd.DataFrame(columns | {"more": np.arange(N_NEW)}),
    "a column more, no names": lambda columns: np.zeros((2, len(columns) + 1)),
    "no column": lambda columns: pd.DataFrame(index=range(3)),
    "no row": lambda columns: pd.DataFrame(columns)[:0],
    "sets": lambda columns: {name: [set()] for name in columns},
    "a column of two dimensions": lambda columns: columns | {"column 0": np.zeros((2, 2))},
}


def as_categories(columns):
    frame = pd.DataFrame(columns)
    is_text = [all(isinstance(v, str | None) for v in column) for column in columns.values()]
    return frame.astype({name: "category" for name, so in zip(columns, is_text, strict=True) if so})


def as_array(columns):
    kinds = {column.dtype.kind for column in columns.values()}
    dtype = float if kinds <= set("fib") else object
    return np.column_stack([column.astype(dtype) for column in columns.values()])


MAKES = {
    "array": as_array,
    "mapping": dict,
    "pandas": pd.DataFrame,
    "pandas categories": as_categories,
    "polars": lambda columns: pl.DataFrame({n: c.tolist() for n, c in columns.items()}),
}


class RandomTable(NamedTuple):
    """A table to fit on, and further rows to predict."""

    X: Any
    y: Any
    sample_weight: Any
    new_rows: Any
    one_row: Any
    names: list[str] | None
    n_columns: int
    may_be_codes: list[int]
    """Columns whose values may count as levels: all but dates and floats beyond 2**53."""
    n_rows: int
    """Those that count: with their weights."""
    classes: list[Any]


def columns_of(kinds, seed, n_rows, makers=COLUMNS):
    rng = np.random.default_rng(seed)
    return {f"column {i}": makers[kind](rng, n_rows) for i, kind in enumerate(kinds)}


def with_new_level(column):
    """Put a level that training has not seen into the last row of a column of text."""
    if all(isinstance(value, str) for value in column):
        column = column.copy()
        column[-1] = NEW_LEVEL
    return column


@st.composite
def random_tables(draw):
    """Draw a table that can be fitted."""
    n_rows, seed = draw(st.integers(5, 60)), draw(st.integers(0, 2**20))
    kinds = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=5))
    make = MAKES[draw(st.sampled_from(list(MAKES)))]
    columns = columns_of(kinds, seed, n_rows)
    new = {name: with_new_level(x) for name, x in columns_of(kinds, seed + 1, N_NEW).items()}
    places = np.random.default_rng(seed).integers(0, draw(st.integers(2, 5)), n_rows)
    places[:2] = 0, 1
    y = LABELS[draw(st.sampled_from(list(LABELS)))](places)
    weights = draw(
        st.sampled_from(
            [None, np.ones(n_rows), 1 + np.arange(n_rows) % 3, n_rows - np.arange(n_rows) > 2]
        )
    )
    counts = np.ones(n_rows) if weights is None else np.asarray(weights)
    X = make(columns)
    return RandomTable(
        X,
        y,
        weights,
        make(new),
        make({name: column[-1:] for name, column in new.items()}),
        None if isinstance(X, np.ndarray) else list(columns),
        len(kinds),
        [place for place, kind in enumerate(kinds) if kind not in NO_CODES],
        int(counts.sum()),
        np.unique(y[counts > 0]).tolist(),
    )


@st.composite
def wrong_rows(draw, table):
    """Draw something that a model of the table cannot predict."""
    columns = {f"column {i}": np.zeros(N_NEW) for i in range(table.n_columns)}
    return WRONG_ROWS[draw(st.sampled_from(list(WRONG_ROWS)))](columns)


@st.composite
def wrong_tables(draw):
    """Draw a table, labels and weights, one of which is wrong."""
    table = draw(random_tables())
    which = draw(st.sampled_from(["columns", "labels", "weights"]))
    n_rows = len(table.y)
    if which == "columns":
        kind = draw(st.sampled_from(list(WRONG_COLUMNS)))
        make = MAKES[draw(st.sampled_from(["array", "mapping", "pandas"]))]
        return table._replace(X=make(columns_of([kind], 0, n_rows, WRONG_COLUMNS)))
    if which == "labels":
        places = np.arange(n_rows) % 2
        return table._replace(y=WRONG_LABELS[draw(st.sampled_from(list(WRONG_LABELS)))](places))
    kind = draw(st.sampled_from(list(WRONG_WEIGHTS)))
    return table._replace(sample_weight=WRONG_WEIGHTS[kind](n_rows))
