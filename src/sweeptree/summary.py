"""What was sampled, as tables for the terminal."""

from __future__ import annotations

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from sweeptree.diagnostics import convergence
from sweeptree.encoding import FloatArray
from sweeptree.posterior import Posterior
from sweeptree.verdict import WANTED_RHAT, WANTED_SPREAD, rounded

PHASE = "sampling"


def new_table(title: str, labels: list[str], numbers: list[str]) -> Table:
    """Make an empty table: columns of text to the left, columns of numbers to the right."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for heading in labels:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right")
    return table


def print_summary(posterior: Posterior) -> None:
    """Print all tables to standard output."""
    console = Console()
    console.print()
    with np.errstate(invalid="ignore"):  # a log posterior may be minus infinity
        console.print(traces_table(posterior))
    console.print(run_table(posterior))
    console.print(moves_table(posterior))
    console.print(convergence_in_words(posterior), highlight=False)


def traces_table(posterior: Posterior) -> Table:
    """Sizes and log posterior: where they are and whether the chains agree on it."""
    table = new_table(
        str(posterior), [""], ["mean", "sd", "5 %", "95 %", "R-hat", "ESS bulk", "ESS tail"]
    )
    table.collapse_padding = True
    for column in table.columns[:-2]:  # narrow terminals break the headings of ESS, no figure
        column.no_wrap = True
    found = convergence(posterior)
    traces = {
        "leaves": (posterior.n_leaves.astype(float), found["n_leaves"]),
        "log posterior": (posterior.log_posterior, found["log_posterior"]),
    }
    for name, (trace, diagnosis) in traces.items():
        low, high = np.quantile(trace, (0.05, 0.95))
        table.add_row(
            name,
            f"{trace.mean():.1f}",
            f"{trace.std():.1f}",
            f"{low:.1f}",
            f"{high:.1f}",
            rhat_in_colour(diagnosis.rhat),
            rounded(np.floor(diagnosis.ess_bulk), 0),
            rounded(np.floor(diagnosis.ess_tail), 0),
        )
    return table


def run_table(posterior: Posterior) -> Table:
    """How long the chains ran, why they stopped, and whether they predict the same."""
    table = new_table("Run", [""], ["value"])
    table.add_row("converged", "yes" if posterior.converged else "no")
    table.add_row("stopped by", posterior.stopped_by)
    table.add_row("moves of each chain", f"{posterior.n_moves:,}")
    table.add_row("rungs", f"{posterior.n_rungs}")
    table.add_row("moves from draw to draw", f"{posterior.thin:,}")
    table.add_row("spread of predictions", spread_in_colour(posterior.verdict.spread))
    return table


def convergence_in_words(posterior: Posterior) -> str:
    """Whether the chains have converged and, if not, what is missing."""
    if posterior.converged:
        return "The chains have converged."
    missing = ", ".join(posterior.verdict.missing())
    return f"The chains have not converged: {missing}. Take the probabilities as provisional."


def rhat_in_colour(rhat: float) -> str:
    """R-hat with three decimals, marked where chains disagree."""
    return _in_colour(rounded(rhat, 3), is_good=rhat <= WANTED_RHAT)


def spread_in_colour(spread: float) -> str:
    """Spread with four decimals, marked where chains predict differently."""
    return _in_colour(rounded(spread, 4), is_good=spread <= WANTED_SPREAD)


def _in_colour(figure: str, is_good: bool) -> str:
    return f"[green]{figure}[/green]" if is_good else f"[yellow]{figure} ![/yellow]"


def moves_table(posterior: Posterior) -> Table:
    """Show what became of the moves proposed after burn-in."""
    table = new_table(
        "Moves after burn-in", ["move"], ["made", "accepted", "rejected", "swept", "redrawn"]
    )
    for move, counts in zip(posterior.move_names, moves_after_burn_in(posterior), strict=True):
        by_outcome = dict(zip(posterior.outcome_names, counts.tolist(), strict=True))
        redrawn = by_outcome.pop("redrawn")
        made = sum(by_outcome.values())
        shares = [_share(by_outcome[name], made) for name in ("accepted", "rejected", "swept")]
        table.add_row(move.replace("_", "-"), f"{made:,}", *shares, f"{redrawn:,}")
    return table


def moves_after_burn_in(posterior: Posterior) -> FloatArray:
    """(move, outcome) counts over all chains."""
    counts: FloatArray = posterior.moves[:, posterior.phase_names.index(PHASE)].sum(axis=0)
    return counts


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
