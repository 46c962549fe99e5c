"""Places in a row: some of many, evenly spread; or ranges of them."""

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


def ranges(starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """So many numbers from each start on, one range after the other.

    Examples
    --------
    >>> ranges(np.array([7, 0]), np.array([2, 3])).tolist()
    [7, 8, 0, 1, 2]
    """
    n_before = np.cumsum(sizes) - sizes
    places: npt.NDArray[np.int64] = np.arange(sizes.sum()) + np.repeat(starts - n_before, sizes)
    return places
