"""Loading a model from a file."""

from __future__ import annotations

import os
from pathlib import Path

from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.files import MAX_BYTES, ModelFileError, read_model

__all__ = ["ModelFileError", "load"]


def load(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> BayesianTreeClassifier:
    """Load a model that `save` wrote.

    It predicts, to the last bit, what the saved one did. Everything in the file is checked before
    it is used, and nothing in it is executed, so that files of strangers can be loaded.

    Parameters
    ----------
    path : str or path
    max_bytes : int, default=2**30
        Most bytes that the file may unpack to. A larger one is refused before it is unpacked.

    Returns
    -------
    BayesianTreeClassifier
        Fitted.

    Raises
    ------
    ModelFileError
        If the file holds no model, or one that is damaged, too large, or of a newer format. It
        is a ValueError.

    Examples
    --------
    >>> import tempfile
    >>> from sweeptree import BayesianTreeClassifier
    >>> from sweeptree.datasets import make_xor3
    >>> X, y = make_xor3(500, random_state=0, return_X_y=True)
    >>> model = BayesianTreeClassifier(n_draws=50, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     model.save(f"{directory}/xor3.npz")
    ...     loaded = load(f"{directory}/xor3.npz")
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    loaded: BayesianTreeClassifier = read_model(Path(path), BayesianTreeClassifier, max_bytes)
    return loaded
