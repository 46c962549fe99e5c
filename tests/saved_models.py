"""Models to save, files to tamper with, and whether two models are the same."""

import warnings
import zipfile
from io import BytesIO

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from comparing import arrays_of
from mixed_tables import mixed_table
from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_xor3
from sweeptree.files.archive import CHECKSUM, checksum_of
from sweeptree.files.schema import ALL_PARTS, from_stored, to_stored

SHORT = {"n_burn_in": 2000, "n_draws": 12, "thin": 20, "n_chains": 2, "random_state": 0}


def fit(X, y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return BayesianTreeClassifier(**{**SHORT, **parameters}).fit(X, y)


def small_model():
    """A model of 24 draws."""
    return fit(*make_xor3(60, random_state=0, return_X_y=True))


def mixed_model(**parameters):
    """The same with every kind of column, and holes."""
    return fit(*mixed_table(60), category_rules="groups", **parameters)


def fitted_attributes(model):
    """All that `fit` sets, as bytes and plain values."""
    found = {name: plainly(array) for name, array in arrays_of(model.posterior_).items()}
    for name in ("n_moves", "thin", "n_rungs", "stopped_by"):
        found[name] = getattr(model.posterior_, name)
    found["verdict"] = plainly(np.array(model.posterior_.verdict))
    for name in ("classes_", "feature_importances_", "feature_names_in_"):
        found[name] = plainly(getattr(model, name, None))
    if hasattr(model, "training_"):
        found["training_"] = tuple(map(plainly, model.training_))
    return {**found, "n_features_in_": model.n_features_in_, "columns_": model.columns_}


def plainly(array):
    if array is None:
        return None
    values = array.tolist() if array.dtype == object else array.tobytes()
    return type(array), array.dtype, array.shape, values


def assert_same_model(first, second):
    assert first.get_params() == second.get_params()
    first, second = fitted_attributes(first), fitted_attributes(second)
    assert first.keys() == second.keys()
    for name in first:
        assert first[name] == second[name], name


def read_parts(path):
    """The arrays of a file by name; the checksum is left out."""
    with np.load(path, allow_pickle=False) as file:
        return from_stored({name: file[name] for name in file.files if name != CHECKSUM})


def write_parts(path, parts):
    """Write a file with a checksum that fits what is in it."""
    parts = {name: as_stored(name, array) for name, array in parts.items()}
    checksum = np.frombuffer(checksum_of(parts), dtype=np.uint8)
    contents = {}
    for name, array in {**parts, CHECKSUM: checksum}.items():
        content = BytesIO()
        np.save(content, array, allow_pickle=False)
        contents[f"{name}.npy"] = content.getvalue()
    write_members(path, contents)


def as_stored(name, array):
    """An array as a file has it, unless it is of a type that no file has there."""
    has_its_type = name in ALL_PARTS and array.dtype.str == ALL_PARTS[name].dtype
    return to_stored({name: array})[name] if has_its_type else array


def write_members(path, contents):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


def read_members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
