"""The widest instructions of this machine count like the plain loop."""

import numpy as np
import pytest

from sweeptree import _kernel


@pytest.mark.parametrize("n_words", [0, 1, 3, 4, 5, 8, 31, 32, 33, 100, 1563])
def test_every_implementation_splits_alike(n_words):
    rng = np.random.default_rng(n_words)
    mask, cut = rng.integers(0, 2**64, size=(2, n_words), dtype=np.uint64)
    expected = sum(int(word).bit_count() for word in (mask & cut).tolist())
    results = _kernel.split_everyhow(mask, cut)
    assert results
    for count, left, right in results:
        assert count == expected
        np.testing.assert_array_equal(left, mask & cut)
        np.testing.assert_array_equal(right, mask & ~cut)
