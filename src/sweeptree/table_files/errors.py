"""What can be wrong with a table file."""


class TableFileError(ValueError):
    """A table file cannot be used as it is; the message says why, in one sentence."""


class WrongColumnError(TableFileError):
    """A column was asked for that the table does not have; the message names the nearest."""


class UnknownFormatError(TableFileError):
    """The name of a file does not tell a format that can be read or written."""
