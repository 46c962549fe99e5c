"""Names of a table's columns: learned in fit, and held against those of rows to predict."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sweeptree.names import nearest_name
from sweeptree.raw_table import RawTable


def learn_names(estimator: Any, table: RawTable) -> None:
    """Keep the number of columns, and their names if they have any, where scikit-learn does."""
    estimator.n_features_in_ = len(table.columns)
    if table.names is not None:
        estimator.feature_names_in_ = np.array(table.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def check_names(estimator: Any, names: list[str] | None) -> None:
    """Hold the names of the columns of rows to predict against those that `fit` saw."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and names is not None:
        _compare_names([str(name) for name in known], names)
    elif known is None and names is not None:
        _warn_about_names("X has feature names, but", estimator, "without feature names")
    elif known is not None:
        _warn_about_names(
            "X does not have valid feature names, but", estimator, "with feature names"
        )


def _warn_about_names(what: str, estimator: Any, how: str) -> None:
    warnings.warn(f"{what} {type(estimator).__name__} was fitted {how}", stacklevel=5)


def _compare_names(known: list[str], given: list[str]) -> None:
    if known == given:
        return
    unseen = sorted(set(given) - set(known))
    gone = sorted(set(known) - set(given))
    message = "The feature names should match those that were passed during fit.\n"
    advice = []
    if unseen:
        message += f"Feature names unseen at fit time:\n{_listed(unseen)}"
        advice.append("drop the columns that are new")
    if gone:
        message += f"Feature names seen at fit time, yet now missing:\n{_listed(gone)}"
        nearest = nearest_name(gone[0], unseen)
        hint = f" (is {nearest!r} meant for {gone[0]!r}?)" if nearest else ""
        advice.append(f"give the columns that are missing{hint}")
    if not unseen and not gone:
        message += "Feature names must be in the same order as they were in fit.\n"
        advice.append("use X[list(model.feature_names_in_)]")
    sentence = " and ".join(advice)
    raise ValueError(f"{message}{sentence[0].upper()}{sentence[1:]}.")


def _listed(names: list[str], most: int = 5) -> str:
    lines = [f"- {name}\n" for name in names[:most]]
    return "".join([*lines, "- ...\n"] if len(names) > most else lines)
