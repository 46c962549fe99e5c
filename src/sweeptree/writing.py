"""Writing files that are there as a whole or not at all."""

from __future__ import annotations

import errno
import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to be written; it takes its place only when all of it has reached the disk.

    If anything fails before that, what was at `path` is still there, and nothing beside it; only a
    process that is killed leaves what it has written so far, for `remove_leftovers`.

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
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_atomically(path: Path, text: str) -> None:
    """Write a text file that is there as a whole or not at all."""
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))


def remove_leftovers(path: Path) -> None:
    """Remove what writes of a file that were cut off have left beside it."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        leftover.unlink(missing_ok=True)
