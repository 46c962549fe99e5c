"""Combinations of settings: a few that cover much at every run, all of them on demand."""

from collections import Counter
from itertools import combinations, product

import pytest

ON_DEMAND = (pytest.mark.slow, pytest.mark.exhaustive)


def thinned(*lists, together=2):
    """Every combination of one value of each list; all but a covering few are on demand.

    Those few have any values of any two lists together at least once, or of as many lists as
    `together` says.
    """
    cover = covering(*lists, together=together)
    return [
        pytest.param(*values, id=name_of(values), marks=() if values in cover else ON_DEMAND)
        for values in product(*lists)
    ]


def name_of(values):
    return "-".join(name_of(value) if isinstance(value, tuple) else str(value) for value in values)


def covering(*lists, together):
    """Combinations, each the one that adds most, of values that were used least."""
    every = list(product(*lists))
    missing = set().union(*(covered_by(values, together) for values in every))
    chosen, n_uses = [], Counter()

    def gain(values):
        n_new = len(covered_by(values, together) & missing)
        return n_new, -sum(n_uses[each] for each in enumerate(values))

    while missing:
        best = max(every, key=gain)
        missing -= covered_by(best, together)
        n_uses.update(enumerate(best))
        chosen.append(best)
    return chosen


def covered_by(values, together):
    return set(combinations(enumerate(values), together))
