"""The five data sets (Table I)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree import datasets
from sweeptree.encoding import FloatArray

STAND_IN = "synthetic stand-in"


class LabelledTable(NamedTuple):
    """Rows and their classes, numbered from 0."""

    X: FloatArray
    y: npt.NDArray[np.int64]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.y.max()) + 1

    @property
    def n_variables(self) -> int:
        """Columns that vary: only these can carry a rule."""
        return int((self.X[0] != self.X).any(axis=0).sum())


MIN_SAMPLES_LEAF = {"XOR3": 3, "Ionosphere": 3, "Votes": 3, "Wisconsin": 3, "Injury": 5}
"""The paper's p_min, as for its Tables II to IV."""

NAMES = tuple(MIN_SAMPLES_LEAF)
PUBLIC_NAMES = tuple(name for name in NAMES if name != "Injury")


def is_stand_in(name: str) -> bool:
    """Whether the rows are not those of the paper but made up in their place."""
    return name == "Injury"


def shown_name(name: str) -> str:
    """Name a data set as tables and figures show it.

    Examples
    --------
    >>> shown_name("Votes"), shown_name("Injury")
    ('Votes', 'Injury (synthetic stand-in)')
    """
    return f"{name} ({STAND_IN})" if is_stand_in(name) else name


@lru_cache(maxsize=16)
def load(name: str, seed: int) -> LabelledTable:
    """Load a data set; the seed is that of XOR3's rows, which are drawn.

    Examples
    --------
    >>> load("Ionosphere", 0).n_variables
    33
    """
    bunch = _load_bunch(name, seed)
    return LabelledTable(np.asarray(bunch.data), np.asarray(bunch.target, dtype=np.int64))


def _load_bunch(name: str, seed: int) -> Any:
    if name == "XOR3":
        return datasets.make_xor3(random_state=seed)
    loaders = {
        "Ionosphere": datasets.load_ionosphere,
        "Votes": datasets.load_votes,
        "Wisconsin": datasets.load_wisconsin,
        "Injury": datasets.load_injury,
    }
    return loaders[name]()
