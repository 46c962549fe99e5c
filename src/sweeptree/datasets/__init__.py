"""Data sets and generators for trying out and checking Bayesian decision trees."""

from sweeptree.datasets._injury import make_injury
from sweeptree.datasets._loaders import (
    load_injury,
    load_ionosphere,
    load_votes,
    load_wisconsin,
)
from sweeptree.datasets._xor import make_xor3

__all__ = [
    "load_injury",
    "load_ionosphere",
    "load_votes",
    "load_wisconsin",
    "make_injury",
    "make_xor3",
]
