"""A mixed table, and a model of it."""

import pytest

from mixed_tables import mixed_table
from short_table_fits import short


@pytest.fixture(scope="module")
def mixed():
    return mixed_table()


@pytest.fixture(scope="module")
def fitted(mixed):
    return short().fit(*mixed)
