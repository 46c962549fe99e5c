"""The file from which a fit goes on where it was."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from sweeptree.writing import behind_links, remove_leftovers, whole_file

FORMAT = b"sweeptree checkpoint 1"
"""How the first line starts; the SHA-256 of all that follows the line comes behind it."""
HEADER = "header"
"""The member of the archive that holds, as JSON, everything but the arrays."""
ARRAY = "array"
"""Where the header stands for an array: the only key, with the name of the member that has it."""
HASHED = "sha256:"


class CheckpointError(ValueError):
    """A checkpoint cannot be used: it is damaged, belongs to another fit, or has no place."""


class Checkpoint:
    """A file that holds where a fit was.

    It is a line with a checksum, and a NumPy archive behind it; nothing in it is ever executed.

    Parameters
    ----------
    path : Path
    identity : mapping of str to anything
        What decides the draws, by name. A file written for another identity is refused.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = Path(directory) / "fit.checkpoint"
    ...     Checkpoint(path, {"n_chains": 2}).write({"thin": 5, "shares": np.ones(2)})
    ...     print(Checkpoint(path, {"n_chains": 2}).read())
    ...     Checkpoint(path, {"n_chains": 4}).read()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    sweeptree.checkpoint.CheckpointError: The checkpoint ... belongs to another fit: it was \
written with n_chains=2, this fit has n_chains=4. Delete it to start anew, or give another path.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        self.path = path
        named = {"sweeptree": version("sweeptree"), **identity}
        self.identity = {name: _plain(value) for name, value in named.items()}

    def write(self, state: Mapping[str, Any]) -> None:
        """Put a state of nested mappings and lists, arrays and numbers in the place of the last."""
        content = _pack({"identity": self.identity, "state": state})
        digest = hashlib.sha256(content).hexdigest().encode()
        with whole_file(self.path) as file:
            file.write(FORMAT + b" " + digest + b"\n")
            file.write(content)

    def read(self) -> dict[str, Any] | None:
        """Return the state that was written last; None if there is no file."""
        remove_leftovers(self.path)
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self.refusal(f"cannot be read ({error.strerror}). Give another path.") from None
        kept = self._unpacked(content)
        different = _difference(kept["identity"], self.identity)
        if different:
            raise self.refusal(
                f"belongs to another fit: {different}. Delete it to start anew, or give another "
                "path."
            )
        state: dict[str, Any] = kept["state"]
        return state

    def remove(self) -> None:
        """Remove the file, if it is there, and what writes that were cut off have left."""
        behind_links(self.path).unlink(missing_ok=True)
        remove_leftovers(self.path)

    def how_to_go_on(self) -> str:
        """Say how an interrupted fit can be continued."""
        return f"The same fit goes on from the checkpoint {str(self.path)!r}."

    def refusal(self, why: str) -> CheckpointError:
        """Make the error that names the file and says why it is refused."""
        return CheckpointError(f"The checkpoint {str(self.path)!r} {why}")

    def damage(self) -> CheckpointError:
        """Make the error that says that the file cannot be trusted."""
        return self.refusal(
            "is damaged, or no checkpoint. Delete it to start anew, or give another path."
        )

    def _unpacked(self, content: bytes) -> dict[str, Any]:
        line, _, archive = content.partition(b"\n")
        if line != FORMAT + b" " + hashlib.sha256(archive).hexdigest().encode():
            raise self.damage()
        try:
            return _unpack(archive)
        except (KeyError, TypeError, ValueError, OSError, EOFError, BadZipFile):
            raise self.damage() from None


def fingerprint(values: npt.ArrayLike) -> str:
    """Return what tells an array from others."""
    array = np.ascontiguousarray(values)
    digest = hashlib.sha256(f"{array.dtype.str} {array.shape}".encode())
    digest.update(array.tobytes())
    return HASHED + digest.hexdigest()


def _difference(then: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """Say in what two identities differ first; None if in nothing."""
    for name in [*now, *(name for name in then if name not in now)]:
        old, new = then.get(name), now.get(name)
        if old == new:
            continue
        if isinstance(old, str) and old.startswith(HASHED):
            return f"it was written with other values of {name}"
        return f"it was written with {name}={old!r}, this fit has {name}={new!r}"
    return None


def _plain(value: Any) -> Any:
    """Turn a value into one that JSON can hold, and gives back as it is."""
    if isinstance(value, Mapping):  # as pairs: keys of JSON are text, and 1 is not "1"
        return sorted(([_plain(k), _plain(v)] for k, v in value.items()), key=repr)
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple | range):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _pack(content: Mapping[str, Any]) -> bytes:
    arrays: dict[str, npt.NDArray[Any]] = {}
    header = json.dumps(_without_arrays(content, "", arrays)).encode()
    buffer = io.BytesIO()
    np.savez(buffer, **{HEADER: np.frombuffer(header, dtype=np.uint8)}, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _unpack(archive: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(archive), allow_pickle=False) as members:
        header = json.loads(members[HEADER].tobytes())
        return {key: _with_arrays(header[key], members) for key in ("identity", "state")}


def _without_arrays(value: Any, name: str, arrays: dict[str, npt.NDArray[Any]]) -> Any:
    """Move the arrays of a nested structure out of it, each under its name."""
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return {ARRAY: name}
    if isinstance(value, Mapping):
        return {key: _without_arrays(part, f"{name}/{key}", arrays) for key, part in value.items()}
    if isinstance(value, list):
        return [_without_arrays(part, f"{name}/{i}", arrays) for i, part in enumerate(value)]
    return value


def _with_arrays(value: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    """Put the arrays back."""
    if isinstance(value, dict):
        if value.keys() == {ARRAY}:
            return arrays[value[ARRAY]]
        return {key: _with_arrays(part, arrays) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_arrays(part, arrays) for part in value]
    return value
