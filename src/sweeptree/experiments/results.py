"""What all units found, summed up: every number with its settings, seed and version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sweeptree.experiments import bias, data_sets, move_shares, paper
from sweeptree.experiments.cross_validation import N_FOLDS, sum_up_folds
from sweeptree.experiments.fitting import Record
from sweeptree.experiments.parts import VERSION
from sweeptree.experiments.plan import (
    FULL,
    LIKELIHOODS,
    READINGS,
    STRATEGIES_SHOWN,
    Scale,
    Unit,
    name_of_bias,
    name_of_fold,
    name_of_moves,
    name_of_reading,
    name_of_trace,
)

Results = dict[str, Any]
N_DECIMALS = 6


class Finished:
    """Units and what they found, by name."""

    def __init__(self, units: Sequence[Unit], records: Mapping[str, Record]) -> None:
        self._records = records
        self._settings = {unit.name: unit.settings for unit in units}

    def record(self, name: str) -> Record:
        """Return what a unit found."""
        return self._records[name]

    def settings(self, name: str) -> dict[str, Any]:
        """Return the settings of a unit; those of a fold stand for all folds."""
        return {key: value for key, value in self._settings[name].items() if key != "fold"}


def sum_up(
    units: Sequence[Unit],
    records: Mapping[str, Record],
    sections: Sequence[str],
    scale: Scale,
    seed: int,
) -> Results:
    """Sum up the sections that were run."""
    finished = Finished(units, records)
    results: Results = {
        "version": VERSION,
        "seed": seed,
        "is_quick": scale != FULL,
        "n_folds": N_FOLDS,
        "n_chains": scale.n_chains,
        "length": scale.length._asdict(),
        "sections": list(sections),
    }
    if "tables" in sections:
        results["data_sets"] = _sum_up_data_sets(seed)
        results["tables"] = _sum_up_tables(finished)
    if "figures" in sections:
        results["emulations"] = move_shares.emulations(seed)
        results["moves"] = _sum_up_moves(finished)
        results["traces"] = _sum_up_traces(finished)
    if "readings" in sections:
        results["readings"] = _sum_up_readings(finished)
    if "bias" in sections:
        results["bias"] = _sum_up_bias(finished)
    rounded: Results = _round(results)
    return rounded


def _sum_up_data_sets(seed: int) -> list[Record]:
    tables = {name: data_sets.load(name, seed) for name in data_sets.NAMES}
    return [
        {
            "data_set": name,
            "n_classes": table.n_classes,
            "n_variables": table.n_variables,
            "n_rows": len(table.y),
            "is_stand_in": data_sets.is_stand_in(name),
        }
        for name, table in tables.items()
    ]


def _sum_up_tables(finished: Finished) -> list[Record]:
    rows = []
    for data_set in data_sets.NAMES:
        for likelihood in LIKELIHOODS:
            for strategy in STRATEGIES_SHOWN:
                names = [
                    name_of_fold(data_set, likelihood, strategy, fold) for fold in range(N_FOLDS)
                ]
                rows.append(
                    {
                        "data_set": data_set,
                        "likelihood": likelihood,
                        "strategy": strategy,
                        "settings": finished.settings(names[0]),
                        **sum_up_folds([finished.record(name) for name in names]),
                    }
                )
    return rows


def _sum_up_moves(finished: Finished) -> list[Record]:
    return [
        {
            "data_set": data_set,
            "strategy": strategy,
            "settings": finished.settings(name_of_moves(data_set, strategy)),
            **finished.record(name_of_moves(data_set, strategy)),
        }
        for strategy in paper.STRATEGIES
        for data_set in data_sets.NAMES
    ]


def _sum_up_traces(finished: Finished) -> list[Record]:
    traces = []
    for strategy in paper.STRATEGIES:
        names = [name_of_trace(strategy, fold) for fold in range(N_FOLDS)]
        records = [finished.record(name) for name in names]
        phases = ("burn_in", "sampling")
        traces.append(
            {
                "strategy": strategy,
                "settings": finished.settings(names[0]),
                "acceptance": {
                    phase: sum(record[phase]["acceptance"] for record in records) / N_FOLDS
                    for phase in phases
                },
                "first_fold": records[0],
            }
        )
    return traces


def _sum_up_readings(finished: Finished) -> list[Record]:
    rows = []
    for reading in READINGS:
        for data_set in data_sets.PUBLIC_NAMES:
            names = [name_of_reading(reading, data_set, fold) for fold in range(N_FOLDS)]
            summary = sum_up_folds([finished.record(name) for name in names])
            rows.append(
                {
                    "reading": reading,
                    "data_set": data_set,
                    "strategy": READINGS[reading][0],
                    "settings": finished.settings(names[0]),
                    **{key: summary[key] for key in ("n_splits", "entropy", "accuracy")},
                }
            )
    return rows


def _sum_up_bias(finished: Finished) -> list[Record]:
    return [
        {
            "grid": grid,
            "walk": walk,
            "settings": finished.settings(name_of_bias(grid, walk)),
            **finished.record(name_of_bias(grid, walk)),
        }
        for grid in bias.GRIDS
        for walk in bias.WALKS
    ]


def _round(value: Any) -> Any:
    """Round all numbers inside: further digits are noise, and differ between machines."""
    if isinstance(value, float):
        return round(value, N_DECIMALS)
    if isinstance(value, Mapping):
        return {key: _round(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_round(item) for item in value]
    return value
