"""Names that a user may have meant."""

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
