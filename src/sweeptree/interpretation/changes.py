"""What would change the class of one case, one variable at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.columns import Column
from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel
from sweeptree.frames import make_frame, records_of
from sweeptree.interpretation.conditions import as_users_values
from sweeptree.interpretation.words import is_missing, short_number, show_beyond, show_value
from sweeptree.posterior import Trees
from sweeptree.prediction import Predictor, predictor_of
from sweeptree.spacing import evenly_spaced

N_TRIED = 64
"""Thresholds tried at once in one direction, when looking for what would change the class."""


def find_changes(model: FittedModel, row: FloatArray) -> Any:
    """Find the nearest values of each variable that change the class.

    Of an ordered variable the nearest up and the nearest down, seen from the median of training if
    it is missing; of a category, every other level that does.
    """
    posterior = model.posterior_
    predict = predictor_of(posterior, model.engine)
    present = int(predict(row[None])[0].argmax())
    used = np.unique(posterior.trees.variable[posterior.trees.variable >= 0]).tolist()
    needed = _levels_needed(model, predict, row, used, present)
    ways = [
        (column, values)
        for column in used
        if model.columns_[column].kind in ("number", "date")
        for values in _values_to_try(model, column, row[column])
        if len(values)
    ]
    coarse = [evenly_spaced(len(values), N_TRIED) for _, values in ways]
    first = _first_changes(predict, row, ways, coarse, present)
    fine = [_between_tries(tried, at) for tried, at in zip(coarse, first, strict=True)]
    nearest = _first_changes(predict, row, ways, fine, present)
    needed += dict.fromkeys(  # both ways from missing may end where they start, at the median
        (column, values[tried[at]])
        for (column, values), tried, at in zip(ways, fine, nearest, strict=True)
        if at is not None
    )
    return _as_table(model, predict, row, needed)


def _between_tries(tried: npt.NDArray[np.intp], at: int | None) -> npt.NDArray[np.intp]:
    """Places after the try before one, and up to it; none if there is no such try."""
    if at is None:
        return np.empty(0, dtype=np.intp)
    start = tried[at - 1] + 1 if at else 0
    places: npt.NDArray[np.intp] = start + evenly_spaced(tried[at] - start + 1, N_TRIED)
    return places


def _levels_needed(
    model: FittedModel, predict: Predictor, row: FloatArray, used: list[int], present: int
) -> list[tuple[int, float]]:
    """Every level of every category that changes the class; True and False count as levels."""
    tried = [
        (column, float(level))
        for column in used
        for level in range(_n_levels(model.columns_[column]))
        if level != row[column]
    ]
    predicted = predict(_with(row, tried)).argmax(axis=1)
    return [each for each, label in zip(tried, predicted, strict=True) if label != present]


def _n_levels(column: Column) -> int:
    return 2 if column.kind == "boolean" else len(column.levels)


def _with(row: FloatArray, changes: list[tuple[int, float]]) -> FloatArray:
    """Return the row once for each change, with that one made."""
    rows = np.repeat(row[None], len(changes), axis=0)
    for changed, (column, value) in zip(rows, changes, strict=True):
        changed[column] = value
    return rows


def _values_to_try(model: FittedModel, column: int, value: float) -> tuple[FloatArray, FloatArray]:
    """Values that may change the class, nearest first: downwards, upwards."""
    if np.isnan(value):
        return _values_from_the_median(model.training_.X[:, column])
    return _values_to_cross(model.posterior_.trees, column, value)


def _values_from_the_median(training: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Values that training had, from the median on, and with it: downwards, upwards."""
    present = training[~np.isnan(training)]
    values, median = np.unique(present), np.quantile(present, 0.5, method="inverted_cdf")
    return values[values <= median][::-1], values[values >= median]


def _values_to_cross(trees: Trees, column: int, value: float) -> tuple[FloatArray, FloatArray]:
    """Values just beyond each threshold, nearest first: downwards, upwards."""
    thresholds = np.unique(trees.threshold[trees.nodes_asking(column, "at most")])
    downwards = thresholds[thresholds < value][::-1]
    upwards = np.nextafter(thresholds[thresholds >= value], np.inf)
    return downwards, upwards


def _first_changes(
    predict: Predictor,
    row: FloatArray,
    ways: list[tuple[int, FloatArray]],
    tried: list[npt.NDArray[np.intp]],
    present: int,
) -> list[int | None]:
    """Tell for each way the first of the values tried at which the class is another."""
    n_tried = [len(places) for places in tried]
    rows = np.repeat(row[None], sum(n_tried), axis=0)
    ends = np.cumsum(n_tried).tolist()
    for (column, values), places, end in zip(ways, tried, ends, strict=True):
        rows[end - len(places) : end, column] = values[places]
    predicted = predict(rows).argmax(axis=1)
    first: list[int | None] = []
    for n, end in zip(n_tried, ends, strict=True):
        changed = np.flatnonzero(predicted[end - n : end] != present)
        first.append(int(changed[0]) if len(changed) else None)
    return first


def _as_table(
    model: FittedModel, predict: Predictor, row: FloatArray, needed: list[tuple[int, float]]
) -> Any:
    columns = [column for column, _ in needed]
    values = np.array([value for _, value in needed], dtype=float)
    rows = _with(row, needed)
    probabilities = predict(rows)
    distance = np.array([_distance(model, row, column, value) for column, value in needed])
    order = np.argsort(distance, kind="stable")
    known = model.columns_
    is_number = all(known[column].kind == "number" for column in columns)
    shown = [known[column].show(value) for column, value in needed]
    table = {
        "variable": np.array([known[column].name for column in columns], dtype=object),
        "value": as_users_values(known, row, columns),
        "needed": values if is_number else np.array([*shown, None], dtype=object)[:-1],
        "becomes": model.classes_[probabilities.argmax(axis=1)],
        "probability": probabilities.max(axis=1, initial=0),
        "distance": distance,
    }
    return make_frame({name: column[order] for name, column in table.items()})


def _distance(model: FittedModel, row: FloatArray, column: int, value: float) -> float:
    """As a share of the variable's range; 1 between levels of a category, and from missing."""
    if _n_levels(model.columns_[column]) or np.isnan(row[column]):
        return 1.0
    training = model.training_.X[:, column]
    width = np.nanmax(training) - np.nanmin(training)
    return float(abs(value - row[column]) / width)


def changes_in_words(table: Any, columns: tuple[Column, ...]) -> list[str]:
    """Write each change on a line."""
    column_of = {column.name: column for column in columns}
    return [_in_words(change, column_of[change["variable"]]) for change in records_of(table)]


def _in_words(change: dict[str, Any], column: Column) -> str:
    before, after = _ends_in_words(change["value"], change["needed"], column)
    return (
        f"{column.name} {before} to {after}: {change['becomes']} with probability "
        f"{change['probability']:.2f}"
    )


def _ends_in_words(value: Any, needed: Any, column: Column) -> tuple[str, str]:
    if is_missing(value):
        return "from missing", short_number(needed) if column.kind == "number" else str(needed)
    if column.kind == "number":
        direction = "down" if needed < value else "up"
        return f"{direction} from {show_value(column, value)}", show_beyond(column, needed, value)
    if column.kind == "date":
        moments = np.array([needed, value], dtype="datetime64[us]").astype(np.int64)
        return f"from {value}", show_beyond(column, *moments.tolist())
    return f"from {value}", str(needed)
