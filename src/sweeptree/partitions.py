"""Dask collections: recognised without importing Dask, and mapped over partition by partition."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from itertools import accumulate
from typing import Any, TypeVar, cast

import numpy as np
from narwhals.dependencies import is_polars_lazyframe

Method = TypeVar("Method", bound=Callable[..., Any])

NEEDS_TRAINING_ROWS = "uncertainty"
"""The one method of those that map over partitions which refers to the training rows."""


def is_collection(X: object) -> bool:
    """Whether something is a Dask collection."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def require_rows_here(name: str, value: object) -> None:
    """Refuse a Dask collection or a lazy frame where all rows are needed in one place."""
    if is_polars_lazyframe(value):
        raise TypeError(f"{name} is a lazy frame, which has no rows yet; give {name}.collect().")
    if is_collection(value):
        raise TypeError(
            f"{name} is a Dask collection, and all rows are needed in one place; give "
            f"{name}.compute(). Only predict, predict_proba, predict_interval and uncertainty work "
            "partition by partition."
        )


def maps_partitions(method: Method) -> Method:
    """Let a method that tells something of each row take Dask collections, too.

    It then returns one, without computing anything. Of a Dask DataFrame it returns a DataFrame or
    a Series with the same index and divisions, of a Dask array an array with the same chunks of
    rows; a table of several kinds of columns is a DataFrame in either case.
    """

    @wraps(method)
    def mapped(model: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_collection(X):
            return method(model, X, *args, **kwargs)
        return _map(partial(_ask, method.__name__, args, kwargs), model, X)

    return cast(Method, mapped)


Question = Callable[[Any, Any], Any]
"""What a model says of some rows."""


def _ask(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], model: Any, rows: Any) -> Any:
    return getattr(model, name)(rows, *args, **kwargs)


def _map(ask: Question, model: Any, X: Any) -> Any:
    from dask import delayed

    is_frame = hasattr(X, "divisions")
    if getattr(X, "ndim", None) != 2:
        raise TypeError(
            f"X is a Dask {type(X).__name__}; give a Dask DataFrame, or a Dask array with rows and "
            "columns."
        )
    of_no_row = ask(model, _row_without_values(X))[:0]
    sent = delayed(_lean(model, ask), pure=False, traverse=False)
    return (_map_frame if is_frame else _map_array)(ask, model, sent, X, of_no_row)


def _row_without_values(X: Any) -> Any:
    """Make a row with the columns of X; what does not fit the model is refused with it at once."""
    row = np.full((1, X.shape[1]), np.nan)
    return dict(zip(X.columns, row.T, strict=True)) if hasattr(X, "columns") else row


def _lean(model: Any, ask: Any) -> Any:
    """Leave out what need not be sent to every worker."""
    if ask.args[0] == NEEDS_TRAINING_ROWS:
        return model
    lean = copy(model)
    vars(lean).pop("training_", None)
    return lean


# Frames


def _map_frame(ask: Question, model: Any, sent: Any, X: Any, of_no_row: Any) -> Any:
    meta = _framed(of_no_row, model, X._meta.index[:0])
    return X.map_partitions(partial(_ask_of_part, ask, meta), sent, meta=meta)


def _ask_of_part(ask: Question, meta: Any, part: Any, model: Any) -> Any:
    return _framed(ask(model, part), model, part.index) if len(part) else meta


def _framed(answer: Any, model: Any, index: Any) -> Any:
    """Put an answer into a Series or a DataFrame; columns are named as `uncertainty` names them."""
    import pandas as pd

    labels = model.classes_.tolist()
    if hasattr(answer, "columns"):
        return answer.set_axis(index)
    if answer.ndim == 1:
        return pd.Series(answer, index, name="predicted")
    if answer.ndim == 2:
        return pd.DataFrame(answer, index, [f"probability_{label}" for label in labels])
    names = [f"{end}_{label}" for label in labels for end in ("lower", "upper")]
    return pd.DataFrame(answer.reshape(len(answer), len(names)), index, names)


# Arrays


def _map_array(ask: Question, model: Any, sent: Any, X: Any, of_no_row: Any) -> Any:
    X = X.rechunk({1: -1})
    if hasattr(of_no_row, "columns"):
        return _frame_of_blocks(ask, sent, X, of_no_row)
    return X.map_blocks(
        partial(_ask_of_block, ask, of_no_row),
        model=sent,
        drop_axis=[1] if of_no_row.ndim == 1 else None,
        new_axis=[2] if of_no_row.ndim == 3 else None,
        chunks=(X.chunks[0], *((n,) for n in of_no_row.shape[1:])),
        meta=of_no_row,
    )


def _ask_of_block(ask: Question, of_no_row: Any, block: Any, model: Any) -> Any:
    return ask(model, block) if len(block) else of_no_row


def _frame_of_blocks(ask: Question, sent: Any, X: Any, of_no_row: Any) -> Any:
    """Make a table whose rows are numbered through, as those of one made of an array are."""
    import dask.dataframe as dd
    from dask import delayed

    sizes = X.chunks[0]
    if np.isnan(sizes).any():
        raise ValueError(
            "The chunks of X have unknown sizes, so that its rows cannot be numbered; call "
            "X.compute_chunk_sizes() first."
        )
    starts = list(accumulate(sizes, initial=0))
    frame_of_block = delayed(partial(_numbered_frame, ask, of_no_row), pure=False)
    frames = [
        frame_of_block(block, sent, start)
        for block, start in zip(X.to_delayed().ravel(), starts[:-1], strict=True)
    ]
    return dd.from_delayed(frames, meta=of_no_row, divisions=(*starts[:-1], starts[-1] - 1))


def _numbered_frame(ask: Question, of_no_row: Any, block: Any, model: Any, start: int) -> Any:
    frame = _ask_of_block(ask, of_no_row, block, model)
    return frame.set_axis(np.arange(start, start + len(block)))
