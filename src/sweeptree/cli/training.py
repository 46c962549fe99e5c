"""Tables to learn from."""

from __future__ import annotations

import argparse

from sweeptree.cli.column_lists import hint_at_spaces
from sweeptree.cli.showing import WrongCallError
from sweeptree.table_files import Table, WrongColumnError, read_table
from sweeptree.table_files.table import lack_of


def read_training_table(options: argparse.Namespace) -> Table:
    """Read a table with its target as text and without what `--drop` leaves out."""
    if options.target in options.drop:
        raise WrongCallError(
            f"--drop names {options.target!r}, which is the column of the classes; take it out of "
            "--drop, or give another --target."
        )
    try:
        return read_table(options.table, as_text=[options.target], left_out=options.drop)
    except WrongColumnError as error:
        hint = hint_at_spaces("--drop", options.drop, error)
        if not hint:
            raise
        raise WrongColumnError(f"{lack_of(error.source, error.missing)}; {hint}") from error
