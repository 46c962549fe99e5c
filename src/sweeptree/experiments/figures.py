"""Figs. 1 to 3, Tables II to IV, and the bias of the strategies, as pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sweeptree.colours import LIGHT
from sweeptree.experiments import paper
from sweeptree.experiments.data_sets import shown_name
from sweeptree.experiments.results import Results
from sweeptree.experiments.tables import COMPARED, find_row, is_impossible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, *OTHERS, GREY = LIGHT
MOVES = ("birth", "death", "change")
FORMATS = ("png", "svg")
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "legend.frameon": False,
    "savefig.dpi": 160,
    "svg.hashsalt": "sweeptree",
}


def draw_all(results: Results, directory: Path) -> list[str]:
    """Draw the figures of the sections that were run; return the names of the files."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    makers: dict[str, dict[str, Callable[[Figure, Results], None]]] = {
        "figures": {
            "figure-1": draw_figure_1,
            "figure-2": draw_figure_2,
            "figure-3": draw_figure_3,
        },
        "tables": {"tables": draw_tables},
        "bias": {"bias": draw_bias},
    }
    names = []
    with mpl.rc_context(STYLE):
        for section in results["sections"]:
            for name, draw in makers.get(section, {}).items():
                figure = Figure(layout="constrained")
                FigureCanvasAgg(figure)
                draw(figure, results)
                names += _save(figure, directory / name)
    return names


def _save(figure: Figure, path: Path) -> list[str]:
    for kind in FORMATS:
        figure.savefig(path.with_suffix(f".{kind}"), metadata=_no_date(kind))
    return [f"{path.name}.{kind}" for kind in FORMATS]


def _no_date(kind: str) -> dict[str, Any]:
    """Leave the date out: the same numbers give the same file."""
    return {"Date": None} if kind == "svg" else {}


def draw_figure_1(figure: Figure, results: Results) -> None:
    """Fig. 1: moves that are drawn anew change how often each is made."""
    _draw_moves(figure, results, "Fig. 1", "standard")


def draw_figure_2(figure: Figure, results: Results) -> None:
    """Fig. 2: the same where starved leaves are swept away."""
    _draw_moves(figure, results, "Fig. 2", "sweeping")


def _draw_moves(figure: Figure, results: Results, name: str, strategy: str) -> None:
    emulations = [row for row in results["emulations"] if row["figure"] == name]
    chains = [row for row in results["moves"] if row["strategy"] == strategy]
    figure.set_size_inches(8.0, 3.4)
    left, right = figure.subplots(1, 2, sharey=True)
    _draw_bars(
        left,
        [("drawn", paper.PROPOSED), *((row["reading"], row["shares"]) for row in emulations)],
    )
    printed = emulations[0]
    for place, key in enumerate(("printed_birth", "printed_death")):
        line = left.hlines(printed[key], place - 0.45, place + 0.45, colors="black", linestyles=":")
    line.set_label("the paper's text")
    left.set_title(f"{name}: emulated, 10,000 moves")
    left.set_ylabel("share of moves made")
    left.legend(fontsize=7, loc="upper left")
    _draw_bars(
        right,
        [("drawn", paper.PROPOSED), *((shown_name(r["data_set"]), r["made"]) for r in chains)],
    )
    right.set_title(f"real chains, {strategy}")
    right.legend(fontsize=7, loc="upper left")
    left.set_ylim(0.0, 0.95)


def _draw_bars(axes: Any, groups: list[tuple[str, dict[str, float]]]) -> None:
    colours = [GREY, BLUE, ORANGE, GREEN, *OTHERS]
    width = 0.9 / len(groups)
    for i, (label, shares) in enumerate(groups):
        places = np.arange(len(MOVES)) - 0.45 + (i + 0.5) * width
        heights = [shares[move] for move in MOVES]
        axes.bar(places, heights, width=0.92 * width, color=colours[i], label=label)
    axes.set_xticks(range(len(MOVES)), MOVES)


