"""Writing files that are there as a whole or not at all."""

from __future__ import annotations

import errno
import glob
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

STANDARD_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
"""Their descriptors; opened by name, they would be cut off where a shell sends them to a file."""
N_BYTES_OF_NAME = 4
"""Drawn at random for the name of a file that is not yet whole."""


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to be written; it takes its place only when all of it has reached the disk.

    If anything fails before that, what was at `path` is still there, and nothing beside it; only a
    process that is killed leaves what it has written so far, for `remove_leftovers`. A link stays,
    and what it leads to is replaced; a file keeps its mode. What cannot be replaced, such as
    /dev/stdout or another pipe, is written into.

    Parameters
    ----------
    path : Path
        Directories above it are made where they are missing.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = Path(directory) / "numbers.txt"
    ...     with whole_file(path) as file:
    ...         _ = file.write(b"1 2 3")
    ...     path.read_text()
    '1 2 3'
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a directory; name a file in it", str(path))
    with _open_stream(path) if is_stream(path) else _replacing(path) as file:
        yield file


def is_stream(path: Path) -> bool:
    """Whether a device or a pipe is there: it can be written into, but not be replaced."""
    return str(path) in STANDARD_STREAMS or (path.exists() and not path.is_file())


def behind_links(path: Path) -> Path:
    """Return the place to which a path leads, whether there is a file or not."""
    return Path(os.path.realpath(path))


def _open_stream(path: Path) -> IO[bytes]:
    if str(path) in STANDARD_STREAMS:
        return os.fdopen(os.dup(STANDARD_STREAMS[str(path)]), "wb")
    return path.open("wb")


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    place = behind_links(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = place.with_name(f".{place.name}.{secrets.token_hex(N_BYTES_OF_NAME)}.tmp")
    with _called(path, temporary):
        temporary.touch(exist_ok=False)
        try:
            with temporary.open("wb") as file:
                if place.exists():
                    temporary.chmod(stat.S_IMODE(place.stat().st_mode))
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(place)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextmanager
def _called(path: Path, temporary: Path) -> Iterator[None]:
    """Name the file that was asked for in errors of the one that is not yet whole."""
    try:
        yield
    except OSError as error:
        if error.filename != str(temporary):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_atomically(path: Path, text: str) -> None:
    """Write a text file that is there as a whole or not at all."""
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))


def remove_leftovers(path: Path) -> None:
    """Remove what writes of a file that were cut off have left beside it."""
    place = behind_links(path)
    drawn = "[0-9a-f]" * 2 * N_BYTES_OF_NAME
    for leftover in place.parent.glob(f".{glob.escape(place.name)}.{drawn}.tmp"):
        leftover.unlink(missing_ok=True)
