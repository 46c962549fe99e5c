"""Tables of rows whose classes are known, and which column holds these."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sweeptree.cli.models import cell_kinds, model_rows, read_model_table
from sweeptree.cli.showing import WrongCallError
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.names import listed
from sweeptree.table_files import STANDARD_STREAM, Table, TableFileError, labels_of, read_names
from sweeptree.table_files.table import Array
from sweeptree.table_files.writing import cells_of


class HeldOut(NamedTuple):
    """Rows as a model's methods take them, and their classes."""

    source: str
    target: str
    rows: dict[str, Array]
    labels: Array


def read_held_out(
    model_path: str, model: BayesianTreeClassifier, table_path: str, target: str | None
) -> HeldOut:
    """Read a table with the model's columns and the classes of its rows.

    Parameters
    ----------
    model_path : str
        For messages.
    model : BayesianTreeClassifier
    table_path : str
    target : str or None
        Column of the classes; None: the one column that holds the model's classes.
    """
    candidates = [target] if target else _other_columns(model, table_path)
    table = read_model_table(model_path, model, table_path, candidates, "--target")
    target = target or _find_target(model, table, candidates)
    labels = _known_labels(model, _with_target_as_text(model, table, target), target)
    return HeldOut(table.source, target, model_rows(model, table), labels)


def _other_columns(model: BayesianTreeClassifier, table: str) -> list[str]:
    if table == STANDARD_STREAM or Path(table).is_fifo():
        raise WrongCallError("A table that can be read only once needs --target.")
    known = cell_kinds(model)
    return [name for name in read_names(table) if name not in known]


def _find_target(model: BayesianTreeClassifier, table: Table, candidates: list[str]) -> str:
    """Return the only column, among those that the model does not use, that holds its classes.

    One in which most cells do is taken where there is none in which all do, so that the others can
    be told.
    """
    classes = _classes_as_written(model)
    shares = {name: _share_of_classes(model, table.columns[name]) for name in candidates}
    found = [name for name in candidates if shares[name] == 1.0]
    found = found or [name for name in candidates if shares[name] > 0.5]
    if len(found) != 1:
        what = (
            f"{', '.join(map(repr, found))} all hold"
            if found
            else "No column beside those of the model holds"
        )
        raise WrongCallError(
            f"{what} the model's classes ({listed(classes)}) in {table.source}; say which "
            "one to take with --target."
        )
    return found[0]


def _with_target_as_text(model: BayesianTreeClassifier, table: Table, target: str) -> Table:
    """Turn a column that was read as the model knows it into text, if it is to hold the classes."""
    if cell_kinds(model).get(target, "text") == "text":
        return table
    cells = [cell or None for cell in cells_of(table.columns[target])]
    return replace(table, columns=table.columns | {target: np.array(cells, dtype=object)})


def _known_labels(model: BayesianTreeClassifier, table: Table, target: str) -> Array:
    """Return the class of each row, as one of the model's."""
    place_of = {text: place for place, text in enumerate(_classes_as_written(model))}
    labels = [_as_class(model, str(label)) for label in labels_of(table, target).tolist()]
    for label, place in zip(labels, table.places.tolist(), strict=True):
        if label not in place_of:
            raise TableFileError(
                f"Column {target!r} of {table.source} has {label!r} in {table.unit} {place}, which "
                f"is none of the model's classes ({', '.join(place_of)}); leave such rows out."
            )
    known: Array = model.classes_[[place_of[label] for label in labels]]
    return known


def _classes_as_written(model: BayesianTreeClassifier) -> list[str]:
    return [str(label) for label in model.classes_.tolist()]


def _share_of_classes(model: BayesianTreeClassifier, cells: Array) -> float:
    classes = set(_classes_as_written(model))
    n_found = sum(cell is not None and _as_class(model, cell) in classes for cell in cells)
    return n_found / len(cells)


def _as_class(model: BayesianTreeClassifier, cell: str) -> str:
    """Write a cell as the model's classes are: TRUE as True, 1.0 as 1."""
    kind = model.classes_.dtype.kind
    if kind == "b":
        return cell.strip().capitalize()
    is_whole = kind in "iu" and re.fullmatch(r"[+-]?\d+\.0*", cell.strip())
    return str(int(float(cell))) if is_whole else cell
