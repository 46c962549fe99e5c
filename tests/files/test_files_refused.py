import json
import tracemalloc
import zipfile

import numpy as np
import pytest

import sweeptree
from saved_models import (
    read_members,
    read_parts,
    small_model,
    write_members,
    write_parts,
)
from sweeptree import ModelFileError
from sweeptree.files.packing import sizes_of

# Reading what is no model


def test_a_missing_file_is_pythons_own_error(path):
    with pytest.raises(FileNotFoundError, match=r"model\.npz"):
        sweeptree.load(path)


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(ModelFileError, match="directory"):
        sweeptree.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x05\x06" + bytes(18)])
def test_files_that_hold_no_model_are_refused(content, path):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"model\.npz cannot be loaded: it"):
        sweeptree.load(path)


def test_pickles_are_refused(path):
    np.savez_compressed(path, header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ModelFileError, match="'header' is not an array of a model"):
        sweeptree.load(path)


def test_other_archives_are_refused(path):
    np.savez_compressed(path, x=np.arange(3))
    with pytest.raises(ModelFileError, match="no part 'header'"):
        sweeptree.load(path)


def test_a_file_of_a_newer_format_says_to_upgrade(path):
    small_model().save(path)
    change_header(path, version=2)
    with pytest.raises(ModelFileError, match=r"format 2.*upgrade sweeptree"):
        sweeptree.load(path)


