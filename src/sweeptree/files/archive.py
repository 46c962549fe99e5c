"""Named arrays in one compressed file, read back from a file that may be damaged or hostile.

The file is an `.npz`: a zip archive with an `.npy` file for each array. It is not read by numpy,
which makes room for as many numbers as an array claims to have before it looks for them.
"""

from __future__ import annotations

import hashlib
import math
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
import numpy.typing as npt

from sweeptree.files.errors import ModelFileError, require

AnyArray = npt.NDArray[Any]

DTYPES = ("|u1", "<i4", "<i8", "<f8")
"""What numbers there may be in a file: plain ones, lowest byte first."""

COMPRESSION_LEVEL = 6
"""9 takes ten times as long for 3 % less."""

MOST_DIMENSIONS = 8
LARGEST_SHAPE = 2**48
"""The product of its sizes but zeros, which numpy also bounds where an array is empty."""

CHECKSUM = "checksum"

DAMAGED = "it is damaged, or no model file at all"

ARRAY_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)"
    rb"\{'descr': '(?P<dtype>[|<][a-z]\d)', 'fortran_order': False, "
    rb"'shape': \((?P<shape>[\d, ]{0,100})\), \} *\n",
    re.DOTALL,
)


def write_archive(file: IO[bytes], arrays: Mapping[str, AnyArray]) -> None:
    """Write arrays, and a checksum over all of them; the same arrays make the same bytes."""
    checksum = np.frombuffer(checksum_of(arrays), dtype=np.uint8)
    with ZipFile(file, "w") as archive:
        for name, array in {**arrays, CHECKSUM: checksum}.items():
            content = BytesIO()
            np.lib.format.write_array(content, array, version=(1, 0), allow_pickle=False)
            # A copy: left behind by an error, a view of it can crash Python 3.12's collector.
            archive.writestr(
                ZipInfo(_member_of(name)), content.getvalue(), ZIP_DEFLATED, COMPRESSION_LEVEL
            )


def checksum_of(arrays: Mapping[str, AnyArray]) -> bytes:
    """SHA-256 over the names, types, shapes and numbers of arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.digest()


class Archive:
    """Arrays in a file, each of them unpacked when it is asked for.

    Parameters
    ----------
    content : bytes
        The file.
    max_bytes : int
        Most bytes that it may unpack to; known before anything is unpacked.

    Attributes
    ----------
    names : frozenset of str
        Names of its arrays, the checksum left out.
    """

    def __init__(self, content: bytes, max_bytes: int) -> None:
        with _damage_in_words():
            self._zip = ZipFile(BytesIO(content))
            members = self._zip.infolist()
        self._members = {member.filename: member for member in members}
        require(len(self._members) == len(members), "it has two parts of the same name")
        size = sum(member.file_size for member in members)
        require(
            size <= max_bytes,
            f"it unpacks to {size:,} bytes, more than the max_bytes={max_bytes:,} allowed; give a "
            "larger max_bytes if you trust it",
        )
        self.names = frozenset(_array_in(member) for member in self._members) - {CHECKSUM}

    def read(self, name: str) -> AnyArray:
        """Unpack an array."""
        require(_member_of(name) in self._members, f"it has no part {name!r}")
        return _parse(name, self._unpack(self._members[_member_of(name)]))

    def read_all(self) -> dict[str, AnyArray]:
        """Unpack all arrays and hold them against the checksum."""
        arrays = {name: self.read(name) for name in sorted(self.names)}
        is_whole = self.read(CHECKSUM).tobytes() == checksum_of(arrays)
        require(is_whole, "its content does not fit its checksum, so it is damaged")
        return arrays

    def _unpack(self, member: ZipInfo) -> bytes:
        require(member.compress_type in (ZIP_STORED, ZIP_DEFLATED), DAMAGED)
        with _damage_in_words(), self._zip.open(member) as stream:
            # Asked for everything, zipfile unpacks what there is, not what it said there is.
            content = stream.read(member.file_size)
        require(len(content) == member.file_size, DAMAGED)
        return content


def _member_of(name: str) -> str:
    return f"{name}.npy"


def _array_in(member: str) -> str:
    require(member.endswith(".npy"), f"it has a part {member!r}, which no model has")
    return member.removesuffix(".npy")


@contextmanager
def _damage_in_words() -> Iterator[None]:
    try:
        yield
    except (
        *(BadZipFile, zlib.error, struct.error, EOFError),
        *(ValueError, RuntimeError, OverflowError, LookupError),
    ) as error:
        raise ModelFileError(DAMAGED) from error


def _parse(name: str, content: bytes) -> AnyArray:
    """Read an array as numpy writes it, in the one form that models are written in."""
    header = ARRAY_HEADER.match(content)
    if header is None or int.from_bytes(header["length"], "little") != header.end() - 10:
        raise ModelFileError(f"its part {name!r} is not an array of a model")
    dtype = header["dtype"].decode()
    require(dtype in DTYPES, f"its part {name!r} has the type {dtype!r}, which no model has")
    shape = tuple(map(int, re.findall(rb"\d+", header["shape"])))
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    require(
        n_bytes == len(content) - header.end(),
        f"its part {name!r} has more or fewer numbers than it says",
    )
    require(_can_be(shape), f"its part {name!r} has a shape that no model has")
    return np.frombuffer(content, dtype, offset=header.end()).reshape(shape)


def _can_be(shape: tuple[int, ...]) -> bool:
    size = math.prod(max(each, 1) for each in shape)
    return len(shape) <= MOST_DIMENSIONS and size <= LARGEST_SHAPE
