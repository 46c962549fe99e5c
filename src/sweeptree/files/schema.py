"""Which arrays a model file has, and what each may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sweeptree.files.archive import AnyArray
from sweeptree.files.errors import ModelFileError, require
from sweeptree.settings import LARGEST_ALPHA, MOVES, OUTCOMES, PHASES
from sweeptree.verdict import Verdict

LARGEST = float(np.finfo(np.float64).max)


class Part(NamedTuple):
    """An array of a model file."""

    dtype: str
    dimensions: tuple[str, ...]
    """What it is along; arrays along the same thing are of the same length."""
    lowest: float = -np.inf
    highest: float = np.inf
    """All numbers lie between these, both included."""
    may_be_nan: bool = False
    by_bytes: bool = False
    """Whether it is stored as the lowest bytes of all numbers, then the second lowest and so on:
    numbers that are alike then stand in a file that is a fifth smaller."""


HEADER = "header"

PARTS = {
    HEADER: Part("|u1", ("byte",)),
    "rule_variable": Part("<i4", ("rule",), -1),
    "rule_threshold": Part("<f8", ("rule",), -LARGEST, LARGEST, by_bytes=True),
    "rule_test": Part("|u1", ("rule",), 0, 3),
    "rule_missing_left": Part("|u1", ("rule",), 0, 1),
    "node_rule": Part("<i4", ("node",), 0),
    "leaf_counts": Part("<i4", ("leaf", "class"), 0, by_bytes=True),
    "tree_index": Part("<i4", ("chain", "draw"), 0, by_bytes=True),
    "alpha_index": Part("<i4", ("chain", "draw"), 0),
    "alphas": Part("<f8", ("alpha", "class"), 0, LARGEST_ALPHA),
    "log_likelihood": Part("<f8", ("chain", "draw"), -np.inf, LARGEST, by_bytes=True),
    "log_prior": Part("<f8", ("chain", "draw"), -np.inf, LARGEST),
    "moves": Part("<i8", ("run", "phase", "move", "outcome"), 0),
    "rule_scale": Part("<f8", ("run", "variable"), 0, LARGEST),
    "verdict": Part("<f8", ("figure",), 0, may_be_nan=True),
}
"""Of every model. A chain is one of draws; a run is one of the chains that made them, which may
have been pooled since."""

TRAINING_ROWS = {
    "training_X": Part("<f8", ("row", "column"), -LARGEST, LARGEST, may_be_nan=True),
    "training_labels": Part("<i4", ("row",), 0),
}
FULL_TRACE = {
    "full_trace_n_leaves": Part("<i4", ("run", "step"), 1),
    "full_trace_log_likelihood": Part("<f8", ("run", "step"), -np.inf, LARGEST),
}

ALL_PARTS = {**PARTS, **TRAINING_ROWS, **FULL_TRACE}

KNOWN_SIZES = {
    "phase": len(PHASES),
    "move": len(MOVES),
    "outcome": len(OUTCOMES),
    "figure": len(Verdict._fields),
}
MAY_BE_EMPTY = {"variable"}
"""A table whose columns are all constant has no variable."""


def to_stored(arrays: Mapping[str, AnyArray]) -> dict[str, AnyArray]:
    """Give arrays the types and the order of bytes that they have in a file."""
    return {name: _to_stored(array, ALL_PARTS[name]) for name, array in arrays.items()}


def from_stored(arrays: Mapping[str, AnyArray]) -> dict[str, AnyArray]:
    """Undo `to_stored`; arrays that no model has are left as they are."""
    return {
        name: _from_stored(name, array, ALL_PARTS[name])
        if name in ALL_PARTS and ALL_PARTS[name].by_bytes
        else array
        for name, array in arrays.items()
    }


def _to_stored(array: AnyArray, part: Part) -> AnyArray:
    array = np.ascontiguousarray(array, part.dtype)
    if not part.by_bytes:
        return array
    return np.ascontiguousarray(np.moveaxis(array[..., None].view(np.uint8), -1, 0))


def _from_stored(name: str, array: AnyArray, part: Part) -> AnyArray:
    _check_type(name, "|u1", array)
    _check_n_dimensions(name, 1 + len(part.dimensions), array)
    itemsize = np.dtype(part.dtype).itemsize
    require(
        len(array) == itemsize,
        f"its part {name!r} has {len(array)} in the place of {itemsize} for each byte",
    )
    return np.ascontiguousarray(np.moveaxis(array, 0, -1)).view(part.dtype)[..., 0]


def check_parts(arrays: Mapping[str, AnyArray], sizes: Mapping[str, int]) -> None:
    """Check that all arrays are there, and no others, with types, shapes and numbers that fit.

    Parameters
    ----------
    arrays : mapping of str to array
    sizes : mapping of str to int
        Lengths that are known of some dimensions.
    """
    parts = _parts_of(arrays)
    known = {**KNOWN_SIZES, **sizes}
    for name, part in parts.items():
        _check_type(name, part.dtype, arrays[name])
        _check_n_dimensions(name, len(part.dimensions), arrays[name])
        _check_shape(name, part, arrays[name], known)
        _check_numbers(name, part, arrays[name])


def _parts_of(arrays: Mapping[str, AnyArray]) -> dict[str, Part]:
    """Those that the file has to have, by those it has."""
    parts = dict(PARTS)
    for group in (TRAINING_ROWS, FULL_TRACE):
        if not group.keys().isdisjoint(arrays):
            parts.update(group)
    for name in sorted(parts.keys() - arrays.keys()):
        raise ModelFileError(f"it has no part {name!r}")
    for name in sorted(arrays.keys() - parts.keys()):
        raise ModelFileError(f"it has a part {name!r}, which no model has")
    return parts


def _check_type(name: str, dtype: str, array: AnyArray) -> None:
    require(
        array.dtype.str == dtype,
        f"its part {name!r} has the type {array.dtype.str!r} instead of {dtype!r}",
    )


def _check_n_dimensions(name: str, n_dimensions: int, array: AnyArray) -> None:
    require(
        array.ndim == n_dimensions,
        f"its part {name!r} has {array.ndim} dimensions instead of {n_dimensions}",
    )


def _check_shape(name: str, part: Part, array: AnyArray, known: dict[str, int]) -> None:
    for dimension, size in zip(part.dimensions, array.shape, strict=True):
        wanted = known.setdefault(dimension, size)
        require(
            size == wanted,
            f"its part {name!r} has {size} in the place of {wanted} for each {dimension}",
        )
        require(size > 0 or dimension in MAY_BE_EMPTY, f"its part {name!r} is empty")


def _check_numbers(name: str, part: Part, array: AnyArray) -> None:
    fits = (array >= part.lowest) & (array <= part.highest)
    if part.may_be_nan:
        fits |= np.isnan(array)
    require(fits.all(), f"its part {name!r} has a number that cannot be there")
