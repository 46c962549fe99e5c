"""Writing a fitted model to a file, and reading it back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sweeptree.columns import Column
from sweeptree.constraints import refuse_booleans
from sweeptree.files.archive import AnyArray, Archive, write_archive
from sweeptree.files.checks import check_draws, check_rules, check_run, check_training_rows
from sweeptree.files.errors import ModelFileError, require
from sweeptree.files.header import (
    OF_A_FIT,
    read_classes,
    read_columns,
    read_header,
    read_parameters,
    write_header,
)
from sweeptree.files.packing import pack_trees, sizes_of, unpack_trees
from sweeptree.files.schema import (
    FULL_TRACE,
    HEADER,
    TRAINING_ROWS,
    check_parts,
    from_stored,
    parts_among,
    to_stored,
)
from sweeptree.fitted import FittedModel, TrainingRows, check_fitted
from sweeptree.posterior import Draws, FullTrace, Posterior
from sweeptree.verdict import Verdict
from sweeptree.writing import whole_file

MAX_BYTES = 2**30
"""What a file may unpack to unless more is allowed."""

OF_DRAWS = ("tree_index", "alpha_index", "alphas", "log_likelihood", "log_prior")
OF_RUNS = ("moves", "rule_scale")
"""Arrays of `Posterior` that stand in a file as they are."""

Arrays = Mapping[str, AnyArray]


def save(model: FittedModel, path: str | os.PathLike[str], *, training_rows: bool = True) -> None:
    """Write the fitted model to a file.

    The file is there as a whole or not at all: if anything fails, what was at `path` is still
    there. The same model makes the same bytes. Nothing in the file is ever executed.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    path : str or path
        Where to write; directories above it are made where they are missing.
    training_rows : bool, default=True
        Whether to keep the training rows. Without them the file tells less about single cases,
        and the loaded model predicts, but cannot explain. A model without them is saved without.

    Examples
    --------
    >>> import sweeptree
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=200, random_state=0).fit(X, y)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     model.save(f"{directory}/wisconsin.npz")
    ...     loaded = sweeptree.load(f"{directory}/wisconsin.npz")
    >>> bool((loaded.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    check_fitted(model)
    try:
        arrays = _pack(model, training_rows and hasattr(model, "training_"))
        _unpack(arrays, type(model))  # what could not be loaded is not written
    except ModelFileError as error:
        raise ModelFileError(f"The model cannot be saved: {error}.") from error
    with whole_file(Path(path)) as file:
        write_archive(file, arrays)


def read_model(path: Path, make: Callable[..., Any], max_bytes: int) -> Any:
    """Read a model whose estimator is made by `make` from its parameters."""
    try:
        archive = Archive(_read_bytes(path, max_bytes), max_bytes)
        read_header(archive.read(HEADER))  # a newer format, which says so, may have other parts
        parts_among(archive.names)
        return _unpack(archive.read_all(), make)
    except ModelFileError as error:
        raise ModelFileError(f"{path} cannot be loaded: {error}.") from error
    except RecursionError as error:
        reason = "its header is nested too deeply"
        raise ModelFileError(f"{path} cannot be loaded: {reason}.") from error


def _read_bytes(path: Path, max_bytes: int) -> bytes:
    require(path.is_file() or not path.exists(), "it is a directory or a device, not a file")
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        require(
            size <= max_bytes,
            f"it has {size:,} bytes, more than the max_bytes={max_bytes:,} allowed; give a larger "
            "max_bytes if you trust it",
        )
        return file.read(size)


def _pack(model: Any, with_training_rows: bool) -> dict[str, AnyArray]:
    """Turn a model into the arrays of a file."""
    posterior: Posterior = model.posterior_
    arrays = {
        HEADER: write_header(
            model.get_params(deep=False),
            model.classes_,
            model.columns_,
            hasattr(model, "feature_names_in_"),
            posterior,
        ),
        **pack_trees(posterior.trees, model.columns_),
        **{name: getattr(posterior, name) for name in (*OF_DRAWS, *OF_RUNS)},
        "verdict": np.array(posterior.verdict),
    }
    if with_training_rows:
        arrays.update(zip(TRAINING_ROWS, model.training_, strict=True))
    if posterior.full_trace is not None:
        arrays.update(zip(FULL_TRACE, posterior.full_trace, strict=True))
    return to_stored(arrays)


def _unpack(stored: Arrays, make: Callable[..., Any]) -> Any:
    """Turn the arrays of a file into a model, checking everything on the way."""
    arrays = from_stored(stored)
    header = read_header(arrays[HEADER])
    classes, columns = read_classes(header), read_columns(header)
    check_parts(arrays, {"class": len(classes), "column": len(columns)})
    check_rules(arrays, columns)
    check_run(header["run"])
    model = _make_model(make, read_parameters(header))
    model.classes_ = classes
    model.columns_ = columns
    model.n_features_in_ = len(columns)
    if header["has_column_names"]:
        model.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
    model.posterior_ = _unpack_posterior(arrays, columns, header["run"])
    if not TRAINING_ROWS.keys().isdisjoint(arrays):
        model.training_ = TrainingRows(*(_native(arrays[name]) for name in TRAINING_ROWS))
        check_training_rows(model.training_, columns, model.posterior_.trees)
    model.feature_importances_ = model.posterior_.split_shares(len(columns))
    return model


def _make_model(make: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    known = make().get_params(deep=False)
    for name in sorted(parameters.keys() - known.keys()):
        raise ModelFileError(
            f"it has the parameter {name!r}, which this version of sweeptree does not know; "
            "upgrade sweeptree"
        )
    require(OF_A_FIT not in parameters, f"it has the parameter {OF_A_FIT!r}, which no model has")
    model = make(**parameters)
    try:
        model._validate_params()
        refuse_booleans(parameters)
    except ValueError as error:
        raise ModelFileError(str(error).rstrip(".")) from error
    return model


def _unpack_posterior(
    arrays: Arrays, columns: Sequence[Column], run: Mapping[str, Any]
) -> Posterior:
    trees = unpack_trees(arrays, columns)
    sizes = sizes_of(trees.variable)
    tree_index = _native(arrays["tree_index"])
    require(tree_index.max() < len(trees), "a draw has a tree that is not there")
    draws = Draws(
        n_leaves=sizes.n_leaves[tree_index],
        depth=sizes.depth[tree_index],
        trees=trees,
        **{name: _native(arrays[name]) for name in OF_DRAWS},
    )
    check_draws(draws)
    of_runs: dict[str, Any] = {**{name: _native(arrays[name]) for name in OF_RUNS}, **run}
    return Posterior(
        **vars(draws),
        **of_runs,
        verdict=Verdict(*arrays["verdict"].tolist()),
        full_trace=_unpack_full_trace(arrays),
    )


def _unpack_full_trace(arrays: Arrays) -> FullTrace | None:
    if FULL_TRACE.keys().isdisjoint(arrays):
        return None
    return FullTrace(*(_native(arrays[name]) for name in FULL_TRACE))


def _native(array: AnyArray) -> AnyArray:
    """Copy an array into the machine's own order of bytes."""
    return array.astype(array.dtype.newbyteorder("="))
