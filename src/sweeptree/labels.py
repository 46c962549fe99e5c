"""Classes that a user gives for rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.columns import LARGEST_EXACT
from sweeptree.raw_table import without_mask, without_missing

PLAIN = (str, bool, int, float, np.bool_, np.integer, np.floating)


def plain_labels(y: Any) -> Any:
    """Return labels in a plain array: booleans and whole numbers as such, in whatever they came.

    Examples
    --------
    >>> plain_labels(np.array([True, False], dtype=object))
    array([ True, False])
    >>> plain_labels(np.zeros((3, 2)))
    Traceback (most recent call last):
        ...
    ValueError: y should be a 1d array, got an array of shape (3, 2): give the labels of one column.
    """
    y = without_mask(y)
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] > 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {labels.shape}: give the labels of one "
            "column."
        )
    if labels.ndim != 1:
        return y
    _refuse_odd_types(labels)
    _refuse_rounded_labels(labels)
    if labels.dtype == object:
        _refuse_mixed_types(labels)
    types = {type(label) for label in labels.tolist()} if labels.dtype == object else set()
    if types == {bool}:
        return labels.astype(bool)
    return _as_whole_numbers(labels) if types == {int} else labels


def _refuse_odd_types(labels: npt.NDArray[Any]) -> None:
    """Refuse dates, time spans, intervals and whatever else is neither text nor a number."""
    if labels.dtype.kind not in "OMm":
        return
    for row, label in enumerate(without_missing(labels)):
        if label is not None and not _is_plain(label):
            raise ValueError(
                f"y has labels of the type {type(label).__name__}: {label} in row {row}; labels "
                "are text, numbers or booleans, so give these as text."
            )


def _is_plain(label: Any) -> bool:
    """Whether a label is text, a number or a boolean; NumPy counts time spans among integers."""
    return isinstance(label, PLAIN) and not isinstance(label, np.timedelta64)


def _refuse_rounded_labels(labels: npt.NDArray[Any]) -> None:
    """Refuse whole numbers that may have been others before they were made floats."""
    if labels.dtype.kind != "f":
        return
    rounded = np.flatnonzero((np.abs(labels) >= LARGEST_EXACT) & np.isfinite(labels))
    if len(rounded):
        raise ValueError(
            f"y has the label {labels[rounded[0]]:.20g} as a float in row {rounded[0]}: floats "
            "cannot tell whole numbers beyond 2**53 apart; give the labels as integers or as text."
        )


def _refuse_mixed_types(labels: npt.NDArray[np.object_]) -> None:
    """Refuse text beside anything else: such labels have no order."""
    first_of: dict[bool, int] = {}
    for row, label in enumerate(without_missing(labels)):
        if label is not None:
            first_of.setdefault(isinstance(label, str), row)
    if len(first_of) > 1:
        one, other = sorted(first_of.values())
        raise ValueError(
            f"y has labels of different types: {labels[one]!r} in row {one} and "
            f"{labels[other]!r} in row {other}; make them all text or all numbers."
        )


def _as_whole_numbers(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    try:
        return labels.astype(np.int64)
    except OverflowError as error:
        too_large = next(label for label in labels if not -(2**63) <= label < 2**63)
        raise ValueError(
            f"y has the label {too_large}, and whole numbers beyond 2**63 cannot be labels; give "
            "them as text."
        ) from error


def refuse_missing_labels(y: Any) -> None:
    """Refuse labels of which one is missing.

    Examples
    --------
    >>> refuse_missing_labels(["ill", None, "well"])
    Traceback (most recent call last):
        ...
    ValueError: Input y contains NaN: the label of row 1 is missing; drop the rows without a label.
    """
    labels = np.asarray(without_mask(y))
    if labels.ndim != 1 or labels.dtype.kind not in "Of":
        return
    missing = np.flatnonzero([label is None for label in without_missing(labels)])
    if len(missing):
        raise ValueError(
            f"Input y contains NaN: the label of row {missing[0]} is missing; "
            "drop the rows without a label."
        )


def place_in_classes(y: Any, classes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the place of each label among the classes.

    Examples
    --------
    >>> place_in_classes(["yes", "no"], np.array(["no", "yes"])).tolist()
    [1, 0]
    """
    refuse_missing_labels(y)
    place_of = {label: place for place, label in enumerate(classes.tolist())}
    labels = np.asarray(y).tolist()
    places = np.array([place_of.get(label, -1) for label in labels], dtype=np.intp)
    unknown = np.flatnonzero(places < 0)
    if len(unknown):
        raise ValueError(
            f"y has the label {labels[unknown[0]]!r} (first in row {unknown[0]}), which is "
            f"not among the classes {classes.tolist()}."
        )
    return places
