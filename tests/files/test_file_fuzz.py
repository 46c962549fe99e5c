"""Files that were tampered with, by the thousand: none crashes, hangs, or loads as another model.

Raw bytes are changed, which the checksum must find; and contents are changed and given a checksum
that fits, which only the checks of the contents can find. What loads is predicted from.
"""

import json
import time

import numpy as np
import pytest

import sweeptree
from saved_models import (
    fitted_attributes,
    mixed_model,
    read_members,
    read_parts,
    small_model,
    write_members,
    write_parts,
)
from sweeptree import ModelFileError
from sweeptree.prediction import mean_probabilities

MOST_SECONDS = 10.0
SHARE_SAVED_AGAIN = 0.1


class Original:
    """The file that is tampered with, taken apart."""

    def __init__(self, model, path):
        model.save(path)
        self.rows = model.training_.X
        self.content = path.read_bytes()
        self.members = read_members(path)
        self.parts = read_parts(path)
        self.header = json.loads(self.parts["header"].tobytes())
        self.attributes = fitted_attributes(sweeptree.load(path))


@pytest.fixture(scope="module", params=["numbers", "mixed"])
def original(request, tmp_path_factory):
    model = small_model() if request.param == "numbers" else mixed_model()
    return Original(model, tmp_path_factory.mktemp("original") / "model.npz")


def load(path):
    """The model, or None if it was refused with a sentence that names the file."""
    start = time.perf_counter()
    try:
        model, reason = sweeptree.load(path), str(path)
    except ModelFileError as error:
        model, reason = None, str(error)
    assert str(path) in reason
    assert time.perf_counter() - start < MOST_SECONDS
    return model


# Raw bytes


def flip_bit(content, rng):
    content[rng.integers(len(content))] ^= 1 << rng.integers(8)


def change_bytes(content, rng):
    for _ in range(rng.integers(1, 5)):
        content[rng.integers(len(content))] = rng.integers(256)


def cut_off(content, rng):
    del content[rng.integers(len(content)) :]


def insert_bytes(content, rng):
    place = rng.integers(len(content))
    content[place:place] = rng.bytes(rng.integers(1, 50))


def leave_out_block(content, rng):
    place = rng.integers(len(content))
    del content[place : place + rng.integers(1, 200)]


def splice_block(content, rng):
    source, target = rng.integers(len(content), size=2)
    size = rng.integers(1, 300)
    content[target : target + size] = content[source : source + size]


def blank_block(content, rng):
    place, size = rng.integers(len(content)), rng.integers(1, 100)
    content[place : place + size] = bytes(len(content[place : place + size]))


def change_directory(content, rng):
    """The last part of a zip archive says where everything is."""
    start = content.index(b"PK\x01\x02")
    content[rng.integers(start, len(content))] = rng.integers(256)


RAW = (
    *(flip_bit, change_bytes, cut_off, insert_bytes),
    *(leave_out_block, splice_block, blank_block, change_directory),
)


def tamper_with_bytes(original, rng, path):
    content = bytearray(original.content)
    RAW[rng.integers(len(RAW))](content, rng)
    path.write_bytes(content)


def swap_members(original, rng, path):
    """Contents change places between names; the checksum stays."""
    members = dict(original.members)
    first, second = rng.choice(sorted(members), 2, replace=False)
    members[first], members[second] = members[second], members[first]
    write_members(path, members)


def tamper_with_member(original, rng, path):
    """An array's own bytes change, and the archive's check of them fits."""
    members = dict(original.members)
    name = rng.choice(sorted(members))
    content = bytearray(members[name])
    change_bytes(content, rng)
    write_members(path, {**members, name: bytes(content)})


@pytest.mark.parametrize(
    "n_times", [pytest.param(150, id="150"), pytest.param(2000, id="2000", marks=pytest.mark.slow)]
)
def test_changed_bytes_are_refused_or_change_nothing(n_times, original, tmp_path):
    rng = np.random.default_rng(n_times)
    ways = (tamper_with_bytes,) * 4 + (swap_members, tamper_with_member)
    path = tmp_path / "model.npz"
    n_refused = 0
    for _ in range(n_times):
        ways[rng.integers(len(ways))](original, rng, path)
        model = load(path)
        n_refused += model is None
        assert model is None or fitted_attributes(model) == original.attributes
    assert n_refused > 0.5 * n_times


# Contents with a checksum that fits

STRANGE_NUMBERS = (0, 1, -1, 2, 3, 127, 255, 2**31 - 1, -(2**31), 2**62, 0.5, -0.0, 1e-320, 1e308)
STRANGE_FLOATS = (np.nan, np.inf, -np.inf)


def strange_number(dtype, rng):
    """Any number, as that type has it."""
    among = STRANGE_NUMBERS + (STRANGE_FLOATS if dtype.kind == "f" else ())
    value = among[rng.integers(len(among))]
    if dtype.kind == "f":
        return value
    return int(value) % 2 ** (8 * dtype.itemsize)


def with_strange_numbers(array, rng):
    array = array.copy()
    flat = array.reshape(-1)
    unsigned = flat if array.dtype.kind == "f" else flat.view(f"<u{array.dtype.itemsize}")
    for _ in range(rng.integers(1, 4)):
        unsigned[rng.integers(len(flat))] = strange_number(array.dtype, rng)
    return array


