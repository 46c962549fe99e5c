"""Names: which one a user may have meant, and long ones made short."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest_name(name: str, names: Iterable[str], likeness: float = 0.0) -> str | None:
    """Return the most similar of the names that there are, whatever its case.

    Parameters
    ----------
    name : str
        As it was given.
    names : iterable of str
        Those that there are.
    likeness : float, default=0.0
        How similar it must be at least, from 0 to 1; if none is, None is returned.

    Examples
    --------
    >>> nearest_name("Wieght", ["height", "weight"])
    'weight'
    >>> nearest_name("age", ["weight"], likeness=0.6) is None
    True
    """
    folded = {each.casefold(): each for each in names}
    nearest = get_close_matches(name.casefold(), folded, n=1, cutoff=likeness)
    return folded[nearest[0]] if nearest else None


def shortened(name: str, most: int) -> str:
    """Return a name with at most so many characters: of a long one the start and the end.

    Examples
    --------
    >>> shortened("age", 9), shortened("systolic_pressure", 9)
    ('age', 'syst…sure')
    """
    if len(name) <= most:
        return name
    half = (most - 1) // 2
    return f"{name[:half]}…{name[-half:]}"
