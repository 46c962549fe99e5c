"""Results as tables: ours beside the paper's."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from sweeptree.experiments import paper
from sweeptree.experiments.comparison import Comparison, compare_with_paper, entropy_bound
from sweeptree.experiments.data_sets import is_stand_in, shown_name
from sweeptree.experiments.fitting import Record
from sweeptree.experiments.plan import LIKELIHOODS
from sweeptree.experiments.results import Results
from sweeptree.experiments.sheet import Sheet

NOTHING = "–"


class Compared(NamedTuple):
    """A figure that the paper has a table of."""

    key: str
    title: str
    printed: paper.Cells
    n_decimals: int


ACCURACY = Compared("accuracy", "Table II. Accuracy, %", paper.ACCURACY, 1)
ENTROPY = Compared("entropy", "Table III. Entropy of a test fold, nats", paper.ENTROPY, 2)
SPLITS = Compared("n_splits", "Table IV. Splitting nodes", paper.SPLITS, 1)
COMPARED = (ACCURACY, ENTROPY, SPLITS)


def all_sheets(results: Results) -> list[Sheet]:
    """Lay out every table of the sections that were run."""
    makers: dict[str, list[Callable[[Results], Sheet]]] = {
        "tables": [
            data_sheet,
            *(
                partial(compared_sheet, figure=figure, likelihood=likelihood)
                for figure in COMPARED
                for likelihood in LIKELIHOODS
            ),
            entropy_sheet,
            scores_sheet,
        ],
        "figures": [emulations_sheet, moves_sheet, acceptance_sheet],
        "readings": [readings_sheet],
        "bias": [bias_sheet],
    }
    return [make(results) for name in results["sections"] for make in makers[name]]


def plus_minus(figure: Record, n_decimals: int) -> str:
    """Write a mean and its ±.

    Examples
    --------
    >>> plus_minus({"mean": 3.61, "interval": 0.04}, 1)
    '3.6 ± 0.0'
    """
    return f"{figure['mean']:.{n_decimals}f} ± {figure['interval']:.{n_decimals}f}"


def find_row(rows: Sequence[Record], **wanted: str) -> Record:
    """Return the row with these labels."""
    return next(row for row in rows if all(row[key] == value for key, value in wanted.items()))


def compare_row(results: Results, row: Record, figure: Compared) -> Comparison | None:
    """Compare a row of ours with the paper's; None if the paper has no such row."""
    printed = figure.printed[row["data_set"]].get(row["strategy"])
    if printed is None:
        return None
    return compare_with_paper(
        printed,
        **row[figure.key],
        is_stand_in=is_stand_in(row["data_set"]),
        **({"bound": bound_of(results, row["data_set"])} if figure is ENTROPY else {}),
    )


def is_impossible(results: Results, row: Record, figure: Compared) -> bool:
    """Whether the paper's figure breaks a bound."""
    comparison = compare_row(results, row, figure)
    return comparison is not None and comparison.is_impossible


def bound_of(results: Results, data_set: str) -> float:
    """Most entropy that a test fold of a data set can have, in nats."""
    shape = find_row(results["data_sets"], data_set=data_set)
    return entropy_bound(shape["n_rows"], results["n_folds"], shape["n_classes"])


def data_sheet(results: Results) -> Sheet:
    """Table I."""
    rows = []
    for row in results["data_sets"]:
        ours = (row["n_classes"], row["n_variables"], row["n_rows"])
        printed = paper.TABLE_1[row["data_set"]]
        rows.append(
            [
                shown_name(row["data_set"]),
                *map(str, ours),
                "the same" if ours == printed else f"{tuple(printed)}",
            ]
        )
    return Sheet(
        "Table I. Data",
        ["data", "classes C", "variables m", "rows n", "the paper's"],
        rows,
        "Variables are columns that vary: Ionosphere has one more, which is 0 in every row.",
    )


def compared_sheet(results: Results, figure: Compared, likelihood: str) -> Sheet:
    """Lay out Table II, III or IV: the paper's figure and ours under one likelihood."""
    rows = []
    for row in results["tables"]:
        if row["likelihood"] != likelihood:
            continue
        printed = figure.printed[row["data_set"]].get(row["strategy"])
        comparison = compare_row(results, row, figure)
        rows.append(
            [
                shown_name(row["data_set"]),
                row["strategy"],
                printed.text if printed else NOTHING,
                plus_minus(row[figure.key], figure.n_decimals),
                str(comparison) if comparison else NOTHING,
            ]
        )
    headings = ["data", "strategy", "the paper", "ours", "ours is"]
    return Sheet(title_of(figure, likelihood), headings, rows, n_labels=2)


def title_of(figure: Compared, likelihood: str) -> str:
    """Name the table of a figure under a likelihood.

    Examples
    --------
    >>> title_of(SPLITS, "plug-in")
    'Table IV. Splitting nodes; plug-in likelihood'
    """
    return f"{figure.title}; {likelihood} likelihood"


def entropy_sheet(results: Results) -> Sheet:
    """Table III again, in the other units that it may have been printed in."""
    rows = [
        [
            shown_name(row["data_set"]),
            row["strategy"],
            row["likelihood"],
            f"{row['entropy']['mean']:.2f}",
            f"{row['entropy_per_row']:.4f}",
            f"{row['entropy_of_all_folds']:.1f}",
            f"{bound_of(results, row['data_set']):.1f}",
        ]
        for row in results["tables"]
    ]
    headings = ["data", "strategy", "likelihood", "a fold", "a row", "all folds", "a fold, at most"]
    return Sheet("Entropy a fold, a row and in total, nats", headings, rows, n_labels=3)


