"""What a report is about, in a line; and how many there are of something, in words."""

from __future__ import annotations

from sweeptree.names import shortened
from sweeptree.report.evidence import Evidence
from sweeptree.report.isolation import isolated

MOST_CLASSES_NAMED = 5
LONGEST_LABEL = 30


def subject(evidence: Evidence) -> dict[str, str]:
    """Say what the model tells apart, and the rows that it learned from and is judged by."""
    labels = [str(label) for label in evidence.model.classes_.tolist()]
    rows = [counted(evidence.n_training, "training row")]
    if evidence.test_rows is not None:
        rows.append(counted(len(evidence.test_rows), "test row"))
    return {"classes": classes_in_short(labels), "rows": ", ".join(rows)}


def classes_in_short(labels: list[str]) -> str:
    """Name the classes that a model tells apart; of many the first.

    Examples
    --------
    >>> classes_in_short(["died", "home", "transferred"])
    'died, home or transferred'
    >>> classes_in_short(list("abcdefg"))
    'a, b, c, d, e or one of 2 more classes'
    """
    named = [isolated(shortened(label, LONGEST_LABEL)) for label in labels[:MOST_CLASSES_NAMED]]
    n_more = len(labels) - len(named)
    if n_more:
        named.append(f"one of {n_more} more classes" if n_more > 1 else "another")
    return f"{', '.join(named[:-1])} or {named[-1]}" if len(named) > 1 else named[0]


def counted(n: int, what: str) -> str:
    """Write how many there are.

    Examples
    --------
    >>> counted(1, "test row"), counted(1200, "test row")
    ('1 test row', '1,200 test rows')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def is_or_are(n: int) -> str:
    """Return the verb for so many."""
    return "is" if n == 1 else "are"
