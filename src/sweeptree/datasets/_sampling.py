"""The arguments that the generators of synthetic data share."""

from numbers import Integral

import numpy as np

RandomSource = int | np.random.Generator | np.random.RandomState | None


def check_n_samples(n_samples: object) -> None:
    """Raise unless `n_samples` is a positive integer."""
    if isinstance(n_samples, bool) or not isinstance(n_samples, Integral):
        raise TypeError(f"n_samples must be a positive integer, got {n_samples!r}")
    if n_samples < 1:
        raise ValueError(f"n_samples must be a positive integer, got {n_samples!r}")


def as_generator(random_state: object) -> np.random.Generator:
    """Return the Generator that `random_state` stands for."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, dtype=np.uint64))
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise TypeError(
            "random_state must be None, a non-negative integer, a numpy Generator or a numpy "
            f"RandomState, got {random_state!r}"
        )
    if random_state < 0:
        raise ValueError(f"random_state must be non-negative, got {random_state!r}")
    return np.random.default_rng(int(random_state))
