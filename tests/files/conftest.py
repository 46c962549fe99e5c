"""A small model in a file, and a place for another."""

import pytest

from saved_models import small_model


@pytest.fixture(scope="module")
def small_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("small") / "small.npz"
    small_model().save(path)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.npz"
