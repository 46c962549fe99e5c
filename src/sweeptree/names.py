"""Names: which one a user may have meant, how they are shown, and how they are counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

LIKENESS_OF_SLIPS = 0.6
"""Of a name to another, from 0 to 1, for the one to be meant for the other."""
MOST_NAMED = 5
"""Names that a message lists; of more it tells the number."""
STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that steer a terminal, break a line or turn its direction, and halves of others."""


def nearest_name(name: str, names: Iterable[str]) -> str | None:
    """Return the name that was likely meant, whatever its case; None if none is similar.

    Parameters
    ----------
    name : str
        As it was given.
    names : iterable of str
        Those that there are.

    Examples
    --------
    >>> nearest_name("Wieght", ["height", "weight"]), nearest_name("age", ["sex", "age_in_years"])
    ('weight', 'age_in_years')
    >>> nearest_name("lactate", ["creatinine", "weight"]) is None
    True
    """
    folded = {each.casefold(): each for each in names}
    wanted = name.casefold()
    slips = get_close_matches(wanted, folded, n=1, cutoff=LIKENESS_OF_SLIPS)
    longer_or_shorter = [each for each in folded if _share_all_words(wanted, each)]
    likely = [*slips, *longer_or_shorter]
    return folded[likely[0]] if likely else None


def hint_at_names(name: str, names: Sequence[str]) -> str:
    """Say which name was likely meant, or else which there are, to end a sentence.

    Examples
    --------
    >>> hint_at_names("agee", ["age", "sex"]), hint_at_names("lactate", ["age", "sex"])
    ("did you mean 'age'?", "there are 'age', 'sex'.")
    """
    nearest = nearest_name(name, names)
    return f"did you mean {nearest!r}?" if nearest else f"there are {listed(names)}."


def listed(names: Sequence[str]) -> str:
    """Write the first names in quotes, and how many more there are.

    Examples
    --------
    >>> listed(["age", "sex"]), listed([*"abcdefg"])
    ("'age', 'sex'", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    more = f" and {len(names) - MOST_NAMED} more" * (len(names) > MOST_NAMED)
    return ", ".join(map(repr, names[:MOST_NAMED])) + more


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


def visible(text: str) -> str:
    r"""Write characters that steer a terminal or break a line as Python does in quotes.

    Examples
    --------
    >>> print(visible("dose\x1b[31m\nof day 1"))
    dose\x1b[31m\nof day 1
    """
    return STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def counted(number: int, thing: str, things: str = "") -> str:
    """Write how many things there are.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row"), counted(2, "leaf", "leaves")
    ('1 row', '1,200 rows', '2 leaves')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def _share_all_words(one: str, other: str) -> bool:
    """Whether one name has all words of the other, such as age those of age_in_years."""
    words, others = (set(re.findall(r"[^\W_]+", name)) for name in (one, other))
    return bool(words and others) and (words <= others or others <= words)
