"""What a run is: the distribution to sample from, how to walk, and for how long."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

MOVES = (
    "birth",
    "death",
    "change_split",
    "change_rule",
    "graft",
    "splice",
    "swap",
    "regraft",
    "rotate",
    "transpose",
)
OUTCOMES = ("accepted", "rejected", "redrawn", "swept")
PHASES = ("burn_in", "sampling")

TREE_PRIORS = ("uniform", "paper", "flat", "geometric", "depth", "range")
RULE_PRIORS = ("observed", "continuous")
LIKELIHOODS = ("marginal", "plug-in")

RULE_KINDS = ("ordered", "levels", "groups")
"""How a variable is asked: for a threshold, for one level of a category, for a group of levels."""

TESTS = ("at most", "is level", "in group", "is missing")
"""What a node asks of a value; the left child is where the answer is yes."""

MOST_GROUPED_LEVELS = 8
"""Categories with more levels are not asked for groups: there would be too many."""

PAPER_MOVE_PROBABILITIES = {
    "birth": 0.1,
    "death": 0.1,
    "change_split": 0.1,
    "change_rule": 0.7,
}

EXACT_MOVE_PROBABILITIES = {
    "birth": 0.17,
    "death": 0.17,
    "change_split": 0.12,
    "change_rule": 0.16,
    "graft": 0.08,
    "splice": 0.08,
    "swap": 0.07,
    "regraft": 0.04,
    "rotate": 0.08,
    "transpose": 0.03,
}

P_ANYWHERE = 0.15
"""Steps over cut points are, this often, draws from the prior: a cut far away is within reach."""

TRIES = 16
"""Of so many rules change-split chooses one, for a small split of two leaves."""

MOST_ROWS_CHOSEN_FOR = 200
"""For a split of more rows no rule is chosen among several: nearly all would be far worse."""

P_SAME_CUT = 0.5
"""Where two splits get a rule that one had, the second has the same cut this often."""

MAX_REDRAWS = 1000
"""After so many redraws in a row the chain stays: nothing may be available at all."""

MOST_MOVES = 2**62
"""Moves of a chain that the engines can count."""

MOST_DRAWS = 4000
"""Draws that a chain of open length ever holds; before it has more, it drops every second one."""

FEWEST_DRAWS = 6
"""Draws that a chain of open length makes whatever its limits: four of them are used, and fewer
cannot be diagnosed."""

LARGEST_ALPHA = 1e9
"""A leaf's prior then outweighs any table; beyond, log Γ loses its digits."""

LEARNED_ALPHA_SUMS = tuple(np.geomspace(0.2, 10.0, 16).tolist())
"""Under alpha="learn": what α may sum to over the classes, equally spaced on the log scale."""

MOVES_BETWEEN_ALPHAS = 100
"""After so many moves α is drawn anew, where it is learned."""

LADDER_STEP = 0.08
"""From rung to rung of a tempered chain the likelihood counts by so much less."""

RUNGS_IF_SLOW = 5
"""Under n_rungs="auto", of chains that have not converged soon."""

MOST_RUNGS = 12
"""The last of these still takes some of the likelihood into account."""

MOVES_BETWEEN_EXCHANGES = 500
"""After so many moves walkers of a tempered chain may exchange their places."""

FEWEST_ROWS_SCREENED = 16_384
"""From so many rows on a look at a sample of them, before all are looked at, saves time."""

SCREEN_EVERY = 32
"""Proposals are screened by every so many-th row."""

START_RULE_SCALE = 0.1
"""Where the tuning of rule steps starts, as a share of the variable's range."""


