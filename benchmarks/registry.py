"""Every benchmark is a module of this package; this is the list of them.

A benchmark has a docstring that says in its first line what is measured, and ``run(options)``,
which yields an `Outcome` whenever something worth keeping has been found; the last is the result.
It may have ``add_options(parser)``, and ``QUICK``: what its options are for a short run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

from benchmarks.outcome import Outcome

NAMES = (
    "annealing",
    "calibration",
    "defaults",
    "file_size",
    "growth",
    "held_out",
    "help_time",
    "large_tables",
    "leave_one_out",
    "mixing",
    "moves",
    "peers_fits",
    "peers_quality",
    "peers_speed",
    "prediction",
    "rates",
    "rungs",
    "scaling",
    "screening",
    "small_trees",
    "soak",
    "stopping",
)


class Benchmark(NamedTuple):
    """One module, seen from the runner."""

    name: str
    module: Any

    @property
    def title(self) -> str:
        return str(self.module.__doc__).splitlines()[0]

    def parser(self, is_quick: bool = False) -> argparse.ArgumentParser:
        """Make the parser of its own options."""
        parser = argparse.ArgumentParser(
            prog=f"python -m benchmarks run {self.name}",
            description=self.module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if hasattr(self.module, "add_options"):
            self.module.add_options(parser)
        if is_quick:
            parser.set_defaults(**getattr(self.module, "QUICK", {}))
        return parser

    def run(self, options: argparse.Namespace) -> Iterator[Outcome]:
        outcomes: Iterator[Outcome] = self.module.run(options)
        return outcomes


def benchmark(name: str) -> Benchmark:
    """Find a benchmark by its name."""
    if name not in NAMES:
        raise ValueError(f"There is no benchmark {name!r}; there are {', '.join(NAMES)}.")
    return Benchmark(name, import_module(f"benchmarks.{name}"))
