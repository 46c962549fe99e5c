"""Options that take several columns."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from sweeptree.table_files import WrongColumnError

COLUMN_LISTS = ("--drop", "--keep")


def hint_at_spaces(option: str, given: Sequence[str], error: WrongColumnError) -> str:
    """Say how several columns are written, if commas part some that are not there; else nothing.

    Parameters
    ----------
    option : str
    given : sequence of str
        What it was given.
    error : WrongColumnError
        Of a table that does not have all of it.

    Examples
    --------
    >>> error = WrongColumnError("", "t.csv", ["id,age"], ["id", "age", "ward, bed"])
    >>> hint_at_spaces("--drop", ["id,age", "ward, bed"], error)
    "part columns by spaces: --drop id age 'ward, bed'."
    """
    apart = [part for name in given for part in _parts(name, error)]
    is_closer = option in COLUMN_LISTS and not set(apart).isdisjoint(set(error.names) - set(given))
    return f"part columns by spaces: {option} {shlex.join(apart)}." if is_closer else ""


def _parts(name: str, error: WrongColumnError) -> list[str]:
    if name not in error.missing:
        return [name]
    return [part.strip() for part in name.split(",") if part.strip()]
