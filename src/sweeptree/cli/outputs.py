"""Where results go, looked at before any work is done for them."""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sweeptree.cli.showing import WrongCallError
from sweeptree.table_files import STANDARD_STREAM, check_output
from sweeptree.writing import behind_links, is_stream


def check_table_output(options: argparse.Namespace, inputs: Iterable[str] = ()) -> None:
    """Refuse a table file that could not be written, or that would mix with a JSON document."""
    check_output(options.output)
    check_place(options.output, inputs)
    if options.json and options.output == STANDARD_STREAM:
        raise WrongCallError(
            "--json and the table would both go to standard output; give the table a file with -o."
        )


def check_place(path: str, inputs: Iterable[str | None] = ()) -> None:
    """Refuse a place where no file can be written; directories that are missing will be made.

    Parameters
    ----------
    path : str
    inputs : iterable of str or None
        What the command reads: it must not be written over.
    """
    if path == STANDARD_STREAM:
        return
    place = Path(path).absolute()
    if any(_is_same_file(place, each) for each in inputs):
        raise WrongCallError(
            f"{path} is read by this command and would be written over; name another file with -o."
        )
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a directory; name a file in it", path)
    if is_stream(place):
        return
    above = next(parent for parent in behind_links(place).parents if parent.exists())
    if not above.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "it is a file, not a directory", str(above))
    if not os.access(above, os.W_OK):
        raise PermissionError(errno.EACCES, "files cannot be written there", str(above))


def _is_same_file(place: Path, other: str | None) -> bool:
    """Whether a path leads to an input; links are followed."""
    if other is None or other == STANDARD_STREAM or not place.exists() or not Path(other).exists():
        return False
    return place.samefile(other)


@contextmanager
def naming_output(path: str) -> Iterator[None]:
    """Name the file in errors of writing it, such as a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, path) from error
        raise