@dataclass(frozen=True)
class TargetSettings:
    """The distribution that is sampled: likelihood and priors."""

    tree_prior: str
    leaf_penalty: float
    """Of the geometric prior: what a leaf takes off the log prior."""
    gamma: float
    delta: float
    split_chance: float
    """g of the range prior."""
    rule_prior: str
    likelihood: str
    alphas: tuple[tuple[float, ...], ...]
    """Values that the Dirichlet parameter may take, each with one number per class; all are
    equally likely a priori, and with more than one it is sampled."""
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
    rule_draw: str
    """How change-rule draws: from the prior, by a Gaussian step (Eq. 16), or over ranks."""
    tunes: bool
    """The Gaussian steps are tuned in burn-in and then frozen."""
    rule_scale: tuple[float, ...]
    """Gaussian step of each variable, as a share of its range."""
    restrict_leaves: int
    restrict_moves: int
    """For so many moves the tree has at most `restrict_leaves` leaves."""
    anneal_moves: int
    """Over so many moves the likelihood comes to count in full."""
    n_tries: int = 1
    """Of so many rules change-split chooses one, for a small split of two leaves."""
    screen_every: int = 1
    """Proposals are screened by every so many-th row of each class; 1: they are not."""


@dataclass(frozen=True)
class Schedule:
    """How long each chain runs, and on how many rungs."""

    n_burn_in: int
    thin: int
    """Moves from one draw to the next; at first, if the chains run until they have converged."""
    n_draws: int | None
    """None: until the chains have converged, or one of the limits is reached."""
    max_moves: int = MOST_MOVES
    """Of one chain, burn-in included."""
    max_seconds: float = math.inf
    n_rungs: int | None = 1
    """None: one, and more if the chains have not converged soon."""

    @property
    def is_open(self) -> bool:
        """Whether the chains run until they have converged."""
        return self.n_draws is None

    @property
    def most_draws(self) -> int:
        """Draws of a chain that are held at once."""
        return MOST_DRAWS if self.n_draws is None else self.n_draws

    @property
    def fewest_draws(self) -> int:
        """Draws of a chain without which there is nothing to be said."""
        return min(FEWEST_DRAWS, self.most_draws)

    @property
    def n_moves(self) -> int:
        """Moves of a chain up to that many draws, burn-in included."""
        return self.n_burn_in + self.most_draws * self.thin


class Habits(NamedTuple):
    """What a strategy does unless told otherwise."""

    rule_prior: str
    rule_draw: str
    sweeps: bool = False
    changes_variable: bool = False
    restricts: bool = False
    unavailable: Literal["redraw", "reject"] = "redraw"
    tempers: bool = False
    anneal: float = 0.0
    n_tries: int = 1
    move_probabilities: Mapping[str, float] = PAPER_MOVE_PROBABILITIES


STRATEGIES = {
    "exact": Habits(
        "observed",
        "ranks",
        unavailable="reject",
        tempers=True,
        anneal=0.5,
        n_tries=TRIES,
        move_probabilities=EXACT_MOVE_PROBABILITIES,
    ),
    "standard": Habits("observed", "prior"),
    "restricting": Habits("observed", "prior", restricts=True),
    "sweeping": Habits("continuous", "gaussian", sweeps=True, changes_variable=True),
}


def resolve_schedule(
    n_burn_in: int, n_draws: int | str, thin: int, max_moves: int | None, max_seconds: float | None
) -> Schedule:
    """Lengths that can be counted, and limits that leave room for some draws."""
    if n_draws == "auto":
        return _resolve_open_schedule(int(n_burn_in), int(thin), max_moves, max_seconds)
    schedule = Schedule(int(n_burn_in), int(thin), int(n_draws))
    if schedule.n_moves > MOST_MOVES:
        raise ValueError(
            f"n_burn_in + n_draws * thin makes {schedule.n_moves:.3g} moves of a chain, more than "
            f"the {MOST_MOVES:.3g} that can be counted; lower n_burn_in, n_draws or thin."
        )
    return schedule