def draw_figure_3(figure: Figure, results: Results) -> None:
    """Fig. 3: traces of log likelihood and size, and the distribution of sizes."""
    figure.set_size_inches(8.0, 6.4)
    axes = figure.subplots(3, 2, sharey="row")
    for strategy, colour in (("standard", ORANGE), ("sweeping", BLUE)):
        trace = find_row(results["traces"], strategy=strategy)["first_fold"]
        for column, phase in enumerate(("burn_in", "sampling")):
            _draw_trace(axes[:, column], trace[phase], strategy, colour)
    axes[0, 0].set_title("burn-in")
    axes[0, 1].set_title("after burn-in")
    axes[0, 0].set_ylabel("log likelihood")
    axes[1, 0].set_ylabel("splitting nodes")
    axes[2, 0].set_ylabel("share of moves")
    axes[0, 0].set_ylim(-100.0, 10.0)
    axes[1, 0].yaxis.get_major_locator().set_params(integer=True)
    for row in (0, 1):
        for panel in axes[row]:
            panel.set_xlabel("move of the phase, thousands")
    for panel in axes[2]:
        panel.sharex(axes[2, 0])
        panel.xaxis.get_major_locator().set_params(integer=True)
        panel.set_xlabel("splitting nodes")
    axes[0, 1].legend(loc="lower right")
    figure.suptitle("XOR3, plug-in likelihood, one chain of each strategy", fontsize=10)


def _draw_trace(axes: Any, phase: dict[str, Any], strategy: str, colour: str) -> None:
    moves = np.arange(len(phase["n_splits"])) * phase["every"] / 1000.0
    axes[0].plot(moves, phase["log_likelihood"], color=colour, linewidth=0.8, label=strategy)
    axes[1].plot(moves, phase["n_splits"], color=colour, linewidth=0.8)
    shares = phase["shares_of_sizes"]
    axes[2].bar(np.arange(len(shares)), shares, color=colour, alpha=0.7, width=0.9)


def draw_tables(figure: Figure, results: Results) -> None:
    """Tables II to IV: ours and the paper's with their intervals, under the plug-in likelihood."""
    figure.set_size_inches(8.0, 3.6)
    rows = [
        row
        for row in results["tables"]
        if row["likelihood"] == "plug-in" and row["strategy"] in paper.STRATEGIES
    ]
    axes = figure.subplots(1, len(COMPARED), sharey=True)
    for panel, compared in zip(axes, COMPARED, strict=True):
        for place, row in enumerate(rows):
            printed = compared.printed[row["data_set"]][row["strategy"]]
            mark = "x" if is_impossible(results, row, compared) else "o"
            _draw_interval(panel, place - 0.15, printed.mean, printed.interval, GREY, mark)
            _draw_interval(panel, place + 0.15, **row[compared.key], colour=BLUE)
        panel.set_title(compared.title.partition(". ")[2])
        if compared is not COMPARED[0]:
            panel.set_xlim(left=0.0)
    labels = [f"{shown_name(row['data_set'])}, {row['strategy']}" for row in rows]
    axes[0].set_yticks(range(len(rows)), labels)
    axes[0].invert_yaxis()
    labels_of_marks = [
        (GREY, "o", "the paper"),
        (GREY, "x", "the paper, impossible"),
        (BLUE, "o", "ours, plug-in"),
    ]
    handles = [
        axes[0].plot([], [], mark, color=colour, label=label)[0]
        for colour, mark, label in labels_of_marks
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))


def _draw_interval(
    axes: Any, place: float, mean: float, interval: float, colour: str, mark: str = "o"
) -> None:
    axes.errorbar(mean, place, xerr=interval, fmt=mark, color=colour, markersize=4, elinewidth=1.2)


def draw_bias(figure: Figure, results: Results) -> None:
    """Draw how the sampled numbers of leaves differ from the exact ones."""
    grids = list(dict.fromkeys(row["grid"] for row in results["bias"]))
    figure.set_size_inches(8.0, 3.0)
    axes = figure.subplots(1, len(grids), sharey=True)
    for panel, grid in zip(axes, grids, strict=True):
        for walk, colour in (("exact", BLUE), ("standard", ORANGE), ("sweeping", GREEN)):
            row = find_row(results["bias"], grid=grid, walk=walk)
            sizes = np.arange(1, len(row["p_leaves"]))
            error = np.array(row["p_leaves"]) - np.array(row["exact_p_leaves"])
            panel.plot(sizes, error[1:], "o-", color=colour, label=walk, markersize=4)
        panel.axhline(0.0, color="black", linewidth=0.8)
        panel.set_title(f"grid {grid}")
        panel.set_xlabel("leaves")
    axes[0].set_ylabel("sampled − exact P(k)")
    axes[-1].legend()
