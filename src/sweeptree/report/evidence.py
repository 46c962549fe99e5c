"""What a report is about: the model, the rows to judge it by, and fewer draws to work with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sweeptree.baseline import training_counts
from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel, check_labels, rows_of
from sweeptree.prediction import mean_probabilities
from sweeptree.report.subset import MOST_DRAWS_FOR_CURVES, draws_that_fit, with_fewer_draws
from sweeptree.uncertainty.entropies import Entropies, split_entropy
from sweeptree.uncertainty.envelope import agreement_of_predicted


@dataclass(frozen=True)
class Evidence:
    """A fitted model and, if there are any, rows that it has not seen."""

    model: FittedModel
    test_rows: FloatArray | None
    """As the model reads them."""
    test_labels: npt.NDArray[np.intp] | None
    """Place of each test row's class in `classes_`."""

    @cached_property
    def has_training(self) -> bool:
        """Whether the model has its training rows."""
        return hasattr(self.model, "training_")

    @property
    def n_training(self) -> int:
        """Number of training rows."""
        return int(training_counts(self.model.posterior_).sum())

    @property
    def rows(self) -> FloatArray | None:
        """The test rows; without these the training rows; without any, None."""
        if self.test_rows is not None:
            return self.test_rows
        return self.model.training_.X if self.has_training else None

    @property
    def labels(self) -> npt.NDArray[np.integer[Any]] | None:
        """Classes of `rows`, as far as they are known."""
        if self.test_rows is not None:
            return self.test_labels
        return self.model.training_.labels if self.has_training else None

    @cached_property
    def probabilities(self) -> FloatArray:
        """(row, class): what is predicted for `rows`, by all draws."""
        return mean_probabilities(self.model.posterior_, self._rows_there, self.model.engine)

    @cached_property
    def entropies(self) -> Entropies:
        """Entropy of what is predicted for `rows`, and its parts."""
        return split_entropy(self.model.posterior_, self._rows_there, self.model.engine)

    @cached_property
    def agreement(self) -> FloatArray:
        """Share of the draws that vote for the predicted class of each of `rows`."""
        return agreement_of_predicted(self.model, self._rows_there)[1].clip(max=1)

    @property
    def _rows_there(self) -> FloatArray:
        assert self.rows is not None
        return self.rows

    @cached_property
    def page_model(self) -> Any:
        """The model with the draws that the page has room for."""
        return with_fewer_draws(self.model, draws_that_fit(self.model.posterior_))

    @cached_property
    def quick_model(self) -> Any:
        """The model with few enough draws for what takes long."""
        return with_fewer_draws(self.model, MOST_DRAWS_FOR_CURVES)


def gather_evidence(model: FittedModel, X_test: Any, y_test: Any) -> Evidence:
    """Read the test rows, if there are any, and check them against the model."""
    if X_test is None:
        if y_test is not None:
            raise ValueError("y_test was given without X_test; give the rows that it belongs to.")
        return Evidence(model, None, None)
    rows = rows_of(model, X_test)
    labels = None if y_test is None else check_labels(model, y_test, len(rows))
    return Evidence(model, rows, labels)