def _resolve_open_schedule(
    n_burn_in: int, thin: int, max_moves: int | None, max_seconds: float | None
) -> Schedule:
    most_moves = MOST_MOVES if max_moves is None else min(int(max_moves), MOST_MOVES)
    fewest_moves = n_burn_in + FEWEST_DRAWS * thin
    if fewest_moves > most_moves:
        raise ValueError(
            f"n_burn_in={n_burn_in} and {FEWEST_DRAWS} draws, thin={thin} moves apart, are "
            f"{fewest_moves:,} moves of a chain, more than the {most_moves:,} that max_moves "
            "allows; lower n_burn_in or thin, or raise max_moves."
        )
    return Schedule(
        n_burn_in,
        thin,
        n_draws=None,
        max_moves=most_moves,
        max_seconds=math.inf if max_seconds is None else float(max_seconds),
    )


def resolve_rungs(n_rungs: int | str, strategy: str, is_open: bool) -> int | None:
    """How many rungs a chain has; None: as many as it needs."""
    if n_rungs == "auto":
        return None if STRATEGIES[strategy].tempers and is_open else 1
    if n_rungs != 1 and not STRATEGIES[strategy].tempers:
        raise ValueError(
            f'n_rungs={n_rungs} needs strategy="exact"; {strategy!r} is run as the paper has it, '
            "on one rung."
        )
    return int(n_rungs)


def screen_every(n_rows: int) -> int:
    """By every how many-th row of a table proposals are screened; 1: they are not.

    Examples
    --------
    >>> screen_every(1_000), screen_every(100_000), screen_every(1_000_000)
    (1, 32, 32)
    """
    return SCREEN_EVERY if n_rows >= FEWEST_ROWS_SCREENED else 1


def ladder(n_rungs: int) -> list[float]:
    """By how much the likelihood counts on each rung of a tempered chain.

    Examples
    --------
    >>> ladder(3)
    [1.0, 0.92, 0.84]
    """
    return [1.0 - LADDER_STEP * rung for rung in range(n_rungs)]


