"""Models and the tables that they are used on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sweeptree.cli.column_lists import hint_at_spaces
from sweeptree.cli.showing import WrongCallError
from sweeptree.columns import Column
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.loading import load
from sweeptree.table_files import CellKind, Table, WrongColumnError, read_chunks
from sweeptree.table_files.table import Array, hint_at_columns, joined, lack_of


def load_model(path: str) -> BayesianTreeClassifier:
    """Load a model whose columns have names, so that tables can be held against it."""
    model = load(path)
    if not hasattr(model, "feature_names_in_"):
        raise WrongCallError(
            f"The model in {path} was fitted on columns without names, so that its columns cannot "
            "be found in a file; fit it on a table that has names."
        )
    return model


def read_model_chunks(
    model_path: str,
    model: BayesianTreeClassifier,
    table: str,
    as_text: Sequence[str] = (),
    option: str = "",
) -> Iterator[Table]:
    """Yield the model's columns of a table, and some others as text, in chunks.

    Parameters
    ----------
    model_path : str
        For messages.
    model : BayesianTreeClassifier
    table : str
    as_text : sequence of str
        Further columns.
    option : str
        The one that names these, for messages.
    """
    kinds = cell_kinds(model)
    further: dict[str, CellKind] = {name: "text" for name in as_text if name not in kinds}
    try:
        yield from read_chunks(table, kinds | further)
    except WrongColumnError as error:
        if all(name in further for name in error.missing):
            lack = f"{lack_of(error.source, error.missing)}, which {option} names"
            hint = hint_at_spaces(option, as_text, error)
            hint = hint or hint_at_columns(error.missing, error.names)
            raise WrongColumnError(f"{lack}; {hint}") from error
        raise WrongColumnError(f"{model_path} does not go with the table: {error}") from error


def read_model_table(
    model_path: str,
    model: BayesianTreeClassifier,
    table: str,
    as_text: Sequence[str] = (),
    option: str = "",
) -> Table:
    """Read the model's columns of a whole table, and some others as text."""
    return joined(list(read_model_chunks(model_path, model, table, as_text, option)))


def model_rows(model: BayesianTreeClassifier, table: Table) -> dict[str, Array]:
    """Return the model's columns of a table, as its methods take them."""
    return {name: table.columns[name] for name in cell_kinds(model)}


def cell_kinds(model: BayesianTreeClassifier) -> dict[str, CellKind]:
    """Return how the cells of each of a model's columns are to be read."""
    return {column.name: _cell_kind(column) for column in model.columns_}


def _cell_kind(column: Column) -> CellKind:
    if column.kind != "category":
        return column.kind
    if any(isinstance(level, str) for level in column.levels):
        return "text"
    return "boolean" if all(isinstance(level, bool) for level in column.levels) else "number"
