"""What a unit of work measures."""

import numpy as np
import pytest

from exact_answers import BoxProgram, Problem
from sweeptree.experiments import bias, data_sets, move_shares, paper
from sweeptree.experiments.cross_validation import measure_fold, over_folds, sum_up_folds
from sweeptree.experiments.fitting import Length, model_settings, seed_of_chain
from sweeptree.experiments.plan import FULL, QUICK, READINGS, SECTIONS, plan_units
from sweeptree.experiments.traces import N_POINTS, measure_trace

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SHORT = Length(500, 100, 5)


def test_the_interval_is_that_of_a_single_chain():
    """Chains that differ by a constant have the spread over folds of each of them."""
    folds = np.array([1.0, 2.0, 4.0, 4.0, 9.0])
    both = np.column_stack([folds, folds + 100.0])
    assert np.isclose(over_folds(both).interval, 2 * folds.std(ddof=1))
    assert np.isclose(over_folds(both).mean, folds.mean() + 50.0)


def test_a_fold_is_scored_on_rows_held_out():
    table = data_sets.load("Votes", 0)
    model = model_settings("sweeping", "plug-in", 3, SHORT)
    records = [
        measure_fold(table, {"fold": fold, "n_chains": 2, "model": model}, 0, f"fold {fold}")
        for fold in range(5)
    ]
    assert sum(record["n_test"] for record in records) == len(table.y)
    summary = sum_up_folds(records)
    hits = [np.mean(record["is_correct"], axis=1) * 100 for record in records]
    assert np.isclose(summary["accuracy"]["mean"], np.mean(hits))
    assert 80 < summary["accuracy"]["mean"] < 100
    assert np.isclose(summary["entropy_of_all_folds"], 5 * summary["entropy"]["mean"])
    assert records[0]["n_splits"][0] != records[0]["n_splits"][1]


def test_seeds_follow_from_names_and_not_from_order():
    names = [unit.name for unit in plan_units(SECTIONS, FULL)]
    assert len(set(names)) == len(names)
    seeds = {seed_of_chain(0, name, chain) for name in names for chain in range(3)}
    assert len(seeds) == 3 * len(names)
    assert seed_of_chain(0, "tables/XOR3/plug-in/sweeping/fold 1", 0) == 1308918520


@pytest.mark.parametrize("scale", [FULL, QUICK])
def test_every_unit_spells_out_what_the_defaults_would_decide(scale):
    spelled_out = {"tree_prior", "alpha", "min_samples_leaf", "n_burn_in", "n_draws", "thin"}
    for unit in plan_units(SECTIONS, scale):
        assert spelled_out <= set(unit.settings["model"])


def test_tables_are_planned_as_the_paper_ran():
    for unit in plan_units(["tables"], FULL):
        model = unit.settings["model"]
        assert model["min_samples_leaf"] == (5 if unit.settings["data_set"] == "Injury" else 3)
        assert (model["n_burn_in"], model["n_draws"], model["thin"]) == (50_000, 10_000, 7)
    assert all(reading.startswith(walk) for reading, (walk, _) in READINGS.items())


def test_data_have_the_shape_of_table_1():
    for name in data_sets.NAMES:
        table = data_sets.load(name, 0)
        assert (table.n_classes, table.n_variables, len(table.y)) == paper.TABLE_1[name]


def test_figure_1_comes_out_and_figure_2_does_not():
    found = {(row["figure"], row["reading"]): row["shares"] for row in move_shares.emulations(0)}
    first = found["Fig. 1", "drawn anew"]
    assert abs(first["birth"] - 1 / 6) < 0.02
    assert abs(first["death"] - 1 / 3) < 0.02
    for (figure, _), shares in found.items():
        assert np.isclose(sum(shares.values()), 1.0)
        if figure == "Fig. 2":
            assert max(abs(shares["birth"] - 0.17), abs(shares["death"] - 0.30)) > 0.015


def test_real_chains_make_births_less_often_than_they_draw_them():
    table = data_sets.load("Wisconsin", 0)
    model = model_settings(
        "standard", "plug-in", 3, SHORT._replace(n_draws=600),
        move_probabilities=move_shares.PROPOSED,
    )  # fmt: skip
    record = move_shares.measure_moves(table, {"model": model}, 0, "moves")
    assert np.isclose(sum(record["made"].values()), 1.0)
    assert abs(record["proposed"]["birth"] - 0.2) < 0.03
    assert record["made"]["birth"] < 0.17 < 0.25 < record["made"]["death"]


def test_a_trace_has_both_phases():
    table = data_sets.load("XOR3", 0)
    model = model_settings("sweeping", "plug-in", 3, Length(2000, 500, 7), rule_scale="tune")
    record = measure_trace(table, {"fold": 0, "model": model}, 0, "trace")
    for phase, n_moves in (("burn_in", 2000), ("sampling", 3500)):
        found = record[phase]
        assert len(found["n_splits"]) == len(found["log_likelihood"]) >= N_POINTS
        assert found["every"] == n_moves // N_POINTS
        assert np.isclose(sum(found["shares_of_sizes"]), 1.0, atol=1e-4)
        assert 0 < found["acceptance"] < 1
    assert record["burn_in"]["n_splits"][0] <= 1
    assert record["burn_in"]["log_likelihood"][0] < record["sampling"]["log_likelihood"][-1] <= 0


@pytest.mark.parametrize("rule_prior", ["observed", "continuous"])
@pytest.mark.parametrize("name", bias.GRIDS)
def test_the_oracle_agrees_with_that_of_the_tests(name, rule_prior):
    grid = bias.GRIDS[name]
    table = bias.make_grid_table(grid)
    ours = bias.ExactPosterior(table, grid.min_samples_leaf, grid.max_leaves, rule_prior)
    problem = Problem(
        table.X, table.y, n_classes=2, p_min=grid.min_samples_leaf, max_leaves=grid.max_leaves,
        tree_prior="uniform", rule_prior=rule_prior, alpha=1.0,
    )  # fmt: skip
    np.testing.assert_allclose(ours.p_leaves(), BoxProgram(problem).p_leaves(), atol=1e-12)


def test_bias_tells_the_exact_strategy_from_sweeping():
    found = {}
    for unit in plan_units(["bias"], QUICK):
        if unit.name in ("bias/6 × 6/exact", "bias/6 × 6/sweeping"):
            found[unit.settings["model"]["strategy"]] = unit.run(0)["total_variation"]
    assert found["exact"] < 0.05
    assert found["sweeping"] > 0.2
