"""The short tables of the README: what `reproduce` has found, in three of them."""

from __future__ import annotations

from typing import Any

from sweeptree.experiments import paper
from sweeptree.experiments.comparison import NOT_COMPARABLE, OUTSIDE, WITHIN
from sweeptree.experiments.data_sets import shown_name
from sweeptree.experiments.results import Results
from sweeptree.experiments.sheet import Sheet
from sweeptree.experiments.tables import COMPARED, bias_sheet, compare_row, find_row, plus_minus

MARKS = {WITHIN: "✓", OUTSIDE: "✗", NOT_COMPARABLE: "·"}


def readme_sheets(results: Results) -> list[Sheet]:
    """Lay out the short tables of the README."""
    return [_agreement_sheet(results), _log_loss_sheet(results), bias_sheet(results)]


def _agreement_sheet(results: Results) -> Sheet:
    rows = []
    for row in results["tables"]:
        if row["likelihood"] != "plug-in" or row["strategy"] not in paper.STRATEGIES:
            continue
        cells = []
        for figure in COMPARED:
            comparison = compare_row(results, row, figure)
            assert comparison is not None
            printed = figure.printed[row["data_set"]][row["strategy"]].text
            why = f"; {comparison.reason}" if comparison.reason else ""
            ours = plus_minus(row[figure.key], figure.n_decimals)
            cells.append(f"{ours} ({printed}{why}) {MARKS[comparison.word]}")
        rows.append([shown_name(row["data_set"]), row["strategy"], *cells])
    headings = ["data", "strategy", "accuracy, %", "entropy of a fold, nats", "splits"]
    note = ", ".join(f"{mark} {word}" for word, mark in MARKS.items()) + "."
    return Sheet("Ours, and the paper's in brackets", headings, rows, note, 2)


def _log_loss_sheet(results: Results) -> Sheet:
    columns = [
        ("plug-in", "standard"),
        ("plug-in", "sweeping"),
        ("marginal", "standard"),
        ("marginal", "sweeping"),
        ("marginal", "exact"),
    ]
    rows = []
    for shape in results["data_sets"]:
        found: list[dict[str, Any]] = [
            find_row(
                results["tables"],
                data_set=shape["data_set"],
                likelihood=likelihood,
                strategy=strategy,
            )
            for likelihood, strategy in columns
        ]
        rows.append(
            [
                shown_name(shape["data_set"]),
                *(
                    f"{row['log_loss']['mean']:.3f} · {row['calibration_error']:.3f}"
                    for row in found
                ),
            ]
        )
    headings = ["data", *(f"{likelihood}, {strategy}" for likelihood, strategy in columns)]
    return Sheet("Log-loss · calibration error, of single chains", headings, rows)
