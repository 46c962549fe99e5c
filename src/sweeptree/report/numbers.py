"""Numbers as a page holds them: short, and finite or null."""

from __future__ import annotations

from typing import Any

import numpy as np


def rounded(values: Any, n_digits: int = 4) -> Any:
    """Return plain numbers with so many significant digits; None where one is not finite.

    Examples
    --------
    >>> rounded(np.array([0.123456, np.nan])), rounded(1234567.0), rounded(3)
    ([0.1235, None], 1235000, 3)
    """
    if isinstance(values, np.ndarray | np.generic):
        return rounded(values.tolist(), n_digits)
    if isinstance(values, list):
        return [rounded(value, n_digits) for value in values]
    if isinstance(values, float):
        return _short(values, n_digits)
    return values


def _short(value: float, n_digits: int) -> float | int | None:
    if not np.isfinite(value):
        return None
    short = float(f"{value:.{n_digits}g}")
    return int(short) if short.is_integer() and abs(short) < 2**53 else short
