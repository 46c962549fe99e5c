"""Finished units on disk, so that an interrupted run can go on."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sweeptree.experiments.fitting import Record
from sweeptree.experiments.plan import Unit
from sweeptree.writing import write_atomically

VERSION = version("sweeptree")


class Parts:
    """The finished units of a directory.

    A part counts only if it can be read and is about the same unit, settings, seed and version.

    Parameters
    ----------
    directory : Path
    seed : int
    """

    def __init__(self, directory: Path, seed: int) -> None:
        self._directory = directory
        self._seed = seed

    def load(self, unit: Unit) -> Record | None:
        """Return what a unit found; None if it is not finished."""
        try:
            part = json.loads(self.path_of(unit).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(part, dict) or not isinstance(part.get("record"), dict):
            return None
        record: Record = part.pop("record")
        return record if part == self._identity(unit) | {"check": _digest(record)} else None

    def save(self, unit: Unit, record: Record) -> None:
        """Keep what a unit found."""
        part = {**self._identity(unit), "check": _digest(record), "record": record}
        write_atomically(self.path_of(unit), json.dumps(part, allow_nan=False))

    def path_of(self, unit: Unit) -> Path:
        """Return the file of a unit."""
        readable = re.sub(r"[^a-z0-9]+", "-", unit.name.lower()).strip("-")
        return self._directory / f"{readable}-{_digest(self._identity(unit))[:8]}.json"

    def _identity(self, unit: Unit) -> dict[str, Any]:
        identity = {
            "kind": unit.kind,
            "name": unit.name,
            "settings": unit.settings,
            "seed": self._seed,
            "version": VERSION,
        }
        as_stored: dict[str, Any] = json.loads(json.dumps(identity))
        return as_stored


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
