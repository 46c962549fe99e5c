"""How change-rule steps are tuned in burn-in."""

from __future__ import annotations

import math
from collections.abc import Sequence

TARGET_ACCEPTANCE = 0.25
"""The acceptance rate that the paper reports."""
SMALLEST, LARGEST = 1e-6, 1.0


class RuleScale:
    """The step size σ_j of each variable, as a share of its range.

    Tuned by Robbins and Monro's recursion on the log scale, with steps that shrink.
    """

    def __init__(self, scale: Sequence[float]) -> None:
        self.scale = list(scale)
        self.n_tried = [0] * len(self.scale)

    def __getitem__(self, variable: int) -> float:
        return self.scale[variable]

    def tune(self, variable: int, was_accepted: bool) -> None:
        """Widen the steps of a variable after an acceptance, narrow them after a rejection."""
        self.n_tried[variable] += 1
        error = (1.0 if was_accepted else 0.0) - TARGET_ACCEPTANCE
        factor = math.exp(error * math.pow(self.n_tried[variable], -0.6))
        self.scale[variable] = min(max(self.scale[variable] * factor, SMALLEST), LARGEST)
