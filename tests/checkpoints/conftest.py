"""A table to fit, and a place for its checkpoint."""

import pytest

from sweeptree.datasets import make_injury


@pytest.fixture(scope="module")
def injury():
    """200 rows that are hard to tell apart: chains take long to converge."""
    return make_injury(200, random_state=0, return_X_y=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "fit.checkpoint"
