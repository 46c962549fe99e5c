"""Draws and what they say of rows, for ArviZ."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree import memory
from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_fitted, check_labels, column_names, rows_of
from sweeptree.frames import index_of
from sweeptree.leaf_draws import draw_classes
from sweeptree.pointwise import log_likelihood
from sweeptree.posterior import Posterior
from sweeptree.prediction import forest_of
from sweeptree.raw_table import RawColumn
from sweeptree.table import read_raw

DRAWS = ("chain", "draw")
CLASS_OF_ROW = "y"
"""Name of the outcome in every group that has it; ArviZ pairs the groups by it."""
TIE_BREAKER = 1e-6
"""Nats of noise in a likelihood: many draws give a row the very same, and ArviZ's smoothing of the
tails of importance weights fails where a tail is all one value."""

Values = npt.NDArray[Any]
Group = dict[str, Any]
"""The arguments of an xarray Dataset."""


def to_arviz(model: FittedModel, X: Any = None, y: Any = None, *, random_state: int = 0) -> Any:
    """Hand the draws to ArviZ, with what they say of rows if there are any.

    Parameters
    ----------
    model : BayesianTreeClassifier
        Fitted; not given when called as a method.
    X : table of shape (n_rows, n_columns), default=None
        Rows to add what each draw says of them: all training rows for `arviz.loo` and
        `arviz.compare`, or new rows.
    y : array-like of shape (n_rows,), default=None
        Their classes.
    random_state : int, default=0
        Seed of the classes that are drawn for the rows.

    Returns
    -------
    InferenceData with ArviZ 0.x, DataTree with ArviZ 1.x
        Its groups are

        - `posterior`: `n_leaves`, `depth`, `log_posterior`, `variable_use` (the number of splits
          on each column) and, where it is learned, `alpha`;
        - `sample_stats`: `lp`, which is the log posterior again, `tree`, the place of the draw's
          tree among `posterior_.trees`, `acceptance_rate`, the share of a chain's moves after
          burn-in that changed the tree, and `move_count`, the number of moves by chain, phase,
          move and outcome;
        - with X: `posterior_predictive`, a class for each row and draw, and `constant_data`, the
          table as it is;
        - with y too: `log_likelihood` of each row by each draw, and `observed_data`.

        Classes are places in the coordinate `class`.

    Notes
    -----
    The likelihood of a row is the probability of its class given a draw and all other training
    rows: where X and y are the training rows, in whatever order, each is left out of the leaf
    that it is in. Other rows are taken as new, also where some of them were trained on.

    Examples
    --------
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import load_wisconsin
    >>> X, y = load_wisconsin(return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=50, random_state=0).fit(X, y)
    >>> draws = model.to_arviz(X[:10], y[:10])
    >>> draws["posterior"]["n_leaves"].shape, draws["log_likelihood"]["y"].shape
    ((4, 50), (4, 50, 10))
    """
    check_fitted(model)
    arviz, xarray = _import_libraries()
    groups = _groups_of_draws(model)
    if X is not None:
        groups |= _groups_of_rows(model, X, y, np.random.default_rng(random_state))
    elif y is not None:
        raise ValueError("y is given without X; give the rows that these are the classes of.")
    about = {"inference_library": "sweeptree", "inference_library_version": version("sweeptree")}
    datasets = {name: xarray.Dataset(**group).assign_attrs(about) for name, group in groups.items()}
    if int(arviz.__version__.split(".")[0]) < 1:
        return arviz.InferenceData(**datasets)
    return xarray.DataTree.from_dict(datasets)


class ArvizMixin:
    """The export to ArviZ as a method of a fitted model."""

    to_arviz = to_arviz


def _import_libraries() -> tuple[Any, Any]:
    try:
        import arviz
        import xarray
    except ImportError as error:
        raise ImportError(
            'to_arviz needs ArviZ; install it with: pip install "sweeptree[arviz]"'
        ) from error
    return arviz, xarray


def _groups_of_draws(model: FittedModel) -> dict[str, Group]:
    posterior = model.posterior_
    use = posterior.trees.splits_by_column(model.n_features_in_)[posterior.tree_index]
    sampled = {
        "n_leaves": (DRAWS, posterior.n_leaves),
        "depth": (DRAWS, posterior.depth),
        "log_posterior": (DRAWS, posterior.log_posterior),
        "variable_use": ((*DRAWS, "column"), use),
    }
    coordinates = {**_numbered(posterior), "column": column_names(model)}
    if len(posterior.alphas) > 1:
        sampled["alpha"] = ((*DRAWS, "class"), posterior.alpha)
        coordinates["class"] = _as_coordinate(model.classes_)
    return {
        "posterior": {"data_vars": sampled, "coords": coordinates, "attrs": _about_run(posterior)},
        "sample_stats": _statistics(posterior),
    }


def _statistics(posterior: Posterior) -> Group:
    moves = posterior.moves
    if len(moves) != posterior.n_chains:  # draws that were pooled
        moves = moves.sum(axis=0, keepdims=True)
    after_burn_in = moves[:, posterior.phase_names.index("sampling")].sum(axis=1)
    n_moves = dict(zip(posterior.outcome_names, after_burn_in.T, strict=True))
    changed = n_moves["accepted"] + n_moves["swept"]
    made = np.maximum(changed + n_moves["rejected"], 1)
    return {
        "data_vars": {
            "lp": (DRAWS, posterior.log_posterior),
            "tree": (DRAWS, posterior.tree_index),
            "acceptance_rate": (("chain",), changed / made),
            "move_count": (("chain", "phase", "move", "outcome"), moves),
        },
        "coords": {
            **_numbered(posterior),
            "phase": list(posterior.phase_names),
            "move": list(posterior.move_names),
            "outcome": list(posterior.outcome_names),
        },
    }


def _groups_of_rows(
    model: FittedModel, X: Any, y: Any, rng: np.random.Generator
) -> dict[str, Group]:
    rows = rows_of(model, X)
    labels = None if y is None else check_labels(model, y, len(rows))
    memory.check_row_draws_fit(model.posterior_, len(rows))
    leaf_of_row = forest_of(model.posterior_.trees, model.engine).apply(rows)
    names = index_of(X)
    row = {"row": np.arange(len(rows)) if names is None else _as_coordinate(np.array(names))}
    row_and_class = {**row, "class": _as_coordinate(model.classes_)}
    numbered = _numbered(model.posterior_)
    classes = draw_classes(model.posterior_, leaf_of_row, rng)
    groups = {
        "posterior_predictive": _outcome((*DRAWS, "row"), classes, {**numbered, **row_and_class}),
        "constant_data": {"data_vars": _columns_as_they_are(model, X), "coords": row},
    }
    if labels is None:
        return groups
    likelihood = _without_ties(log_likelihood(model.posterior_, leaf_of_row, labels), rng)
    return groups | {
        "log_likelihood": _outcome((*DRAWS, "row"), likelihood, {**numbered, **row}),
        "observed_data": _outcome(("row",), labels, row_and_class),
    }


def _outcome(dimensions: tuple[str, ...], values: Values, coordinates: dict[str, Values]) -> Group:
    """Make a group about the classes of rows."""
    return {"data_vars": {CLASS_OF_ROW: (dimensions, values)}, "coords": coordinates}


def _without_ties(likelihood: FloatArray, rng: np.random.Generator) -> FloatArray:
    for of_chain in likelihood:  # a chain at a time, to bound the memory
        of_chain += TIE_BREAKER * rng.random(of_chain.shape)
    return likelihood


def _columns_as_they_are(model: FittedModel, X: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name, column in zip(column_names(model), read_raw(X).columns, strict=True):
        key = name.replace("/", "_") or "_"  # a slash, or nothing, is no name in a netCDF file
        while key == "row" or key in columns:
            key += "_"
        columns[key] = (("row",), _as_shown(column), {"long_name": name})
    return columns


def _as_shown(column: RawColumn) -> Values:
    """Values that a netCDF file can hold; text that is missing is empty."""
    if column.kind == "category":
        return np.array(["" if v is None else str(v) for v in column.values], dtype=str)
    is_missing = np.isnan(column.values)
    if column.kind == "date":
        dates = np.where(is_missing, 0, column.values).astype("datetime64[us]")
        dates[is_missing] = np.datetime64("NaT", "us")
        return dates
    is_truth = column.kind == "boolean" and not is_missing.any()
    return column.values.astype(bool) if is_truth else column.values


def _numbered(posterior: Posterior) -> dict[str, Values]:
    return {"chain": np.arange(posterior.n_chains), "draw": np.arange(posterior.n_draws)}


def _as_coordinate(names: Values) -> Values:
    """Names of rows or classes: numbers and dates as they are, everything else as text."""
    return names if names.dtype.kind in "iufM" else np.array([str(name) for name in names])


def _about_run(posterior: Posterior) -> dict[str, Any]:
    return {
        "n_moves": posterior.n_moves,
        "thin": posterior.thin,
        "n_rungs": posterior.n_rungs,
        "stopped_by": posterior.stopped_by,
        "converged": "yes" if posterior.converged else "no",
    }
