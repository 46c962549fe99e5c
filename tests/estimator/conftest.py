"""Tables to fit."""

import numpy as np
import pytest

from sweeptree.datasets import make_injury


@pytest.fixture(scope="module")
def injury():
    """200 rows with ties and a class that is hard to tell: trees of many sizes."""
    return make_injury(200, random_state=0, return_X_y=True)


@pytest.fixture(scope="module")
def three_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.array(["low", "mid", "top"])[np.digitize(X[:, 1] + rng.normal(0, 0.3, 120), [-0.5, 0.5])]
    return X, y
