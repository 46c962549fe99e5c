"""Refusing work whose result would not fit in memory, before it starts."""

from __future__ import annotations

import os

from sweeptree.posterior import Posterior
from sweeptree.settings import Schedule

BYTES_PER_DRAW = 32
"""Traces: leaves, depth, log likelihood, log prior, alpha, tree."""
BYTES_PER_NODE = 14
"""A variable, a test, a threshold, and a side for missing values."""
BYTES_PER_MOVE = 12
"""Of a full trace: leaves and log likelihood."""
BYTES_PER_ROW_DRAW = 12
"""A class and a log likelihood."""
FEWEST_LEAVES = 4
"""A low guess at the size of a tree, so that only the hopeless is refused."""


def physical_memory() -> int | None:
    """Bytes of memory of this machine; None where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def check_draws_fit(
    schedule: Schedule, n_chains: int, n_classes: int, keeps_full_trace: bool
) -> None:
    """Refuse a run whose draws could not be held."""
    tree_bytes = BYTES_PER_NODE * (2 * FEWEST_LEAVES - 1) + 4 * n_classes * FEWEST_LEAVES
    needed = n_chains * schedule.most_draws * (BYTES_PER_DRAW + tree_bytes)
    to_lower = "n_draws or n_chains (raise thin to cover as many moves with fewer draws)"
    if schedule.is_open:
        to_lower = "n_chains"
    if keeps_full_trace:
        needed += n_chains * schedule.n_moves * BYTES_PER_MOVE
        to_lower = 'n_burn_in, thin, n_draws or n_chains, or use trace="draws"'
    _refuse_if_too_large(needed, "The draws", to_lower)


def check_predictions_fit(posterior: Posterior, n_rows: int, n_classes: int) -> None:
    """Refuse an array of predictions by every draw that could not be held."""
    needed = 8 * posterior.tree_index.size * n_rows * n_classes
    _refuse_if_too_large(needed, "The predictions of every draw", "the number of rows")


def check_row_draws_fit(posterior: Posterior, n_rows: int) -> None:
    """Refuse a class and a log likelihood of every row by every draw that could not be held."""
    needed = BYTES_PER_ROW_DRAW * posterior.tree_index.size * n_rows
    _refuse_if_too_large(needed, "What every draw says of every row", "the number of rows")


def _refuse_if_too_large(needed: int, what: str, to_lower: str) -> None:
    available = physical_memory()
    if available is not None and needed > available:
        raise ValueError(
            f"{what} would need {_in_words(needed)} of memory and this machine has "
            f"{_in_words(available)}; lower {to_lower}."
        )


def _in_words(n_bytes: int) -> str:
    size = float(n_bytes)
    for unit in ("bytes", "KB", "MB", "GB", "TB", "PB"):
        if size < 1000 or unit == "PB":
            break
        size /= 1000
    return f"{size:,.1f} {unit}"
