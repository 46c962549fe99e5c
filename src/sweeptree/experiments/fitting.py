"""One chain on one table, with every setting spelled out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweeptree.encoding import FloatArray
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.settings import MOVES, OUTCOMES, PHASES

Settings = Mapping[str, Any]
Record = dict[str, Any]
"""What a unit of work found; JSON can hold it."""

RULE_STEP = 0.05
"""σ of sweeping's change-rule steps in the tables, as a share of the variable's range. The paper
does not print it; of the steps in `plan.READINGS` this one brings sweeping's sizes nearest."""

WALKS: dict[str, Settings] = {
    "standard": {
        "strategy": "standard",
        "unavailable": "redraw",
        "rule_prior": "observed",
        "rule_scale": "prior",
        "anneal": 0.0,
    },
    "sweeping": {
        "strategy": "sweeping",
        "unavailable": "redraw",
        "rule_prior": "continuous",
        "rule_scale": RULE_STEP,
        "anneal": 0.0,
    },
    "exact": {
        "strategy": "exact",
        "unavailable": "reject",
        "rule_prior": "observed",
        "rule_scale": "ranks",
        "anneal": 0.5,
    },
}


class Length(NamedTuple):
    """How long a chain runs."""

    n_burn_in: int
    n_draws: int
    thin: int

    @property
    def n_moves(self) -> int:
        """All moves, burn-in included."""
        return self.n_burn_in + self.n_draws * self.thin


PAPER_LENGTH = Length(50_000, 10_000, 7)


def model_settings(
    walk: str, likelihood: str, min_samples_leaf: int, length: Length, **changes: Any
) -> dict[str, Any]:
    """Spell out the settings of a chain; those of the paper unless changed."""
    return {
        **WALKS[walk],
        "likelihood": likelihood,
        "alpha": 1.0,
        "tree_prior": "paper",
        "min_samples_leaf": min_samples_leaf,
        **length._asdict(),
        **changes,
    }


def seed_of_chain(seed: int, name: str, chain: int) -> int:
    """Derive a chain's seed from the name of its unit, whatever else runs and in which order.

    Examples
    --------
    >>> seed_of_chain(0, "a unit", 0) == seed_of_chain(0, "a unit", 0)
    True
    >>> seed_of_chain(0, "a unit", 0) == seed_of_chain(0, "a unit", 1)
    False
    """
    digest = hashlib.sha256(f"{seed}/{name}/{chain}".encode()).digest()
    return int.from_bytes(digest[:4], "little")


def fit_chain(
    X: FloatArray, y: npt.NDArray[np.int64], model: Settings, random_state: int
) -> BayesianTreeClassifier:
    """Run a single chain on the calling thread's time, without a display."""
    return BayesianTreeClassifier(
        **model, n_chains=1, n_jobs=1, random_state=random_state, progress=False
    ).fit(X, y)


def count_moves(model: BayesianTreeClassifier, phase: str) -> dict[str, dict[str, int]]:
    """Count what became of each kind of move, by move and outcome."""
    counts = model.posterior_.moves[:, PHASES.index(phase)].sum(axis=0).tolist()
    return {
        move: dict(zip(OUTCOMES, by_outcome, strict=True))
        for move, by_outcome in zip(MOVES, counts, strict=True)
    }


def acceptance(model: BayesianTreeClassifier, phase: str) -> float:
    """Share of iterations that changed the tree."""
    counts = count_moves(model, phase).values()
    n_changed = sum(c["accepted"] + c["swept"] for c in counts)
    return n_changed / (n_changed + sum(c["rejected"] for c in counts))
