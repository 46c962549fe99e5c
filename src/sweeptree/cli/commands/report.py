"""`sweeptree report`."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path

from rich.text import Text

from sweeptree.cli.held_out import read_held_out
from sweeptree.cli.models import load_model
from sweeptree.cli.outputs import check_place, naming_output
from sweeptree.cli.showing import WrongCallError, note, show
from sweeptree.estimator import BayesianTreeClassifier
from sweeptree.loading import load


def run(options: argparse.Namespace) -> None:
    """Write all about a model to one HTML file."""
    output = options.output or str(Path(options.model).with_suffix(".html"))
    if output == "-":
        raise WrongCallError("The report needs a file of its own; give its name with -o.")
    check_place(output, [options.model, options.table])
    n_rows = _write(options, output)
    n_bytes = Path(output).stat().st_size
    record = {"output": output, "n_test_rows": n_rows, "n_bytes": n_bytes}
    show(options, record, Text(f"Wrote {output} ({n_bytes / 1000:,.0f} kB)."))
    if options.open and not webbrowser.open(Path(output).absolute().as_uri()):
        note(options, f"No browser was found; open {output} in one.")


def _write(options: argparse.Namespace, output: str) -> int:
    """Write the report; return how many test rows it rests on."""
    if options.table is None:
        if options.target is not None:
            raise WrongCallError("--target is a column of TABLE, which was not given.")
        with naming_output(output):
            _with_progress(load(options.model), options).report(output)
        return 0
    model = _with_progress(load_model(options.model), options)
    held_out = read_held_out(options.model, model, options.table, options.target)
    with naming_output(output):
        model.report(output, held_out.rows, held_out.labels)
    return len(held_out.labels)


def _with_progress(
    model: BayesianTreeClassifier, options: argparse.Namespace
) -> BayesianTreeClassifier:
    """Let the model show its progress, whatever it did in fit, or not."""
    model.set_params(progress=False if options.quiet else "auto")
    return model