def scores_sheet(results: Results) -> Sheet:
    """Lay out what the paper does not have: whether the probabilities are good, and converged."""
    rows = [
        [
            shown_name(row["data_set"]),
            row["strategy"],
            row["likelihood"],
            f"{row['log_loss']['mean']:.3f}",
            f"{row['brier']['mean']:.4f}",
            f"{row['calibration_error']:.3f}",
            f"{row['rhat_n_leaves']:.2f}",
            f"{row['rhat_log_posterior']:.2f}",
            f"{row['acceptance']['mean']:.2f}",
        ]
        for row in results["tables"]
    ]
    headings = [
        "data",
        "strategy",
        "likelihood",
        "log-loss",
        "Brier",
        "calibration error",
        "R-hat, leaves",
        "R-hat, log posterior",
        "acceptance",
    ]
    note = (
        "Calibration error: distance between confidence and accuracy in ten bins of equally many "
        "rows. R-hat: the largest of the folds; at most 1.01 is wanted."
    )
    return Sheet("Not in the paper: are the probabilities good?", headings, rows, note, 3)


def _shares(shares: dict[str, float]) -> list[str]:
    return [f"{shares[move]:.2f}" for move in ("birth", "death", "change")]


def emulations_sheet(results: Results) -> Sheet:
    """Figs. 1 and 2 as the paper emulated them."""
    rows = [
        [
            row["figure"],
            row["reading"],
            *_shares(row["shares"]),
            f"{row['printed_birth']:.2f}",
            f"{row['printed_death']:.2f}",
        ]
        for row in results["emulations"]
    ]
    headings = [
        "figure",
        "unavailable moves",
        "birth",
        "death",
        "change",
        "birth, the paper",
        "death, the paper",
    ]
    return Sheet("Figs. 1 and 2. Moves made, emulated", headings, rows, n_labels=2)


def moves_sheet(results: Results) -> Sheet:
    """Figs. 1 and 2 as real chains have it."""
    rows = [
        [shown_name(row["data_set"]), row["strategy"], *_shares(row["made"])]
        for row in results["moves"]
    ]
    note = "Drawn 0.20, 0.20 and 0.60 of the time. A change that removed a leaf counts as a death."
    return Sheet(
        "Figs. 1 and 2. Moves made by real chains",
        ["data", "strategy", "birth", "death", "change"],
        rows,
        note,
        2,
    )


def acceptance_sheet(results: Results) -> Sheet:
    """Lay out the acceptance rates beside Fig. 3."""
    rows = []
    for row in results["traces"]:
        is_in_paper = row["strategy"] == "sweeping"
        printed = f"{paper.ACCEPTANCE_XOR3}" if is_in_paper else NOTHING
        rows.append(
            [
                row["strategy"] + (", σ tuned" if is_in_paper else ""),
                printed,
                *(f"{row['acceptance'][phase]:.3f}" for phase in ("burn_in", "sampling")),
            ]
        )
    return Sheet(
        "XOR3. Share of moves accepted, plug-in likelihood",
        ["strategy", "the paper", "burn-in", "after"],
        rows,
    )


def readings_sheet(results: Results) -> Sheet:
    """Lay out how each open point changes the size of trees."""
    readings = list(dict.fromkeys(row["reading"] for row in results["readings"]))
    names = list(dict.fromkeys(row["data_set"] for row in results["readings"]))
    rows = [
        [f"the paper, {strategy}", *(paper.SPLITS[name][strategy].text for name in names), NOTHING]
        for strategy in paper.STRATEGIES
    ]
    for reading in readings:
        found = [find_row(results["readings"], reading=reading, data_set=n) for n in names]
        sizes = [plus_minus(row["n_splits"], 1) for row in found]
        rows.append([reading, *sizes, f"{_distance_from_paper(found):.2f}"])
    return Sheet(
        "Splitting nodes by reading, plug-in likelihood",
        ["reading", *names, "distance"],
        rows,
        "Distance: from the paper's means, in units of its ±, root mean square over the data.",
    )


def _distance_from_paper(rows: Sequence[Record]) -> float:
    """Root mean square distance of sizes from the paper's, in units of its ±."""
    squares = []
    for row in rows:
        printed = paper.SPLITS[row["data_set"]][row["strategy"]]
        squares.append(((row["n_splits"]["mean"] - printed.mean) / printed.interval) ** 2)
    return math.sqrt(sum(squares) / len(squares))


def bias_sheet(results: Results) -> Sheet:
    """Lay out how far each strategy is from the exact posterior of the number of leaves."""
    grids = list(dict.fromkeys(row["grid"] for row in results["bias"]))
    walks = list(dict.fromkeys(row["walk"] for row in results["bias"]))
    rows = []
    for walk in walks:
        found = [find_row(results["bias"], walk=walk, grid=grid) for grid in grids]
        rows.append([walk, *(f"{row['total_variation']:.3f}" for row in found)])
    note = (
        "Total variation between the sampled and the exact distribution of the number of leaves, "
        "on grids small enough to sum over every tree; 0 is exact, up to noise of some 0.01."
    )
    return Sheet("Bias of every strategy", ["strategy", *grids], rows, note)
