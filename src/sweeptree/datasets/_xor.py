"""The exclusive-OR problem."""

from typing import Any

import numpy as np

from sweeptree.datasets._bunch import Table, deliver
from sweeptree.datasets._files import read_description
from sweeptree.datasets._sampling import RandomSource, as_generator, check_n_samples


def make_xor3(
    n_samples: int = 1000,
    *,
    random_state: RandomSource = None,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Draw the exclusive-OR problem with one noise variable (synthetic).

    The class is the sign of ``x1 * x2``, where x1 and x2 are uniform on (-0.5, 0.5). The third
    input is normal noise with mean 0 and standard deviation 0.2.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    random_state : int, Generator, RandomState or None, default=None
        Source of randomness; an int gives the same rows every time.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        Return pandas objects instead of arrays.

    Returns
    -------
    Bunch or (data, target)
        ``data`` (n_samples, 3), ``target`` with codes 0 = negative and 1 = positive,
        ``feature_names``, ``target_names``, ``frame`` and ``DESCR``.

    Examples
    --------
    >>> from sweeptree.datasets import make_xor3
    >>> xor = make_xor3(200, random_state=0)
    >>> xor.data.shape
    (200, 3)
    >>> bool(((xor.data[:, 0] * xor.data[:, 1] > 0) == xor.target).all())
    True
    """
    check_n_samples(n_samples)
    rng = as_generator(random_state)
    signal = rng.uniform(-0.5, 0.5, (n_samples, 2))
    noise = rng.normal(0.0, 0.2, n_samples)
    table = Table(
        data=np.column_stack([signal, noise]),
        target=(signal.prod(axis=1) > 0).astype(np.intp),
        feature_names=["x1", "x2", "x3"],
        target_names=np.array(["negative", "positive"]),
    )
    return deliver(
        table,
        description=read_description("xor3"),
        return_X_y=return_X_y,
        as_frame=as_frame,
    )
