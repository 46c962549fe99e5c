"""Loaders of the frozen data files."""

import math
from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from sweeptree.datasets._bunch import Table, check_bool, deliver
from sweeptree.datasets._files import DATA_MODULE, read_description, read_rows
from sweeptree.datasets._injury import survival_probability


def load_ionosphere(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the Ionosphere radar returns (351 rows, 34 inputs, 2 classes).

    Column V2 is 0 in every row and is kept as in the source; a constant column gets no rule.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        Return pandas objects instead of arrays.

    Returns
    -------
    Bunch or (data, target)
        ``data`` (351, 34), ``target`` with codes 0 = bad and 1 = good, ``feature_names``,
        ``target_names`` (alphabetical), ``frame``, ``DESCR`` (source and licence), ``filename``
        and ``data_module``.

    Examples
    --------
    >>> from sweeptree.datasets import load_ionosphere
    >>> ionosphere = load_ionosphere()
    >>> ionosphere.data.shape
    (351, 34)
    >>> ionosphere.target_names.tolist()
    ['bad', 'good']
    """
    return _deliver_file(
        "ionosphere", _read_table("ionosphere"), return_X_y=return_X_y, as_frame=as_frame
    )


def load_votes(
    *,
    missing: float | Literal["nan"] = 0.5,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Load the 1984 congressional voting records (435 rows, 16 votes, 2 classes).

    A nay is 0 and a yea is 1. A missing vote means an unknown disposition, an answer of a third
    kind rather than a lost value, and is by default placed half-way.

    Parameters
    ----------
    missing : float or "nan", default=0.5
        The value of a missing vote; ``"nan"`` stands for NaN.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        Return pandas objects instead of arrays.

    Returns
    -------
    Bunch or (data, target)
        ``data`` (435, 16), ``target`` with codes 0 = democrat and 1 = republican,
        ``feature_names``, ``target_names`` (alphabetical), ``frame``, ``DESCR`` (source and
        licence), ``filename`` and ``data_module``.

    Examples
    --------
    >>> from sweeptree.datasets import load_votes
    >>> votes = load_votes()
    >>> sorted(set(votes.data.ravel().tolist()))
    [0.0, 0.5, 1.0]
    >>> import numpy as np
    >>> int(np.isnan(load_votes(missing="nan").data).sum())
    392
    """
    codes = {"n": 0.0, "y": 1.0, "": _missing_value(missing)}
    table = _read_table("votes", encode=codes.__getitem__)
    return _deliver_file("votes", table, return_X_y=return_X_y, as_frame=as_frame)


def load_wisconsin(
    *, complete: bool = True, return_X_y: bool = False, as_frame: bool = False
) -> Any:
    """Load Breast Cancer Wisconsin (Original) (683 complete rows, 9 inputs, 2 classes).

    Parameters
    ----------
    complete : bool, default=True
        Keep only the 683 complete rows; otherwise return all 699, with NaN for the 16 missing
        values of ``bare_nuclei``.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        Return pandas objects instead of arrays.

    Returns
    -------
    Bunch or (data, target)
        ``data`` (683 or 699, 9), ``target`` with codes 0 = benign and 1 = malignant,
        ``feature_names``, ``target_names`` (alphabetical), ``frame``, ``DESCR`` (source and
        licence), ``filename`` and ``data_module``.

    Examples
    --------
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> X.shape
    (683, 9)
    >>> load_wisconsin(complete=False).data.shape
    (699, 9)
    """
    check_bool("complete", complete)
    table = _read_table("wisconsin")
    if complete:
        table = _complete_rows(table)
    return _deliver_file("wisconsin", table, return_X_y=return_X_y, as_frame=as_frame)


def load_injury(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load Injury (synthetic stand-in): 1468 rows, 18 inputs, 2 classes.

    No row is a patient: this is a synthetic stand-in for a private set of trauma cases, one frozen
    draw of `make_injury`. In return the true probability of survival is known for every row.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        Return pandas objects instead of arrays.

    Returns
    -------
    Bunch or (data, target)
        ``data`` (1468, 18), ``target`` with codes 0 = died and 1 = survived,
        ``true_probability`` (1468,), an array of P(survived | x), ``feature_names``,
        ``target_names`` (alphabetical), ``frame``, ``DESCR``, ``filename`` and ``data_module``.

    Examples
    --------
    >>> from sweeptree.datasets import load_injury
    >>> injury = load_injury()
    >>> injury.data.shape
    (1468, 18)
    >>> round(float(injury.true_probability.mean()), 2), round(float(injury.target.mean()), 2)
    (0.75, 0.75)
    """
    table = _read_table("injury_synthetic")
    return _deliver_file(
        "injury_synthetic",
        table,
        return_X_y=return_X_y,
        as_frame=as_frame,
        true_probability=survival_probability(table.data),
    )


def _number_or_nan(cell: str) -> float:
    return float(cell) if cell else math.nan


def _read_table(name: str, encode: Callable[[str], float] = _number_or_nan) -> Table:
    header, *rows = read_rows(f"{name}.csv")
    target_names, target = np.unique([row[-1] for row in rows], return_inverse=True)
    return Table(
        data=np.array([[encode(cell) for cell in row[:-1]] for row in rows]),
        target=target,
        feature_names=header[:-1],
        target_names=target_names,
    )


def _complete_rows(table: Table) -> Table:
    complete = ~np.isnan(table.data).any(axis=1)
    return replace(table, data=table.data[complete], target=table.target[complete])


def _missing_value(missing: object) -> float:
    if isinstance(missing, str) and missing == "nan":
        return math.nan
    if isinstance(missing, bool) or not isinstance(missing, Real):
        raise TypeError(f'missing must be a number or "nan", got {missing!r}')
    if math.isinf(missing):
        raise ValueError(f'missing must be a finite number or "nan", got {missing!r}')
    return float(missing)


def _deliver_file(
    name: str, table: Table, *, return_X_y: bool, as_frame: bool, **extra: object
) -> Any:
    return deliver(
        table,
        description=read_description(name),
        return_X_y=return_X_y,
        as_frame=as_frame,
        filename=f"{name}.csv",
        data_module=DATA_MODULE,
        **extra,
    )
