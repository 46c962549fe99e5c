"""What is said of a file that cannot be loaded."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file that holds no model, or one that is damaged, too large, or of a newer format."""


def require(condition: object, reason: str) -> None:
    """Raise ModelFileError for this reason unless the condition holds.

    Examples
    --------
    >>> require(2 > 1, "numbers are out of order")
    """
    if not condition:
        raise ModelFileError(reason)
