"""What there is to do: the units of work behind every table and figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sweeptree.experiments import bias, data_sets, move_shares, paper
from sweeptree.experiments.cross_validation import N_FOLDS, measure_fold
from sweeptree.experiments.fitting import (
    PAPER_LENGTH,
    RULE_STEP,
    Length,
    Record,
    Settings,
    model_settings,
)
from sweeptree.experiments.traces import measure_trace
from sweeptree.settings import STRATEGIES

SECTIONS = ("tables", "figures", "readings", "bias")
LIKELIHOODS = ("plug-in", "marginal")
STRATEGIES_SHOWN = ("standard", "sweeping", "exact")

READINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "sweeping, σ = 0.02": ("sweeping", {"rule_scale": 0.02}),
    f"sweeping, σ = {RULE_STEP} (in the tables)": ("sweeping", {}),
    "sweeping, σ = 0.1": ("sweeping", {"rule_scale": 0.1}),
    "sweeping, σ tuned": ("sweeping", {"rule_scale": "tune"}),
    "sweeping, no Catalan number": ("sweeping", {"tree_prior": "flat"}),
    "standard, Catalan(k) (in the tables)": ("standard", {}),
    "standard, Catalan(k − 1)": ("standard", {"tree_prior": "uniform"}),
    "standard, no Catalan number": ("standard", {"tree_prior": "flat"}),
}
"""Points that the paper leaves open, and what a reading of each does to the size of trees."""


class Scale(NamedTuple):
    """How much work is done."""

    length: Length
    n_chains: int
    """Single runs of each fold whose figures are averaged."""
    n_chains_of_readings: int
    bias_length: Length


FULL = Scale(PAPER_LENGTH, 3, 1, Length(20_000, 10_000, 400))
QUICK = Scale(Length(4_000, 500, 8), 1, 1, Length(4_000, 4_000, 20))


@dataclass(frozen=True)
class Unit:
    """A piece of work that is done, kept and resumed as a whole."""

    kind: str
    name: str
    settings: Settings

    def run(self, seed: int) -> Record:
        """Do the work."""
        if self.kind == "bias":
            return bias.measure_bias(self.settings, seed, self.name)
        measure = {
            "fold": measure_fold,
            "moves": move_shares.measure_moves,
            "trace": measure_trace,
        }[self.kind]
        table = data_sets.load(self.settings["data_set"], seed)
        return measure(table, self.settings, seed, self.name)


def plan_units(sections: Sequence[str], scale: Scale) -> list[Unit]:
    """List the units of some sections, long ones first.

    Examples
    --------
    >>> len(plan_units(["tables"], QUICK))
    150
    """
    planned = {
        "tables": _plan_tables,
        "figures": _plan_figures,
        "readings": _plan_readings,
        "bias": _plan_bias,
    }
    return [unit for section in SECTIONS if section in sections for unit in planned[section](scale)]


def name_of_fold(data_set: str, likelihood: str, strategy: str, fold: int) -> str:
    """Name a unit of the tables."""
    return f"tables/{data_set}/{likelihood}/{strategy}/fold {fold + 1}"


def name_of_reading(reading: str, data_set: str, fold: int) -> str:
    """Name a unit of the readings."""
    return f"readings/{reading}/{data_set}/fold {fold + 1}"


def name_of_moves(data_set: str, strategy: str) -> str:
    """Name a unit of Figs. 1 and 2."""
    return f"figures/moves/{data_set}/{strategy}"


def name_of_trace(strategy: str, fold: int) -> str:
    """Name a unit of Fig. 3."""
    return f"figures/trace/{strategy}/fold {fold + 1}"


def name_of_bias(grid: str, walk: str) -> str:
    """Name a unit of the comparison with exact answers."""
    return f"bias/{grid}/{walk}"


def _plan_tables(scale: Scale) -> Iterator[Unit]:
    for data_set in reversed(data_sets.NAMES):
        for likelihood in LIKELIHOODS:
            for strategy in STRATEGIES_SHOWN:
                model = _model_for(data_set, strategy, likelihood, scale.length)
                for fold in range(N_FOLDS):
                    yield Unit(
                        "fold",
                        name_of_fold(data_set, likelihood, strategy, fold),
                        _fold_settings(data_set, fold, scale.n_chains, model),
                    )


def _plan_readings(scale: Scale) -> Iterator[Unit]:
    for reading, (walk, changes) in READINGS.items():
        for data_set in data_sets.PUBLIC_NAMES:
            model = _model_for(data_set, walk, "plug-in", scale.length, **changes)
            for fold in range(N_FOLDS):
                yield Unit(
                    "fold",
                    name_of_reading(reading, data_set, fold),
                    _fold_settings(data_set, fold, scale.n_chains_of_readings, model),
                )


def _plan_figures(scale: Scale) -> Iterator[Unit]:
    for strategy in paper.STRATEGIES:
        for data_set in data_sets.NAMES:
            model = _model_for(
                data_set,
                strategy,
                "plug-in",
                scale.length,
                move_probabilities=move_shares.PROPOSED,
            )
            yield Unit(
                "moves",
                name_of_moves(data_set, strategy),
                {"data_set": data_set, "model": model},
            )
        changes = {"rule_scale": "tune"} if strategy == "sweeping" else {}
        model = _model_for("XOR3", strategy, "plug-in", scale.length, **changes)
        for fold in range(N_FOLDS):
            yield Unit(
                "trace",
                name_of_trace(strategy, fold),
                {"data_set": "XOR3", "fold": fold, "model": model},
            )


def _plan_bias(scale: Scale) -> Iterator[Unit]:
    for name, grid in bias.GRIDS.items():
        for walk, changes in bias.WALKS.items():
            habits = STRATEGIES[changes["strategy"]]
            model = {
                "likelihood": "marginal",
                "alpha": 1.0,
                "tree_prior": "uniform",
                "rule_prior": habits.rule_prior,
                "min_samples_leaf": grid.min_samples_leaf,
                "max_leaves": grid.max_leaves,
                **scale.bias_length._asdict(),
                **changes,
            }
            settings = {"grid": name, "n_chains": scale.n_chains, "model": model}
            yield Unit("bias", name_of_bias(name, walk), settings)


def _model_for(
    data_set: str, walk: str, likelihood: str, length: Length, **changes: Any
) -> dict[str, Any]:
    p_min = data_sets.MIN_SAMPLES_LEAF[data_set]
    return model_settings(walk, likelihood, p_min, length, **changes)


def _fold_settings(data_set: str, fold: int, n_chains: int, model: Settings) -> dict[str, Any]:
    return {"data_set": data_set, "fold": fold, "n_chains": n_chains, "model": dict(model)}
