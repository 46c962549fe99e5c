"""Figs. 1 and 2: how often each move is made, in the paper's emulation and by real chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweeptree.experiments import paper
from sweeptree.experiments.data_sets import LabelledTable
from sweeptree.experiments.fitting import Record, Settings, count_moves, fit_chain, seed_of_chain

Shares = dict[str, float]

PROPOSED = {"birth": 0.2, "death": 0.2, "change_split": 0.075, "change_rule": 0.525}
"""The paper's example, its changes divided as in the paper's experiments, 1 to 7."""


def emulate_redrawing(example: paper.Emulation, seed: int) -> Shares:
    """Emulate the paper's 10,000 moves where unavailable ones are drawn anew (Fig. 1)."""
    chances = paper.PROPOSED | {
        "birth": paper.PROPOSED["birth"] - example.unavailable_birth,
        "change": paper.PROPOSED["change"] - example.unavailable_change,
    }
    return _emulate(chances, seed)


def emulate_reassigning(example: paper.Emulation, seed: int) -> Shares:
    """Emulate them where changes that starve one leaf become deaths (Fig. 2)."""
    swept = (1.0 - paper.SHARE_OF_TWO_STARVED) * example.unavailable_change
    chances = {
        "birth": paper.PROPOSED["birth"] - example.unavailable_birth,
        "death": paper.PROPOSED["death"] + swept,
        "change": paper.PROPOSED["change"] - example.unavailable_change,
    }
    return _emulate(chances, seed)


def emulate_conditional(example: paper.Emulation, seed: int) -> Shares:
    """Emulate Fig. 2 with its chances read as shares of the births and of the changes."""
    unavailable = paper.Emulation(
        example.unavailable_birth * paper.PROPOSED["birth"],
        example.unavailable_change * paper.PROPOSED["change"],
        example.printed_birth,
        example.printed_death,
    )
    return emulate_reassigning(unavailable, seed)


def _emulate(chances: Shares, seed: int) -> Shares:
    """Draw until so many moves are made; what is left of 1 stands for a draw made anew."""
    rng = np.random.default_rng(seed)
    made: list[str] = []
    names = [*chances, "anew"]
    weights = [*chances.values(), 1.0 - sum(chances.values())]
    while len(made) < paper.N_EMULATED:
        drawn = rng.choice(names, size=paper.N_EMULATED, p=weights)
        made += drawn[drawn != "anew"].tolist()
    kept = made[: paper.N_EMULATED]
    return {name: kept.count(name) / paper.N_EMULATED for name in chances}


def emulations(seed: int) -> list[dict[str, Any]]:
    """Emulate both figures, Fig. 2 in each of its readings, beside what the paper prints."""
    readings = [
        ("Fig. 1", "drawn anew", emulate_redrawing, paper.FIGURE_1),
        ("Fig. 2", "births anew, changes become deaths", emulate_reassigning, paper.FIGURE_2),
        ("Fig. 2", "the same, chances as shares", emulate_conditional, paper.FIGURE_2),
        ("Fig. 2", "all drawn anew", emulate_redrawing, paper.FIGURE_2),
    ]
    return [
        {
            "figure": figure,
            "reading": reading,
            "shares": emulate(example, seed),
            "printed_birth": example.printed_birth,
            "printed_death": example.printed_death,
        }
        for figure, reading, emulate, example in readings
    ]


def measure_moves(table: LabelledTable, settings: Settings, seed: int, name: str) -> Record:
    """Count what a chain on the whole table proposed and what it made, after burn-in.

    A change that removed a leaf counts as a death, as in the paper.
    """
    model = fit_chain(table.X, table.y, settings["model"], seed_of_chain(seed, name, 0))
    counts = count_moves(model, "sampling")
    proposed = {"birth": 0, "death": 0, "change": 0}
    made = dict(proposed)
    for move, by_outcome in counts.items():
        kind = "change" if move.startswith("change") else move
        if kind not in made:
            continue
        proposed[kind] += sum(by_outcome.values())
        made[kind] += by_outcome["accepted"] + by_outcome["rejected"]
        made["death"] += by_outcome["swept"]
    return {"proposed": _to_shares(proposed), "made": _to_shares(made)}


def _to_shares(counts: dict[str, int]) -> Shares:
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()}
