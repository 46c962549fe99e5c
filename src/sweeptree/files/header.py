"""What a model file says in words: JSON that names parameters, classes and columns."""

from __future__ import annotations

import json
import math
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from sweeptree.columns import Column, Kind
from sweeptree.files.errors import ModelFileError, require
from sweeptree.posterior import Posterior

FORMAT = "sweeptree model"
FORMAT_VERSION = 1

FACTS_OF_A_RUN = {"n_moves": int, "thin": int, "n_rungs": int, "stopped_by": str}
"""Fields of `Posterior` that the header holds."""

OF_A_FIT = "checkpoint"
"""A parameter that names a place on the machine, and says nothing about the model."""

LABEL_TYPE = re.compile(r"\|O|[|<>][biufU]\d{1,8}")
"""Booleans, integers, floats, text, and Python objects that JSON knows."""

WIDEST_LABELS = 2**24
"""Bytes that all class labels may take in an array."""

KEYS = {
    "format": str,
    "version": int,
    "made_by": dict,
    "parameters": dict,
    "classes": dict,
    "columns": list,
    "has_column_names": bool,
    "run": dict,
}


def write_header(
    parameters: Mapping[str, Any],
    classes: npt.NDArray[Any],
    columns: Iterable[Column],
    has_column_names: bool,
    posterior: Posterior,
) -> npt.NDArray[np.uint8]:
    """Write the header as the bytes of a text."""
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "made_by": {
            "sweeptree": version("sweeptree"),
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "parameters": {
            name: _to_json(name, value) for name, value in parameters.items() if name != OF_A_FIT
        },
        "classes": {"dtype": classes.dtype.str, "labels": classes.tolist()},
        "columns": [asdict(column) for column in columns],
        "has_column_names": has_column_names,
        "run": {name: of(getattr(posterior, name)) for name, of in FACTS_OF_A_RUN.items()},
    }
    try:
        text = json.dumps(header, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"its header cannot be written as JSON: {error}") from error
    return np.frombuffer(text.encode("ascii"), dtype=np.uint8)


def read_header(content: npt.NDArray[np.uint8]) -> dict[str, Any]:
    """Read a header; its format, version and outline are checked."""
    try:
        header = json.loads(
            content.tobytes(), parse_constant=_finite_number, parse_float=_finite_number
        )
    except ValueError as error:
        raise ModelFileError("its header is not JSON") from error
    require(isinstance(header, dict) and header.get("format") == FORMAT, "it is not a model file")
    _check_version(header)
    check_keys("header", header, KEYS)
    check_keys("run", header["run"], FACTS_OF_A_RUN)
    return dict(header)


def read_parameters(header: Mapping[str, Any]) -> dict[str, Any]:
    """Read the parameters of the estimator."""
    return {name: _from_json(name, value) for name, value in header["parameters"].items()}


def read_classes(header: Mapping[str, Any]) -> npt.NDArray[Any]:
    """Read the class labels, of the type that `fit` saw."""
    check_keys("classes", header["classes"], {"dtype": str, "labels": list})
    labels = header["classes"]["labels"]
    require(len(labels) >= 2, "it has fewer than two classes")
    require(_are_plain(labels), "its class labels are not text or numbers")
    dtype = _label_type(header["classes"]["dtype"])
    require(dtype.itemsize * len(labels) <= WIDEST_LABELS, "its class labels are too long")
    try:
        classes = np.empty(len(labels), dtype)
        with np.errstate(all="ignore"):
            classes[:] = labels
        is_sorted = all(before < after for before, after in pairwise(labels))
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError("its class labels are not of one type") from error
    require(is_sorted, "its class labels are not sorted, or not distinct")
    require(_is_exact(classes.tolist(), labels), "its class labels are not of their type")
    return classes


def read_columns(header: Mapping[str, Any]) -> tuple[Column, ...]:
    """Read what the model knows of its columns."""
    columns = tuple(map(_read_column, header["columns"]))
    require(columns, "it has no columns")
    names = [column.name for column in columns]
    require(len(set(names)) == len(names), "two of its columns have the same name")
    return columns


def check_keys(what: str, mapping: Any, types: Mapping[str, type]) -> None:
    """Check that a mapping has these keys, with values of these very types."""
    require(isinstance(mapping, dict), f"its {what} is not a JSON object")
    for key in sorted(types.keys() - mapping.keys()):
        raise ModelFileError(f"its {what} does not tell {key!r}")
    for key in sorted(mapping.keys() - types.keys()):
        raise ModelFileError(f"its {what} tells {key!r}, which is unknown")
    for key, wanted in types.items():
        require(type(mapping[key]) is wanted, f"its {what} has an unfit value for {key!r}")


def _check_version(header: dict[str, Any]) -> None:
    found = header.get("version")
    if type(found) is not int or found < 1:
        raise ModelFileError("its format has no version")
    require(
        found <= FORMAT_VERSION,
        f"it is of format {found}, and this version of sweeptree reads none above "
        f"{FORMAT_VERSION}; upgrade sweeptree",
    )


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number of JSON")
    return number


def _to_json(name: str, value: Any) -> Any:
    """Turn a parameter into what JSON can hold; see docs/files.md."""
    if isinstance(value, np.random.RandomState):
        return None
    if isinstance(value, Mapping):
        return {"mapping": [[_to_json(name, k), _to_json(name, v)] for k, v in value.items()]}
    if isinstance(value, np.ndarray | np.generic):
        return _to_json(name, value.tolist())
    if isinstance(value, list | tuple | range):
        return [_to_json(name, one) for one in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ModelFileError(f"its parameter {name!r} is {value!r}, which a file cannot hold")


def _from_json(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_from_json(name, one) for one in value]
    if not isinstance(value, dict):
        return value
    check_keys(f"parameter {name!r}", value, {"mapping": list})
    pairs = value["mapping"]
    are_pairs = all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)
    require(are_pairs, f"its parameter {name!r} is no mapping")
    try:
        return {key: _from_json(name, one) for key, one in pairs}
    except TypeError as error:
        raise ModelFileError(f"its parameter {name!r} is no mapping") from error


def _label_type(name: str) -> np.dtype[Any]:
    try:
        if LABEL_TYPE.fullmatch(name):
            return np.dtype(name)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"its class labels have no type {name!r}") from error
    raise ModelFileError(f"its class labels have the type {name!r}, which a file cannot hold")


def _are_plain(values: list[Any]) -> bool:
    return all(isinstance(value, str | int | float) for value in values)


def _is_exact(found: list[Any], wanted: list[Any]) -> bool:
    return [(type(one), one) for one in found] == [(type(one), one) for one in wanted]


def _read_column(entry: Any) -> Column:
    check_keys("column", entry, {"name": str, "kind": str, "levels": list, "has_missing": bool})
    name, kind, levels = entry["name"], entry["kind"], entry["levels"]
    require(kind in get_args(Kind), f"its column {name!r} is of the unknown kind {kind!r}")
    is_category = kind == "category"
    require(is_category or not levels, f"its column {name!r} has levels, but is no category")
    require(_are_plain(levels), f"its column {name!r} has an unfit level")
    require(len(set(levels)) == len(levels), f"its column {name!r} has a level twice")
    return Column(name, kind, tuple(levels), entry["has_missing"])
