"""What a run is: the distribution to sample from, how to walk, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

MOVES = ("birth", "death", "change_split", "change_rule")
OUTCOMES = ("accepted", "rejected", "redrawn", "swept")
PHASES = ("burn_in", "sampling")

TREE_PRIORS = ("uniform", "paper", "flat", "depth")
RULE_PRIORS = ("observed", "continuous")
LIKELIHOODS = ("marginal", "plug-in")

PAPER_MOVE_PROBABILITIES = {
    "birth": 0.1,
    "death": 0.1,
    "change_split": 0.1,
    "change_rule": 0.7,
}

MAX_REDRAWS = 1000
"""After so many redraws in a row the chain stays: nothing may be available at all."""

START_RULE_SCALE = 0.1
"""Where the tuning of rule steps starts, as a share of the variable's range."""


@dataclass(frozen=True)
class TargetSettings:
    """The distribution that is sampled: likelihood and priors."""

    tree_prior: str
    gamma: float
    delta: float
    rule_prior: str
    likelihood: str
    alpha: tuple[float, ...]
    min_samples_leaf: int
    max_leaves: int


@dataclass(frozen=True)
class StrategySettings:
    """How a chain walks."""

    p_move: tuple[float, ...]
    """Probability of each move, in the order of `MOVES`."""
    redraws: bool
    """An unavailable move is drawn anew, its type included, instead of being rejected."""
    sweeps: bool
    """A change that starves exactly one leaf removes that leaf."""
    changes_variable: bool
    """Change-split draws a variable other than the present one (Eq. 15)."""
    steps: bool
    """Change-rule steps from the present rule (Eq. 16) instead of drawing from the prior."""
    tunes: bool
    """The step sizes are tuned in burn-in and then frozen."""
    rule_scale: tuple[float, ...]
    """Step size of each variable, as a share of its range."""
    restrict_leaves: int
    restrict_moves: int
    """For so many moves the tree has at most `restrict_leaves` leaves."""


@dataclass(frozen=True)
class Schedule:
    """How long each chain runs, in moves."""

    n_burn_in: int
    n_draws: int
    thin: int

    @property
    def n_moves(self) -> int:
        """Moves of one chain, burn-in included."""
        return self.n_burn_in + self.n_draws * self.thin


class Habits(NamedTuple):
    """What a strategy of the paper does unless told otherwise."""

    rule_prior: str
    sweeps: bool
    changes_variable: bool
    steps: bool
    restricts: bool
    unavailable: Literal["redraw", "reject"] = "redraw"


STRATEGIES = {
    "standard": Habits(
        "observed", sweeps=False, changes_variable=False, steps=False, restricts=False
    ),
    "restricting": Habits(
        "observed", sweeps=False, changes_variable=False, steps=False, restricts=True
    ),
    "sweeping": Habits(
        "continuous", sweeps=True, changes_variable=True, steps=True, restricts=False
    ),
}
