"""Environments of the peers: one each, made when it is first needed, from a pinned requirement."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

PLACE = Path(os.environ.get("SWEEPTREE_PEERS", "build/peers"))
"""Where environments are looked for and made; the variable names another place."""
COMPLETE = "complete.txt"
"""A file in the environment that holds its requirement, written when all is installed."""


class NotInstalledError(Exception):
    """A peer is not there; the text says why."""


def python_of(name: str, requirement: str | None, place: Path = PLACE) -> Path:
    """Return the interpreter that has a peer; without a requirement, this one."""
    if requirement is None:
        return Path(sys.executable)
    directory = (place / name).absolute()
    python = directory / "bin" / "python"
    complete = directory / COMPLETE
    if not (complete.exists() and complete.read_text().strip() == requirement):
        venv.create(directory, clear=True)
        _install(python, requirement)
        complete.write_text(requirement + "\n")
    return python


def _install(python: Path, requirement: str) -> None:
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    done = subprocess.run([*pip, "install", requirement], capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise NotInstalledError((errors or ["pip failed"])[-1].removeprefix("ERROR: "))


def check_program(program: str | None, hint: str) -> None:
    """Raise `NotInstalledError` where a program that a peer needs is missing."""
    if program is not None and shutil.which(program) is None:
        raise NotInstalledError(f"{program} is not there ({hint})")
