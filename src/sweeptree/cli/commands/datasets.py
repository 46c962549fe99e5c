"""`sweeptree datasets`."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np

from sweeptree import datasets
from sweeptree.cli.outputs import check_table_output, naming_output
from sweeptree.cli.showing import WrongCallError, note, show
from sweeptree.names import hint_at_names
from sweeptree.summary import new_table
from sweeptree.table_files import STANDARD_STREAM, table_writer
from sweeptree.table_files.table import Array


class DataSet(NamedTuple):
    """A built-in data set."""

    what: str
    bunch: Any

    @property
    def columns(self) -> dict[str, Array]:
        """Columns by name, the class last."""
        inputs = zip(self.bunch.feature_names, self.bunch.data.T, strict=True)
        return {**dict(inputs), "class": self.bunch.target_names[self.bunch.target]}


def load_all() -> dict[str, DataSet]:
    """Return all data sets by name."""
    return {
        "injury": DataSet("trauma cases: a synthetic stand-in", datasets.load_injury()),
        "ionosphere": DataSet("radar returns from the ionosphere", datasets.load_ionosphere()),
        "votes": DataSet("votes of 1984, no 0, yes 1", datasets.load_votes(missing="nan")),
        "wisconsin": DataSet("breast cancer", datasets.load_wisconsin(complete=False)),
        "xor3": DataSet("made up: exclusive or", datasets.make_xor3(random_state=0)),
    }


def run(options: argparse.Namespace) -> None:
    """List the data sets, or export one."""
    if options.action == "export":
        _export(options)
    else:
        _list(options)


def _list(options: argparse.Namespace) -> None:
    found = load_all()
    record = {
        name: {
            "what": each.what,
            "n_rows": len(each.bunch.data),
            "n_columns": each.bunch.data.shape[1],
            "classes": each.bunch.target_names,
            "n_missing": np.isnan(each.bunch.data).sum(),
        }
        for name, each in found.items()
    }
    table = new_table("Built-in data sets", ["name", "what"], ["rows", "columns", "missing"])
    for name, each in record.items():
        figures = (each["n_rows"], each["n_columns"], each["n_missing"])
        table.add_row(name, each["what"], *map("{:,}".format, figures))
    show(options, record, table, "Get one: sweeptree datasets export votes -o votes.csv")


def _export(options: argparse.Namespace) -> None:
    check_table_output(options)
    found = load_all()
    if options.name not in found:
        hint = hint_at_names(options.name, list(found))
        raise WrongCallError(f"There is no data set {options.name!r}; {hint}")
    with naming_output(options.output), table_writer(options.output) as write:
        write(found[options.name].columns)
    if options.json:
        show(options, {"name": options.name, "output": options.output})
    elif options.output != STANDARD_STREAM:
        note(options, f"{options.name} is in {options.output}; its classes are in 'class'.")
