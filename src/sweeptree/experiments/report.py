"""Results as files: tables, figures, and an account in words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from rich.console import Console

from sweeptree.experiments import figures, paper
from sweeptree.experiments.comparison import NOT_COMPARABLE, OUTSIDE, RULE, WITHIN
from sweeptree.experiments.data_sets import shown_name
from sweeptree.experiments.fitting import Record
from sweeptree.experiments.readme_tables import readme_sheets
from sweeptree.experiments.results import Results
from sweeptree.experiments.sheet import Sheet
from sweeptree.experiments.tables import (
    COMPARED,
    Compared,
    all_sheets,
    compare_row,
    find_row,
    plus_minus,
)
from sweeptree.writing import write_atomically

NO_MATPLOTLIB = 'The figures need matplotlib: pip install "sweeptree[plot]", then run this again.'
ORDER = ("sweeping", "standard")
README_BEGIN, README_END = "<!-- results: begin -->", "<!-- results: end -->"


def draw_figures(results: Results, directory: Path, console: Console) -> list[str]:
    """Draw all figures and return their files; without matplotlib say how to get it."""
    try:
        return figures.draw_all(results, directory)
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        console.print(NO_MATPLOTLIB, markup=False)
        return []


def names_of_files(drawn: Sequence[str]) -> list[str]:
    """Name what `write_report` leaves in the directory, figures included."""
    return ["tables.md", "results.json", "reproduction.md", *drawn]


def write_report(results: Results, directory: Path, drawn: Sequence[str]) -> None:
    """Write tables.md, results.json and reproduction.md."""
    sheets = all_sheets(results)
    write_atomically(directory / "tables.md", tables_in_markdown(sheets))
    write_atomically(directory / "results.json", json.dumps(results, indent=1, allow_nan=False))
    write_atomically(directory / "reproduction.md", account(results, drawn))


def tables_in_markdown(sheets: Sequence[Sheet]) -> str:
    """Put tables under one another, each with its title, the rule of comparison first."""
    parts = [f"## {sheet.title}\n\n{sheet.to_markdown()}\n" for sheet in sheets]
    return "\n".join(["# Tables\n", f"{RULE}\n", *parts])


def account(results: Results, drawn: Sequence[str]) -> str:
    """Tell in words what was reproduced, what was not, and why."""
    environment = Environment(
        loader=PackageLoader("sweeptree.experiments"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    sheets = {sheet.title: sheet.to_markdown() for sheet in all_sheets(results)}
    return environment.get_template("reproduction.md.jinja").render(
        results=results,
        sheets=sheets,
        pictures=[name for name in drawn if name.endswith(".svg")],
        rule=RULE,
        **(_findings(results) if "tables" in results["sections"] else {}),
    )


def _findings(results: Results) -> dict[str, Any]:
    """Sum up the comparisons made under the plug-in likelihood, the one of the paper's tables."""
    rows = [
        row
        for row in results["tables"]
        if row["likelihood"] == "plug-in" and row["strategy"] in paper.STRATEGIES
    ]
    compared = [
        (figure, row, comparison)
        for figure in COMPARED
        for row in rows
        if (comparison := compare_row(results, row, figure)) is not None
    ]
    counts = Counter(comparison.word for _, _, comparison in compared)
    return {
        "n_within": counts[WITHIN],
        "n_outside": counts[OUTSIDE],
        "n_not_comparable": counts[NOT_COMPARABLE],
        "outside": [
            f"{figure.title}: {_label(row)}, {plus_minus(row[figure.key], figure.n_decimals)} "
            f"against {_printed(figure, row).text}"
            for figure, row, comparison in compared
            if comparison.word == OUTSIDE
        ],
        "impossible": [
            f"{_label(row)}: {_printed(figure, row).text}, {comparison.reason}"
            for figure, row, comparison in compared
            if comparison.is_impossible
        ],
        **_contrasts(results),
    }


def _label(row: Record) -> str:
    return f"{shown_name(row['data_set'])}, {row['strategy']}"


def _printed(figure: Compared, row: Record) -> paper.Printed:
    return figure.printed[row["data_set"]][row["strategy"]]


def _contrasts(results: Results) -> dict[str, Any]:
    """Set standard against sweeping, and the likelihoods against each other, on all data sets."""
    names = [shape["data_set"] for shape in results["data_sets"]]

    def row(name: str, strategy: str, likelihood: str = "plug-in") -> Record:
        return find_row(results["tables"], data_set=name, strategy=strategy, likelihood=likelihood)

    def mean(name: str, key: str, strategy: str, likelihood: str = "plug-in") -> float:
        return float(row(name, strategy, likelihood)[key]["mean"])

    return {
        "shorter": _where(
            names, lambda n: mean(n, "n_splits", "sweeping") < mean(n, "n_splits", "standard")
        ),
        "entropy_ratios": [
            f"{shown_name(name)} {_ratio(mean(name, 'entropy', s) for s in ORDER)} "
            f"({_ratio(paper.ENTROPY[name][s].mean for s in ORDER)})"
            for name in names
        ],
        "less_entropy": _where(
            names,
            lambda n: mean(n, "entropy", "sweeping") < mean(n, "entropy", "sweeping", "marginal"),
        ),
        "more_loss": _where(
            names,
            lambda n: mean(n, "log_loss", "sweeping") > mean(n, "log_loss", "sweeping", "marginal"),
        ),
        "votes_total": row("Votes", "standard")["entropy_of_all_folds"],
    }


def _ratio(figures: Iterable[float]) -> str:
    above, below = figures
    return f"{above / below:.2f}"


def _where(names: Sequence[str], holds: Callable[[str], bool]) -> list[str]:
    return [shown_name(name) for name in names if holds(name)]


def readme_block(results: Results) -> str:
    """Lay out the README's tables, between the markers that show where they are."""
    parts = [f"**{sheet.title}**\n\n{sheet.to_markdown()}\n" for sheet in readme_sheets(results)]
    return "\n".join([README_BEGIN, "", *parts, README_END])
