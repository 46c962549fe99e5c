"""What the estimator can do with files."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError

from sweeptree.files.model_file import save

NEED_TRAINING_ROWS = (
    "explain",
    "individual_curves",
    "partial_dependence",
    "representative_tree",
    "rule_density",
    "uncertainty",
    "without_trees_using",
)
"""Methods that refer to the training rows."""


class _LeftOut:
    """Stands for the training rows of a model that has none; its own rows come before it."""

    def __get__(self, model: Any, owner: type) -> Any:
        if model is None:
            return self
        if "posterior_" not in vars(model):
            raise AttributeError(f"{owner.__name__!r} object has no attribute 'training_'")
        needed_by = ", ".join(NEED_TRAINING_ROWS)
        raise NotFittedError(
            "This model was saved without its training rows, to which these methods refer: "
            f"{needed_by}. Save it with training_rows=True to use them."
        )


class FileMixin:
    """The functions of `sweeptree.files` as methods of a fitted model."""

    save = save
    training_: Any = _LeftOut()
