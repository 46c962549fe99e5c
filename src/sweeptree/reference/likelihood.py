"""The likelihood of the rows in one terminal node."""

from __future__ import annotations

import math
from collections.abc import Sequence


def log_marginal(counts: Sequence[int], alpha: Sequence[float]) -> float:
    """Log of one terminal node's factor of Eq. 4.

    Printed with the outer product running to C; it runs over the k terminal nodes, and the
    normaliser is Γ(Σα_j) / ∏Γ(α_j).
    """
    constant = math.lgamma(sum(alpha)) - sum(math.lgamma(a) for a in alpha)
    terms = sum(math.lgamma(m + a) for m, a in zip(counts, alpha, strict=True))
    return constant + terms - math.lgamma(sum(counts) + sum(alpha))


def log_plug_in(counts: Sequence[int]) -> float:
    """Log likelihood at the leaf's own frequencies: Σ m_ij log(m_ij / n_i).

    Not Bayesian (no Dirichlet prior), but it is what reproduces the paper's tables.
    """
    n = sum(counts)
    return sum(m * math.log(m) for m in counts if m > 0) - (n * math.log(n) if n else 0.0)