def change_header(path, **changes):
    parts = read_parts(path)
    header = {**json.loads(parts["header"].tobytes()), **changes}
    parts["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    write_parts(path, parts)


def test_damage_is_found_by_the_checksum(path):
    small_model().save(path)
    parts = read_parts(path)
    contents = read_members(path)
    parts["log_prior"][0, 0] += 1e-9
    write_parts(path, parts)
    write_members(path, {**read_members(path), "checksum.npy": contents["checksum.npy"]})
    with pytest.raises(ModelFileError, match="checksum"):
        sweeptree.load(path)


# Reading what is hostile: the checksum fits


def replaced(name, place, value):
    def change(parts):
        parts[name] = parts[name].copy()
        parts[name][place] = value

    return change


def reshaped(name, change_array):
    def change(parts):
        parts[name] = np.ascontiguousarray(change_array(parts[name]))

    return change


def first_leaf(parts):
    return int(np.flatnonzero(parts["rule_variable"] == -1)[0])


def threshold_in_a_leaf(parts):
    parts["rule_threshold"][first_leaf(parts)] = 1.0


def a_tree_less_complete(parts):
    parts["node_rule"] = parts["node_rule"][:-1]
    parts["leaf_counts"] = parts["leaf_counts"][:-1]


def rows_moved_between_classes(parts):
    counts = parts["leaf_counts"].copy()
    leaf, have = np.argwhere(counts)[0]
    counts[leaf, have] -= 1
    counts[leaf, 1 - have] += 1
    parts["leaf_counts"] = counts


def other_training_rows(parts):
    parts["training_labels"] = 1 - parts["training_labels"]
    parts["training_labels"][0] = parts["training_labels"][1]


def no_rows_at_all(parts):
    parts["leaf_counts"] = np.zeros_like(parts["leaf_counts"])


TAMPERED = {
    "asks about a column that is not there": replaced("rule_variable", -1, 3),
    "'rule_variable' has a number": replaced("rule_variable", -1, -2),
    "'rule_threshold' has a number": replaced("rule_threshold", -1, np.nan),
    "'rule_test' has a number": replaced("rule_test", -1, 4),
    "its column cannot answer": replaced("rule_test", -1, 1),
    "column cannot answer": replaced("rule_test", -1, 2),
    "cannot answer": replaced("rule_test", -1, 3),
    "'rule_missing_left' has a number": replaced("rule_missing_left", -1, 2),
    "a leaf asks something": threshold_in_a_leaf,
    "a rule that is not there": replaced("node_rule", -1, 10_000),
    "'node_rule' has a number": replaced("node_rule", -1, -1),
    "not complete": a_tree_less_complete,
    "more or fewer leaves": replaced("node_rule", slice(0, None), 0),
    "'leaf_counts' has a number": replaced("leaf_counts", 0, -1),
    "not made of the same rows": rows_moved_between_classes,
    "were made of no rows": no_rows_at_all,
    "a tree that is not there": replaced("tree_index", (0, 0), 10_000),
    "'tree_index' has a number": replaced("tree_index", (0, 0), -1),
    "an α that is not there": replaced("alpha_index", (0, 0), 16),
    "a tree that no draw is": replaced("tree_index", slice(None), 0),
    "too many values of α": reshaped("alphas", lambda a: np.repeat(a, 2, axis=0)),
    "an α is zero": replaced("alphas", (0, 0), 0.0),
    "'alphas' has a number": replaced("alphas", (0, 0), np.inf),
    "'log_likelihood' has a number": replaced("log_likelihood", (0, 0), np.nan),
    "'log_prior' has a number": replaced("log_prior", (0, 0), np.inf),
    "'moves' has a number": replaced("moves", (0, 0, 0, 0), -1),
    "'verdict' has a number": replaced("verdict", 0, -1.0),
    "a class that is not there": replaced("training_labels", 0, 2),
    "not those of its trees": other_training_rows,
    "has missing values, but is said to have none": replaced("training_X", (0, 0), np.nan),
    "'training_X' has a number": replaced("training_X", (0, 0), np.inf),
    "'verdict' has 4 in the place of 5": reshaped("verdict", lambda a: a[:-1]),
    "'alphas' has 1 in the place of 2": reshaped("alphas", lambda a: a[:, :1]),
    "'training_X' has 2 in the place of 3": reshaped("training_X", lambda a: a[:, :2]),
    "'log_prior' has 11 in the place of 12": reshaped("log_prior", lambda a: a[:, 1:]),
    "'verdict' has 2 dimensions": reshaped("verdict", lambda a: a[None]),
    "'node_rule' is empty": reshaped("node_rule", lambda a: a[:0]),
    "type '<i8' instead of '<i4'": reshaped("node_rule", lambda a: a.astype("<i8")),
    "'log_prior' is not an array of a model": reshaped("log_prior", lambda a: a.astype(">f8")),
    "no part 'training_labels'": lambda parts: parts.pop("training_labels"),
    "no part 'full_trace_n_leaves'": lambda parts: parts.update(
        full_trace_log_likelihood=np.zeros((2, 5))
    ),
    "no part 'moves'": lambda parts: parts.pop("moves"),
    "a part 'more', which no model has": lambda parts: parts.update(more=np.zeros(3)),
}


@pytest.mark.parametrize("reason", TAMPERED)
def test_numbers_that_cannot_be_are_refused(reason, small_file, path):
    parts = {name: array.copy() for name, array in read_parts(small_file).items()}
    TAMPERED[reason](parts)
    write_parts(path, parts)
    with pytest.raises(ModelFileError) as found:
        sweeptree.load(path)
    assert reason in str(found.value)
    assert str(path) in str(found.value)


NUMBER = {"kind": "number", "levels": [], "has_missing": False}
COLUMNS = [{"name": name, **NUMBER} for name in "abc"]
CLASSES = {"dtype": "<i8", "labels": [0, 1]}

HEADERS = {
    "not a model file": {"format": "other"},
    "no version": {"version": True},
    "tells 'more', which is unknown": {"more": 1},
    "unfit value for 'columns'": {"columns": {}},
    "columns have the same name": {"columns": [COLUMNS[0], COLUMNS[0], COLUMNS[1]]},
    "unknown kind 'colour'": {"columns": [{**COLUMNS[0], "kind": "colour"}, *COLUMNS[1:]]},
    "levels, but is no category": {"columns": [{**COLUMNS[0], "levels": [1]}, *COLUMNS[1:]]},
    "has a level twice": {
        "columns": [{**COLUMNS[0], "kind": "category", "levels": [1, 1]}, *COLUMNS[1:]]
    },
    "has an unfit level": {
        "columns": [{**COLUMNS[0], "kind": "category", "levels": [None]}, *COLUMNS[1:]]
    },
    "its column does not tell 'has_missing'": {"columns": [{"name": "a"}, *COLUMNS[1:]]},
    "is not a JSON object": {"columns": [1, 2, 3]},
    "fewer than two classes": {"classes": {**CLASSES, "labels": [0]}},
    "not sorted, or not distinct": {"classes": {**CLASSES, "labels": [1, 0]}},
    "not distinct": {"classes": {**CLASSES, "labels": [1, 1]}},
    "not of their type": {"classes": {"dtype": "<i8", "labels": [0.0, 1.5]}},
    "labels are not of their type": {"classes": {"dtype": "<f2", "labels": [0.0, 1e300]}},
    "labels are too long": {"classes": {"dtype": "<U90000000", "labels": ["a", "b"]}},
    "not text or numbers": {"classes": {"dtype": "|O", "labels": [[1, 2], [3, 4]]}},
    "not of one type": {"classes": {"dtype": "|O", "labels": ["a", 1]}},
    "the type '<M8'": {"classes": {**CLASSES, "dtype": "<M8"}},
    "have no type '<i7'": {"classes": {**CLASSES, "dtype": "<i7"}},
    "'gamma' parameter": {"parameters": {"gamma": 7}},
    "'thin' parameter must be a number": {"parameters": {"thin": True}},
    "the parameter 'colour', which this version": {"parameters": {"colour": 1}},
    "the parameter 'checkpoint', which no model has": {"parameters": {"checkpoint": "/tmp/x"}},
    "'alpha' is no mapping": {"parameters": {"alpha": {"mapping": [1]}}},
    "ended by 'boredom'": {"run": {"n_moves": 1, "thin": 1, "n_rungs": 1, "stopped_by": "boredom"}},
    "number of rungs cannot be": {
        "run": {"n_moves": 1, "thin": 1, "n_rungs": 0, "stopped_by": "n_draws"}
    },
    "unfit value for 'thin'": {
        "run": {"n_moves": 1, "thin": 1.5, "n_rungs": 1, "stopped_by": "n_draws"}
    },
}


@pytest.mark.parametrize("reason", HEADERS)
def test_headers_that_cannot_be_are_refused(reason, small_file, path):
    path.write_bytes(small_file.read_bytes())
    change_header(path, **HEADERS[reason])
    with pytest.raises(ModelFileError) as found:
        sweeptree.load(path)
    assert reason in str(found.value)


@pytest.mark.parametrize("text", [b"{", b"NaN", b"\xff\xfe", b'{"format": 1e999}', b"[]"])
def test_headers_that_are_no_json_are_refused(text, small_file, path):
    write_parts(path, {**read_parts(small_file), "header": np.frombuffer(text, dtype=np.uint8)})
    with pytest.raises(ModelFileError, match=r"not JSON|not a model file"):
        sweeptree.load(path)


@pytest.mark.parametrize("depth", [300, 450, 600, 900, 100_000])
def test_headers_nested_deeply_are_refused(depth, small_file, path):
    parts = read_parts(small_file)
    header = parts["header"].tobytes().replace(b'"gamma": 0.95', b'"gamma": ' + b"[" * depth)
    assert header.count(b"[" * depth) == 1
    parts["header"] = np.frombuffer(
        header.replace(b"[" * depth, b"[" * depth + b"]" * depth), dtype=np.uint8
    )
    write_parts(path, parts)
    with pytest.raises(ModelFileError, match=r"nested too deeply|'gamma' parameter"):
        sweeptree.load(path)


LEVELS = ["red", "green", "blue"]


@pytest.mark.parametrize(
    ("test", "threshold", "is_fit"),
    [
        *[(1, level, 0 <= level < 3) for level in (-1, 0, 2, 3)],
        (1, 0.5, False),
        *[(2, group, 1 <= group < 8) for group in (0, 1, 7, 8, 1e300)],
        (0, 1.0, False),
        (3, 0.0, True),
        (3, 1.0, False),
    ],
)
def test_rules_about_categories_must_fit_their_levels(test, threshold, is_fit, small_file, path):
    parts = {name: array.copy() for name, array in read_parts(small_file).items()}
    is_split = parts["rule_variable"] >= 0
    parts["rule_test"][is_split] = test
    parts["rule_missing_left"][is_split] = test == 3
    parts["rule_threshold"][is_split] = threshold
    parts["training_X"] = np.clip(np.floor(3 * parts["training_X"]), 0, 2)
    write_parts(path, parts)
    category = {"kind": "category", "levels": LEVELS, "has_missing": True}
    change_header(path, columns=[{"name": name, **category} for name in "abc"])
    if is_fit:
        assert sweeptree.load(path).columns_[0].levels == tuple(LEVELS)
    else:
        with pytest.raises(ModelFileError, match="its column cannot answer"):
            sweeptree.load(path)


def test_training_rows_must_have_levels_of_their_column(small_file, path):
    parts = read_parts(small_file)
    parts["training_X"] = np.floor(4 * parts["training_X"])
    write_parts(path, parts)
    change_header(path, columns=[*COLUMNS[:2], {"name": "c", **NUMBER, "has_missing": True}])
    sweeptree.load(path)
    category = {"kind": "category", "levels": LEVELS, "has_missing": True}
    change_header(path, columns=[*COLUMNS[:2], {"name": "c", **category}])
    with pytest.raises(ModelFileError, match=r"'c' has a level that is not there|cannot answer"):
        sweeptree.load(path)


def npy(descr="<f8", fortran="False", shape="(3,)", length=None, data=bytes(24)):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    length = len(text) if length is None else length
    return b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little") + text + data


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        npy(shape="(1000000000000,)"),
        npy(shape="(-3,)"),
        npy(shape="(3, 99999999999999999999999999)"),
        npy(shape="(" * 5000),
        npy(descr="|O"),
        npy(descr="<f4"),
        npy(descr="<f9"),
        npy(fortran="True"),
        npy(length=5),
        npy(data=bytes(23)),
        npy(data=bytes(25)),
    ],
)
def test_arrays_that_are_not_what_they_say_are_refused(content, small_file, path):
    write_members(path, {**read_members(small_file), "verdict.npy": content})
    with pytest.raises(ModelFileError, match="its part 'verdict'"):
        sweeptree.load(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("alphas", npy(shape="(0, 99999999999999999999)", data=b"")),
        ("alphas", npy(shape="(0, 9223372036854775807)", data=b"")),
        ("alphas", npy(shape="(0, 4611686018427387904)", data=b"")),
        ("log_likelihood", npy(descr="|u1", shape="(8, 0, 1152921504606846976)", data=b"")),
        ("verdict", npy(shape=f"({'1,' * 45})", data=bytes(8))),
    ],
)
def test_shapes_that_no_array_can_have_are_refused(name, content, small_file, path):
    write_members(path, {**read_members(small_file), f"{name}.npy": content})
    with pytest.raises(ModelFileError, match=f"its part '{name}' has a shape that no model has"):
        sweeptree.load(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_part_that_is_there_twice_is_refused(small_file, path):
    path.write_bytes(small_file.read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("verdict.npy", b"")
    with pytest.raises(ModelFileError, match="two parts of the same name"):
        sweeptree.load(path)


# Bombs


def peak_memory_of_refusing(path, **options):
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError) as found:
            sweeptree.load(path, **options)
        return tracemalloc.get_traced_memory()[1], str(found.value)
    finally:
        tracemalloc.stop()


def test_a_bomb_is_refused_before_it_is_unpacked(small_file, path):
    write_members(path, {**read_members(small_file), "node_rule.npy": bytes(10**7)})
    peak, reason = peak_memory_of_refusing(path, max_bytes=10**6)
    assert "unpacks to 10,0" in reason
    assert peak < 2 * 10**6


def test_a_bomb_that_lies_about_its_size_is_not_unpacked(small_file, path):
    size = 10**7
    write_members(path, {**read_members(small_file), "node_rule.npy": bytes(size)})
    told = path.read_bytes().replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    path.write_bytes(told)
    peak, reason = peak_memory_of_refusing(path)
    assert "damaged" in reason
    assert peak < 2 * 10**6


def test_a_file_larger_than_allowed_is_not_read(small_file):
    peak, reason = peak_memory_of_refusing(small_file, max_bytes=100)
    assert "more than the max_bytes=100 allowed" in reason
    assert peak < 10**6


def test_deep_trees_take_no_longer_than_flat_ones():
    n_splits = 200_000
    variable = np.array([0] * n_splits + [-1] * (n_splits + 1), dtype=np.int32)
    assert sizes_of(variable).depth.tolist() == [n_splits]
    assert sizes_of(variable).n_leaves.tolist() == [n_splits + 1]
