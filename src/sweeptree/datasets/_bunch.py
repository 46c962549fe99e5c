"""The form in which a data set is handed to the caller."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch


@dataclass(frozen=True)
class Table:
    """Inputs and integer class codes, with their names."""

    data: npt.NDArray[np.float64]
    target: npt.NDArray[np.intp]
    feature_names: list[str]
    target_names: npt.NDArray[np.str_]


def deliver(
    table: Table, *, description: str, return_X_y: bool, as_frame: bool, **extra: object
) -> Any:
    """Return `table` as scikit-learn's loaders do: a Bunch, or the pair (X, y)."""
    check_bool("return_X_y", return_X_y)
    check_bool("as_frame", as_frame)
    data: Any = table.data
    target: Any = table.target
    frame = None
    if as_frame:
        frame = _to_frame(table)
        data, target = frame[table.feature_names], frame["target"]
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=table.feature_names,
        target_names=table.target_names,
        DESCR=description,
        **extra,
    )


def check_bool(name: str, value: object) -> None:
    """Raise TypeError unless `value`, the argument called `name`, is a boolean."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")


def _to_frame(table: Table) -> Any:
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise ImportError("as_frame=True needs pandas; install it or use as_frame=False") from error
    frame = pandas.DataFrame(table.data, columns=table.feature_names)
    return frame.assign(target=table.target)
