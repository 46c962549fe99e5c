"""What can be wrong with a table file."""

from __future__ import annotations

from collections.abc import Sequence


class TableFileError(ValueError):
    """A table file cannot be used as it is; the message says why, in one sentence."""


class WrongColumnError(TableFileError):
    """A column was asked for that the table does not have; the message names the nearest.

    Parameters
    ----------
    message : str
    source : str
        The table.
    missing : sequence of str
        Names that it does not have.
    names : sequence of str
        Those that it has.
    """

    def __init__(
        self, message: str, source: str = "", missing: Sequence[str] = (), names: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.source, self.missing, self.names = source, list(missing), list(names)


class UnknownFormatError(TableFileError):
    """The name of a file does not tell a format that can be read or written."""
