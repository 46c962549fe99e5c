"""When chains count as converged: what is wanted, what was found, and what is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

WANTED_RHAT = 1.01
"""At most: above this the chains disagree too much to be pooled without a warning."""
WANTED_ESS = 400
"""At least, over all chains together: with a smaller one R-hat itself is vague."""
WANTED_SPREAD = 0.005
"""At most: how far apart the chains' own predictions lie, in probability."""

FEWEST_DRAWS = 4
"""Of each chain: fewer have no halves to be held against each other, and no figures."""

UNKNOWN = "–"
"""Stands for a figure that is not known."""

TRACES = ("the number of leaves", "the log posterior")


class Verdict(NamedTuple):
    """The figures that tell whether chains have converged; NaN where one is not known."""

    rhat_n_leaves: float
    """Rank-normalised split R-hat of the number of leaves."""
    rhat_log_posterior: float
    ess_n_leaves: float
    """Bulk effective sample size of the number of leaves, over all chains together."""
    ess_log_posterior: float
    spread: float = math.nan
    """Standard deviation between the chains' mean probabilities, averaged over training rows and
    classes; with one chain, between its halves."""

    @property
    def is_converged(self) -> bool:
        """Whether all that is wanted holds."""
        return self.traces_agree and self.spread <= WANTED_SPREAD

    @property
    def traces_agree(self) -> bool:
        """Whether what is wanted of the number of leaves and of the log posterior holds."""
        return (
            self.rhat_n_leaves <= WANTED_RHAT
            and self.rhat_log_posterior <= WANTED_RHAT
            and self.ess_n_leaves >= WANTED_ESS
            and self.ess_log_posterior >= WANTED_ESS
        )

    def times_as_long(self) -> float:
        """Estimate how many times as many moves would do: figures shrink as runs grow.

        R-hat − 1 and the squared spread fall in proportion, effective sample sizes rise so. At
        least 1; infinite where the figures are not known.

        Examples
        --------
        >>> round(Verdict(1.03, 1.002, 231.4, 805.2, 0.012).times_as_long(), 1)
        5.8
        >>> Verdict(1.0, 1.0, 1000, 1000, 0.001).times_as_long()
        1.0
        """
        if any(map(math.isnan, (self._rhat, self._ess))):
            return math.inf
        excess = self._rhat - 1.0
        spread = 0.0 if math.isnan(self.spread) else self.spread
        return max(
            1.0, excess / (WANTED_RHAT - 1.0), WANTED_ESS / self._ess, (spread / WANTED_SPREAD) ** 2
        )

    @property
    def _rhat(self) -> float:
        """The larger R-hat; NaN if either is."""
        rhats = (self.rhat_n_leaves, self.rhat_log_posterior)
        return math.nan if any(map(math.isnan, rhats)) else max(rhats)

    @property
    def _ess(self) -> float:
        """The smaller effective sample size; NaN if either is."""
        sizes = (self.ess_n_leaves, self.ess_log_posterior)
        return math.nan if any(map(math.isnan, sizes)) else min(sizes)

    def missing(self) -> list[str]:
        """Say what is not as wanted; nothing if the chains have converged.

        Examples
        --------
        >>> for words in Verdict(1.034, 1.002, 231.4, 805.2, 0.012).missing():
        ...     print(words)
        R-hat is 1.034 for the number of leaves (at most 1.01 is wanted)
        the effective sample size is 231 for the number of leaves (at least 400 is wanted)
        the probabilities differ between chains by 0.012 (at most 0.005 is wanted)
        """
        figures = {"R-hat": self._rhat, "the effective sample size": self._ess}
        return [
            *self._large_rhats(),
            *_unknown(figures),
            *self._few_draws(),
            *self._far_apart(),
        ]

    def disagreements(self) -> list[str]:
        """Say which R-hats are too large, or that there are too few draws to tell."""
        return [*self._large_rhats(), *_unknown({"R-hat": self._rhat})]

    def _large_rhats(self) -> list[str]:
        rhats = zip(TRACES, (self.rhat_n_leaves, self.rhat_log_posterior), strict=True)
        too_large = [
            f"{_visibly_above(WANTED_RHAT, rhat)} for {name}"
            for name, rhat in rhats
            if rhat > WANTED_RHAT
        ]
        if not too_large:
            return []
        return [f"R-hat is {' and '.join(too_large)} (at most {WANTED_RHAT} is wanted)"]

    def _few_draws(self) -> list[str]:
        sizes = zip(TRACES, (self.ess_n_leaves, self.ess_log_posterior), strict=True)
        too_few = [f"{int(size)} for {name}" for name, size in sizes if size < WANTED_ESS]
        if not too_few:
            return []
        found = " and ".join(too_few)
        return [f"the effective sample size is {found} (at least {WANTED_ESS} is wanted)"]

    def _far_apart(self) -> list[str]:
        if not self.spread > WANTED_SPREAD:
            return []
        spread = _visibly_above(WANTED_SPREAD, self.spread)
        return [
            f"the probabilities differ between chains by {spread} "
            f"(at most {WANTED_SPREAD} is wanted)"
        ]

    def in_short(self) -> str:
        """Write all figures on one line.

        Examples
        --------
        >>> Verdict(1.034, 1.021, 231.4, 805.2).in_short()
        'R-hat 1.034 leaves, 1.021 log posterior · ESS 231 · spread –'
        """
        return " · ".join(f"{name} {figure}" for name, figure in self.by_name().items())

    def by_name(self) -> dict[str, str]:
        """Write each figure, rounded, by its name.

        Examples
        --------
        >>> Verdict(1.034, 1.021, 231.4, 805.2).by_name()["R-hat"]
        '1.034 leaves, 1.021 log posterior'
        """
        leaves, log_posterior = self.rhat_n_leaves, self.rhat_log_posterior
        rhats = f"{leaves:.3f} leaves, {log_posterior:.3f} log posterior"
        return {
            "R-hat": UNKNOWN if math.isnan(self._rhat) else rhats,
            "ESS": rounded(self._ess // 1, 0),
            "spread": rounded(self.spread, 4),
        }


def rounded(figure: float, n_decimals: int) -> str:
    """Write a figure with so many decimals, or that it is not known.

    Examples
    --------
    >>> rounded(1.0126, 3), rounded(math.nan, 3)
    ('1.013', '–')
    """
    return UNKNOWN if math.isnan(figure) else f"{figure:.{n_decimals}f}"


def _unknown(figures: Mapping[str, float]) -> list[str]:
    names = " and ".join(name for name, figure in figures.items() if math.isnan(figure))
    few = f"fewer than {FEWEST_DRAWS} draws of each chain"
    return [f"{names} cannot be told from {few}"] if names else []


def _visibly_above(limit: float, value: float) -> str:
    """Write a value with three decimals, or with more if it would look like the limit."""
    n_decimals = 3
    while float(f"{value:.{n_decimals}f}") <= limit:
        n_decimals += 1
    return f"{value:.{n_decimals}f}"
