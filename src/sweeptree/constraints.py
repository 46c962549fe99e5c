"""What values the parameters of the estimator may have, each for itself."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from sweeptree import settings
from sweeptree.engines import ENGINES


class OneOf(StrOptions):  # type: ignore[misc]
    """Words of which one may be given; a message lists them in this order.

    Examples
    --------
    >>> print(OneOf("levels", "groups"))
    a str among {'levels', 'groups'}
    """

    def __init__(self, *words: str) -> None:
        super().__init__(set(words))
        self.words = words

    def __str__(self) -> str:
        return f"a str among {{{', '.join(map(repr, self.words))}}}"


CONSTRAINTS: dict[str, list[Any]] = {
    "strategy": [OneOf(*settings.STRATEGIES)],
    "unavailable": [OneOf("redraw", "reject"), None],
    "tree_prior": [OneOf(*settings.TREE_PRIORS)],
    "gamma": [Interval(Real, 0, 1, closed="right")],
    "delta": [Interval(Real, 0, None, closed="left")],
    "leaf_penalty": [Interval(Real, 0, 100, closed="both")],
    "split_chance": [Interval(Real, 0, 1, closed="right")],
    "rule_prior": [OneOf(*settings.RULE_PRIORS), None],
    "categorical_features": ["array-like", OneOf("from_dtype")],
    "category_rules": [OneOf("levels", "groups")],
    "class_prior": ["array-like", Mapping, None],
    "alpha": [
        Interval(Real, 0, None, closed="neither"),
        "array-like",
        OneOf("learn"),
    ],
    "likelihood": [OneOf(*settings.LIKELIHOODS)],
    "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
    "max_leaves": [Interval(Integral, 1, None, closed="left"), None],
    "move_probabilities": [Mapping, None],
    "rule_scale": [
        Interval(Real, 0, None, closed="neither"),
        "array-like",
        OneOf("tune", "prior", "ranks"),
        None,
    ],
    "restrict_leaves": [Interval(Integral, 1, None, closed="left")],
    "restrict_moves": [Interval(Integral, 0, None, closed="left"), None],
    "anneal": [Interval(Real, 0, 1, closed="both"), None],
    "n_chains": [Interval(Integral, 1, None, closed="left")],
    "n_burn_in": [Interval(Integral, 0, None, closed="left")],
    "n_draws": [Interval(Integral, 1, None, closed="left"), OneOf("auto")],
    "thin": [Interval(Integral, 1, None, closed="left")],
    "max_moves": [Interval(Integral, 1, None, closed="left"), None],
    "max_seconds": [Interval(Real, 0, None, closed="neither"), None],
    "n_rungs": [
        Interval(Integral, 1, settings.MOST_RUNGS, closed="both"),
        OneOf("auto"),
    ],
    "trace": [OneOf("draws", "full")],
    "engine": [OneOf(*ENGINES)],
    "checkpoint": [str, PathLike, None],
    "memory_budget": [Interval(Real, 0, None, closed="left"), None],
    "n_jobs": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Integral, None, -1, closed="right"),
        None,
    ],
    "random_state": ["random_state"],
    "progress": ["boolean", OneOf("auto")],
}
"""As scikit-learn checks them; `settings` and `resolving` check what they come to together."""


def refuse_booleans(parameters: Mapping[str, object]) -> None:
    """Refuse True and False where a number is meant: to Python they are 1 and 0."""
    for name, value in parameters.items():
        if isinstance(value, bool | np.bool_) and name != "progress":
            raise ValueError(f"The {name!r} parameter must be a number; got {value!r}.")
