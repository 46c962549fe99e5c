"""Tables to hand out: a DataFrame if pandas is there, else a structured array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


def make_frame(columns: Mapping[str, Any], index: Any = None) -> Any:
    """Put columns side by side.

    Parameters
    ----------
    columns : mapping of str to array-like
        Columns of equal length, by name.
    index : array-like, default=None
        Names of the rows; only a DataFrame carries them.

    Returns
    -------
    DataFrame, or structured ndarray where pandas is not installed
        Either gives a column by its name: ``table["entropy"]``.

    Examples
    --------
    >>> make_frame({"class": ["a", "b"], "share": [0.25, 0.75]})["share"].tolist()
    [0.25, 0.75]
    """
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    try:
        import pandas as pd
    except ImportError:
        return _structured(arrays)
    return pd.DataFrame(arrays, index=index)


def _structured(arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    n_rows = len(next(iter(arrays.values())))
    table = np.empty(n_rows, dtype=[(name, array.dtype) for name, array in arrays.items()])
    for name, array in arrays.items():
        table[name] = array
    return table


def names_of(table: Any) -> list[str]:
    """Names of the columns of a table that `make_frame` made."""
    return list(table.columns) if hasattr(table, "columns") else list(table.dtype.names)


def records_of(table: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table that `make_frame` made, by name."""
    names = names_of(table)
    columns = [np.asarray(table[name]).tolist() for name in names]
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


def index_of(X: Any) -> Any:
    """Names of a table's rows, if it has any."""
    return X.index if hasattr(X, "index") and hasattr(X, "columns") else None
