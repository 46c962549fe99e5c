"""Fewer draws, evenly spread: what a page can hold, and what can be worked out in seconds."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from sweeptree.encoding import FloatArray
from sweeptree.fitted import FittedModel
from sweeptree.posterior import Posterior
from sweeptree.prediction import mean_probabilities
from sweeptree.spacing import evenly_spaced

MOST_CHARACTERS = 190_000
"""For the trees of a page."""
CHARACTERS_OF_SPLIT = 33
CHARACTERS_OF_COUNT = 3
MOST_DRAWS_FOR_CURVES = 500
MOST_ROWS_COMPARED = 2_000


def with_fewer_draws(model: FittedModel, n_draws: int) -> Any:
    """Return the model with at most so many of its draws, evenly spread over all chains."""
    posterior = model.posterior_
    is_kept = np.zeros(posterior.tree_index.size, dtype=bool)
    is_kept[evenly_spaced(len(is_kept), n_draws)] = True
    smaller: Any = copy(model)
    kept = posterior.take(is_kept.reshape(posterior.tree_index.shape))
    smaller.posterior_ = replace(posterior, **kept, full_trace=None)
    return smaller


def draws_that_fit(posterior: Posterior) -> int:
    """Tell how many draws a page has room for."""
    n_leaves = np.diff(posterior.trees.leaf_offsets)
    n_classes = posterior.alphas.shape[1]
    characters = n_leaves * (CHARACTERS_OF_SPLIT + CHARACTERS_OF_COUNT * n_classes)
    if characters.sum() <= MOST_CHARACTERS:
        return posterior.tree_index.size
    return max(1, int(MOST_CHARACTERS / (characters @ posterior.tree_weights)))


def error_of_subset(model: FittedModel, subset: FittedModel, rows: FloatArray) -> FloatArray:
    """(row, class): how far the subset's probabilities are from the model's.

    Of many rows, evenly spaced ones.
    """
    rows = rows[evenly_spaced(len(rows), MOST_ROWS_COMPARED)]
    of_all = mean_probabilities(model.posterior_, rows, model.engine)
    difference: FloatArray = of_all - mean_probabilities(subset.posterior_, rows, model.engine)
    return np.abs(difference)
