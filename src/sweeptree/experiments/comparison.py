"""The rule by which our figures and the paper's are called alike."""

from __future__ import annotations

import math
from typing import NamedTuple

from sweeptree.experiments.paper import Printed

WITHIN = "within the paper's interval"
OUTSIDE = "outside"
NOT_COMPARABLE = "not comparable"

RULE = (
    f"'{WITHIN.capitalize()}': our mean is no further from the paper's than the ± that the paper "
    "prints, half a unit of the last printed digit being granted for rounding. Where the paper "
    "prints ± 0.0, an interval without width, our own ± decides, and the cell says so. "
    f"'{OUTSIDE.capitalize()}': it is further away. '{NOT_COMPARABLE.capitalize()}': the data are "
    "a synthetic stand-in, or the printed figure is impossible."
)


class Comparison(NamedTuple):
    """What one of our figures says about the paper's."""

    word: str
    reason: str = ""
    is_impossible: bool = False
    """Whether the printed figure breaks a bound."""

    def __str__(self) -> str:
        return f"{self.word} ({self.reason})" if self.reason else self.word


def compare_with_paper(
    printed: Printed,
    mean: float,
    interval: float,
    *,
    is_stand_in: bool = False,
    bound: float = math.inf,
) -> Comparison:
    """Compare a mean ± interval of ours with a printed one.

    Parameters
    ----------
    printed : Printed
    mean, interval : float
        Ours.
    is_stand_in : bool
        Whether our rows stand in for others.
    bound : float
        What the figure cannot exceed.

    Examples
    --------
    >>> print(compare_with_paper(Printed.read("3.8 ± 0.4"), 3.6, 0.1))
    within the paper's interval
    >>> print(compare_with_paper(Printed.read("18.5 ± 3.9"), 7.0, 3.0))
    outside
    >>> print(compare_with_paper(Printed.read("143 ± 2.9"), 12.0, 3.0, bound=95.0))
    not comparable (impossible: at most 95.0)
    """
    if is_stand_in:
        return Comparison(NOT_COMPARABLE)
    if printed.mean > bound:
        return Comparison(NOT_COMPARABLE, f"impossible: at most {bound:.1f}", True)
    distance = abs(mean - printed.mean) - printed.rounding
    if printed.interval == 0.0:
        is_within = distance <= interval
        return Comparison(WITHIN if is_within else OUTSIDE, "by our ±")
    return Comparison(WITHIN if distance <= printed.interval else OUTSIDE)


def entropy_bound(n_rows: int, n_folds: int, n_classes: int) -> float:
    """Most entropy that the rows of one test fold can have, in nats.

    Examples
    --------
    >>> round(entropy_bound(683, 5, 2), 1)
    95.0
    """
    return math.ceil(n_rows / n_folds) * math.log(n_classes)