def with_numbers_exchanged(array, rng):
    array = array.copy()
    flat = array.reshape(-1)
    first, second = rng.integers(len(flat), size=2)
    flat[first], flat[second] = flat[second], flat[first]
    return array


def with_numbers_nudged(array, rng):
    array = array.copy()
    array.reshape(-1)[rng.integers(array.size)] += array.dtype.type(1)
    return array


def with_other_length(array, rng):
    if rng.random() < 0.5:
        return array[: rng.integers(len(array) + 1)]
    return np.concatenate([array, array[: rng.integers(1, len(array) + 1)]])


def with_other_shape(array, rng):
    shapes = [(-1,), (1, *array.shape), (*array.shape, 1), array.shape[::-1]]
    return array.reshape(shapes[rng.integers(len(shapes))])


def with_other_type(array, rng):
    types = ["|u1", "<i4", "<i8", "<f8", "<f4", ">i4", ">f8", "|b1", "<U3", "<c16", "<M8[s]"]
    with np.errstate(all="ignore"):
        return array.astype(np.int64).astype(types[rng.integers(len(types))])


ARRAY_CHANGES = (
    *(with_strange_numbers, with_strange_numbers, with_numbers_exchanged, with_numbers_nudged),
    *(with_other_length, with_other_shape, with_other_type),
)


def change_an_array(original, rng):
    parts = dict(original.parts)
    name = rng.choice(sorted(parts))
    change = ARRAY_CHANGES[rng.integers(len(ARRAY_CHANGES))]
    with np.errstate(all="ignore"):
        parts[name] = np.ascontiguousarray(change(parts[name], rng))
    return parts


def change_two_arrays_alike(original, rng):
    """Arrays that are along the same thing all lose their last, or gain one."""
    parts = dict(original.parts)
    pairs = [
        ("node_rule", "leaf_counts"),
        ("rule_variable", "rule_threshold", "rule_test", "rule_missing_left"),
        ("training_X", "training_labels"),
        ("tree_index", "alpha_index", "log_likelihood", "log_prior"),
        ("moves", "rule_scale"),
    ]
    gains = rng.random() < 0.5
    for name in pairs[rng.integers(len(pairs))]:
        array = parts[name]
        parts[name] = np.concatenate([array, array[-1:]]) if gains else array[:-1]
    return parts


def rename_or_leave_out(original, rng):
    parts = dict(original.parts)
    names = rng.choice(sorted(parts), 2, replace=False)
    array = parts.pop(names[0])
    if rng.random() < 0.7:
        parts[names[1]] = array
    return parts


STRANGE_VALUES = (
    *(None, True, False, 0, 1, -1, 2**70, 0.5, 1e300, "", "a", "|O", "<U5", "category", "\ud800"),
    *([], [1, 2], [[1]], ["a", 1], {}, {"a": 1}, {"mapping": [[1, 2]]}, {"mapping": [[[1], 2]]}),
)


def change_the_header(original, rng):
    header = json.loads(json.dumps(original.header))
    within = header
    while True:
        keys = sorted(within) if isinstance(within, dict) else list(range(len(within)))
        key = keys[rng.integers(len(keys))]
        inner = within[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.2:
            break
        within = inner
    if rng.random() < 0.2:
        del within[key]
    else:
        within[key] = STRANGE_VALUES[rng.integers(len(STRANGE_VALUES))]
    text = json.dumps(header).encode()
    return {**original.parts, "header": np.frombuffer(text, dtype=np.uint8)}


def holds_what_the_file_says(model, parts):
    """Whether the trees and traces are those in the file, as numpy reads it."""
    trees = model.posterior_.trees
    rule_of_node = parts["node_rule"]
    return (
        trees.variable.tobytes() == parts["rule_variable"][rule_of_node].tobytes()
        and trees.threshold.tobytes() == parts["rule_threshold"][rule_of_node].tobytes()
        and trees.test.tobytes() == parts["rule_test"][rule_of_node].tobytes()
        and trees.leaf_counts.tobytes() == parts["leaf_counts"].tobytes()
        and model.posterior_.tree_index.tobytes() == parts["tree_index"].tobytes()
        and model.posterior_.log_prior.tobytes() == parts["log_prior"].tobytes()
        and model.classes_.tolist() == json.loads(parts["header"].tobytes())["classes"]["labels"]
    )


@pytest.mark.parametrize(
    "n_times", [pytest.param(150, id="150"), pytest.param(1000, id="1000", marks=pytest.mark.slow)]
)
def test_changed_contents_are_refused_or_can_be_predicted_from(n_times, original, tmp_path):
    rng = np.random.default_rng(n_times)
    ways = (change_an_array, change_an_array, change_an_array, change_the_header)
    ways += (change_two_arrays_alike, rename_or_leave_out)
    path, again = tmp_path / "model.npz", tmp_path / "again.npz"
    n_refused = 0
    for _ in range(n_times):
        parts = ways[rng.integers(len(ways))](original, rng)
        write_parts(path, parts)
        model = load(path)
        n_refused += model is None
        if model is None:
            continue
        assert holds_what_the_file_says(model, parts)
        probabilities = mean_probabilities(model.posterior_, original.rows, "kernel")
        assert np.allclose(probabilities.sum(axis=1), 1)
        if rng.random() < SHARE_SAVED_AGAIN:
            model.save(again)
            assert fitted_attributes(sweeptree.load(again)) == fitted_attributes(model)
    assert 0.5 * n_times < n_refused < n_times