def _numbers(name: str, value: float | Sequence[float], n: int) -> tuple[float, ...]:
    """Repeat one number n times, or take several as they are."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim > 1:
        raise ValueError(f"{name} must be a number or a list of numbers; got {value!r}.")
    return (float(array),) * n if array.ndim == 0 else tuple(array.tolist())


def resolve_class_prior(
    class_prior: Sequence[float] | Mapping[Any, float] | None, classes: npt.NDArray[Any]
) -> tuple[float, ...]:
    """Share of each class that leaves are drawn towards, over an equal share.

    Examples
    --------
    >>> resolve_class_prior({"ill": 0.25, "well": 0.75}, np.array(["ill", "well"]))
    (0.5, 1.5)
    """
    labels = classes.tolist()
    if class_prior is None:
        return (1.0,) * len(labels)
    if isinstance(class_prior, Mapping):
        wrong = sorted(set(class_prior) ^ set(labels), key=str)
        if wrong:
            raise ValueError(
                f"class_prior must have a share for each class, {labels}, and no other; see "
                f"{wrong[0]!r}."
            )
        class_prior = [class_prior[label] for label in labels]
    shares = _numbers("class_prior", class_prior, len(labels))
    if len(shares) != len(labels) or not all(share > 0.0 for share in shares):
        raise ValueError(
            f"class_prior must have a positive share for each class, {labels}; got "
            f"{list(shares)!r}."
        )
    if abs(sum(shares) - 1.0) > 1e-6:
        raise ValueError(f"class_prior must sum to 1, and sums to {sum(shares):g}.")
    return tuple(share * len(labels) for share in shares)


def resolve_alphas(
    alpha: float | Sequence[float] | str, class_prior: tuple[float, ...], likelihood: str
) -> tuple[tuple[float, ...], ...]:
    """Values that α may take: one, or a grid to learn it on; the plug-in likelihood has none.

    `class_prior` is as `resolve_class_prior` gives it.
    """
    n_classes = len(class_prior)
    if len(set(class_prior)) > 1 and not isinstance(alpha, Real | str):
        raise ValueError("alpha has a value for each class; leave class_prior out.")
    if isinstance(alpha, str):
        given = [(total / n_classes,) * n_classes for total in LEARNED_ALPHA_SUMS]
    else:
        given = [_resolve_alpha(alpha, n_classes)]
    if likelihood == "plug-in":
        return ((0.0,) * n_classes,)
    return tuple(_shared_out(values, class_prior) for values in given)


def _shared_out(alpha: tuple[float, ...], class_prior: tuple[float, ...]) -> tuple[float, ...]:
    """Give each class its share of α, which must still be a number to reckon with."""
    values = tuple(a * share for a, share in zip(alpha, class_prior, strict=True))
    if not all(0.0 < value <= LARGEST_ALPHA for value in values):
        raise ValueError(
            f"alpha and class_prior together give the classes {list(values)}; each must be "
            f"positive and at most {LARGEST_ALPHA:g}: choose another alpha, or shares that are "
            "less far apart."
        )
    return values


def _resolve_alpha(alpha: float | Sequence[float], n_classes: int) -> tuple[float, ...]:
    """One Dirichlet parameter per class."""
    values = _numbers("alpha", alpha, n_classes)
    if len(values) != n_classes:
        raise ValueError(
            f"alpha has {len(values)} values but there are {n_classes} classes; "
            "give one number for all classes or one per class."
        )
    if not all(0.0 < value <= LARGEST_ALPHA for value in values):
        raise ValueError(f"alpha must be positive and at most {LARGEST_ALPHA:g}; got {alpha!r}.")
    return values


def resolve_move_probabilities(
    probabilities: Mapping[str, float] | None, habits: Habits
) -> tuple[float, ...]:
    """Probability of each move, in the order of `MOVES`; a move left out is never made."""
    if probabilities is None:
        probabilities = habits.move_probabilities
    unknown = [name for name in probabilities if name not in MOVES]
    if unknown:
        raise ValueError(
            f"move_probabilities names an unknown move {unknown[0]!r}; "
            f"the moves are {', '.join(MOVES)}."
        )
    given = [probabilities.get(move, 0.0) for move in MOVES]
    if not all(isinstance(value, Real) for value in given):
        raise ValueError(f"move_probabilities must be numbers; got {dict(probabilities)}.")
    values = tuple(map(float, given))
    if not all(0.0 <= value <= 1.0 for value in values):
        raise ValueError(f"move_probabilities must lie between 0 and 1; got {dict(probabilities)}.")
    if abs(sum(values) - 1.0) > 1e-8:
        raise ValueError(f"move_probabilities must sum to 1; they sum to {sum(values):.6g}.")
    if not all(values[MOVES.index(move)] > 0.0 for move in ("birth", "death")):
        raise ValueError(
            "move_probabilities must give birth and death more than 0: "
            "without them trees keep their size."
        )
    if (values[MOVES.index("graft")] > 0.0) != (values[MOVES.index("splice")] > 0.0):
        raise ValueError(
            "move_probabilities must give graft and splice both more than 0, or both 0: "
            "each undoes the other."
        )
    return tuple(value / sum(values) for value in values)


def resolve_rule_scale(
    rule_scale: str | float | Sequence[float] | None,
    habits: Habits,
    columns: Sequence[int],
    n_columns: int,
) -> tuple[str, bool, tuple[float, ...]]:
    """How change-rule draws, whether its steps are tuned, and the step of each variable."""
    start = (START_RULE_SCALE,) * len(columns)
    if rule_scale is None:
        return habits.rule_draw, habits.rule_draw == "gaussian", start
    if isinstance(rule_scale, str):
        return "gaussian" if rule_scale == "tune" else rule_scale, rule_scale == "tune", start
    values = _numbers("rule_scale", rule_scale, n_columns)
    if len(values) != n_columns:
        raise ValueError(
            f"rule_scale has {len(values)} values but there are {n_columns} columns; "
            "give one number for all columns or one per column."
        )
    if not all(0.0 < value < math.inf for value in values):
        raise ValueError(f"rule_scale must be positive and finite; got {rule_scale!r}.")
    return "gaussian", False, tuple(values[column] for column in columns)
