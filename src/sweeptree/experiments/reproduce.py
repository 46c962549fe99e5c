"""`sweeptree reproduce`: all of it, from data to report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from sweeptree.experiments import report
from sweeptree.experiments.parts import Parts
from sweeptree.experiments.plan import FULL, QUICK, plan_units
from sweeptree.experiments.results import Results, sum_up
from sweeptree.experiments.running import run_units
from sweeptree.experiments.tables import all_sheets


def reproduce(
    output: Path,
    sections: Sequence[str],
    console: Console,
    *,
    is_quick: bool = False,
    n_jobs: int = 1,
    seed: int = 0,
) -> Results:
    """Run what is not finished, print the tables, and write everything to a directory.

    Parameters
    ----------
    output : Path
        Gets `results.json`, `tables.md`, `reproduction.md`, the figures, and `parts`, from which
        an interrupted run goes on.
    sections : sequence of str
        Out of `plan.SECTIONS`.
    console : Console
    is_quick : bool
        Short chains: to see what comes out, not for its numbers.
    n_jobs : int
        Threads. The numbers do not depend on it.
    seed : int
    """
    scale = QUICK if is_quick else FULL
    units = plan_units(sections, scale)
    records = run_units(units, Parts(output / "parts", seed), seed, n_jobs)
    results = sum_up(units, records, sections, scale, seed)
    for sheet in all_sheets(results):
        console.print(sheet.to_rich())
    figures = report.draw_figures(results, output, console)
    report.write_report(results, output, figures)
    console.print(f"Written to {output}: {', '.join(report.names_of_files(figures))}.")
    return results
