"""Some of many, evenly spread."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def evenly_spaced(n_there: int, n_wanted: int) -> npt.NDArray[np.intp]:
    """Places of at most so many out of a row of things, the first and the last included.

    Examples
    --------
    >>> evenly_spaced(9, 3).tolist(), evenly_spaced(2, 5).tolist()
    ([0, 4, 8], [0, 1])
    """
    return np.linspace(0, n_there - 1, min(n_wanted, n_there)).round().astype(np.intp)
