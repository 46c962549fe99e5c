"""Two models to explain, fitted once."""

import pytest

from explained_models import fit, four_classes, two_classes


@pytest.fixture(scope="session", params=[two_classes, four_classes], ids=["two", "four"])
def fitted(request):
    """A model, its rows and their labels."""
    X, y = request.param()
    return fit(X, y, leaf_penalty=1.0), X, y


@pytest.fixture(scope="session")
def binary():
    X, y = two_classes()
    return fit(X, y, leaf_penalty=1.0), X, y
