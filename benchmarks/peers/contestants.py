"""Who is measured, from which requirement, and with which settings."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.peers.environments import PLACE, check_program, python_of


@dataclass(frozen=True)
class Package:
    """What a contestant runs in."""

    module: str
    """Of `benchmarks.peers`."""
    requirement: str | None = None
    """None: it is in the environment of the runner."""
    program: str | None = None
    """Something that pip does not install."""
    hint: str = ""

    def python(self, place: Path = PLACE) -> Path:
        """Return the interpreter to run it with; what is missing is installed first."""
        check_program(self.program, self.hint)
        return python_of(self.module.replace("_", "-"), self.requirement, place)


OURS = Package("ours")
SCIKIT_LEARN = Package("scikit_learn")
BARTZ = Package("bartz", "bartz==0.13.0")
STOCHTREE = Package("stochtree", "stochtree==0.4.5")
PYMC_BART = Package("pymc_bart", "pymc-bart==0.11.0")
BAYESML = Package("bayesml", "bayesml==0.5.1")
TGP = Package("tgp", program="Rscript", hint="apt-get install r-base-core r-cran-tgp")


@dataclass(frozen=True)
class Contestant:
    """A package with settings."""

    label: str
    package: Package
    settings: dict[str, Any] = field(default_factory=dict)


ONE_WALKER = {"n_rungs": 1, "n_jobs": 1}
BART_PRIOR = {"tree_prior": "depth", "gamma": 0.95, "delta": 2.0}
"""What bartz and stochtree have by default; tgp's is the same with 0.5 for 0.95."""
OF_MOVES = (
    Contestant("sweeptree, prior of BART", OURS, {"estimator": ONE_WALKER | BART_PRIOR}),
    Contestant("sweeptree, its own prior", OURS, {"estimator": ONE_WALKER}),
    Contestant("bartz, 1 tree", BARTZ, {"num_trees": 1}),
    Contestant("bartz, 200 trees (its default)", BARTZ),
    Contestant("stochtree, 1 tree", STOCHTREE, {"num_trees": 1}),
    Contestant("pymc-bart, 1 tree", PYMC_BART, {"m": 1}),
    Contestant("bayesml, meta-tree", BAYESML, {"c_max_depth": 5}),
    Contestant("tgp, bcart (regression on 0/1)", TGP),
)
"""All with one thread; the first is the one that the others are compared with."""

OF_QUALITY = (
    Contestant("sweeptree, exact", OURS, {"estimator": {"n_jobs": 1}}),
    Contestant("sweeptree, sweeping", OURS, {"estimator": {"strategy": "sweeping", "n_jobs": 1}}),
    Contestant("bartz", BARTZ),
    Contestant("stochtree", STOCHTREE),
    Contestant("pymc-bart", PYMC_BART, {"cores": 1}),
    Contestant("bayesml, meta-tree", BAYESML, {"c_max_depth": 5}),
    Contestant("random forest", SCIKIT_LEARN, {"estimator": "RandomForestClassifier"}),
    Contestant("gradient boosting", SCIKIT_LEARN, {"estimator": "HistGradientBoostingClassifier"}),
)

OF_FITS = (
    Contestant("sweeptree", OURS),
    Contestant("stochtree", STOCHTREE),
    Contestant("bartz", BARTZ),
)
"""As they come: every default, all cores."""


def add_choice_of_peers(parser: argparse.ArgumentParser) -> None:
    """Add what every benchmark of peers can be told."""
    parser.add_argument("--peers", nargs="*", metavar="PEER", help="names of packages; all")
    parser.add_argument(
        "--environments",
        type=Path,
        default=PLACE,
        metavar="DIR",
        help="where theirs are, and are made; %(default)s, or what SWEEPTREE_PEERS says",
    )


def chosen_of(contestants: Sequence[Contestant], names: Sequence[str] | None) -> list[Contestant]:
    """Return those whose package is named, and ours; all, where none is named."""
    if names is None:
        return list(contestants)
    known = {each.package.module for each in contestants}
    unknown = sorted(set(names) - known)
    if unknown:
        raise ValueError(f"There is no peer {unknown[0]!r}; there are {', '.join(sorted(known))}.")
    return [each for each in contestants if each.package in (OURS, *_named(contestants, names))]


def _named(contestants: Sequence[Contestant], names: Sequence[str]) -> list[Package]:
    return [each.package for each in contestants if each.package.module in names]
