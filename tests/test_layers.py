"""Imports go one way."""

import ast
from pathlib import Path

import pytest

import sweeptree

ROOT = Path(sweeptree.__file__).parent

LAYERS = [
    {
        *("settings", "columns", "_kernel", "datasets", "progress", "verdict", "frames"),
        *("writing", "interruption", "markup", "names", "spacing", "colours"),
        *("elsewhere", "partitions", "odd_text"),
    },
    {"encoding", "checkpoint", "table_files"},
    {"reference", "raw_table"},
    {"learned_columns", "table_names", "labels"},
    {"table", "scores"},
    {"engines"},
    {"posterior", "sampling", "constraints"},
    {
        *("prediction", "diagnostics", "memory", "fitted", "logbook", "resolving"),
        *("thread_crew", "lean_states", "baseline"),
    },
    {"leaf_draws", "pointwise", "remote_crew", "prediction_mixin"},
    {"crews"},
    {"stopping", "summary", "uncertainty", "arviz_export"},
    {"interpretation", "files"},
    {"report"},
    {"estimator", "plots"},
    {"loading"},
    {"__init__", "demo", "experiments"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def modules():
    return sorted(ROOT.rglob("*.py"))


def layer_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_by(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sweeptree"):
            parts = node.module.split(".")
            yield from [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_imports_only_from_below(path):
    here = layer_of(path)
    for name in imported_by(path):
        if name != here:
            assert LEVEL[name] < LEVEL[here], f"{here} must not import {name}"


def test_every_module_has_its_layer():
    assert {layer_of(path) for path in modules()} <= set(LEVEL)
