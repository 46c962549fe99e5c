"""Whether two posteriors are the same."""

from dataclasses import fields

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from sweeptree.posterior import Trees


def arrays_of(posterior):
    """All arrays of a posterior, by name."""
    found = {}
    for field in fields(posterior):
        value = getattr(posterior, field.name)
        if isinstance(value, Trees):
            found.update(
                {tree_field.name: getattr(value, tree_field.name) for tree_field in fields(value)}
            )
        elif field.name == "full_trace" and value is not None:
            found.update({f"full_{name}": array for name, array in value._asdict().items()})
        elif isinstance(value, np.ndarray):
            found[field.name] = value
    return found


def assert_same_posterior(first, second):
    for name in ("n_moves", "thin", "stopped_by"):
        assert getattr(first, name) == getattr(second, name)
    assert_allclose(first.verdict, second.verdict, rtol=1e-9)
    first, second = arrays_of(first), arrays_of(second)
    assert first.keys() == second.keys()
    for name in first:
        assert_array_equal(first[name], second[name], err_msg=name)


def drawn_trees(posterior, chain):
    """The trees of one chain, draw after draw, as bytes."""
    trees = posterior.trees
    parts = [
        (trees.variable[start:end].tobytes(), trees.threshold[start:end].tobytes())
        for start, end in zip(trees.node_offsets[:-1], trees.node_offsets[1:], strict=True)
    ]
    return [parts[t] for t in posterior.tree_index[chain]]
