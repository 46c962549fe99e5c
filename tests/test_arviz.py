"""What ArviZ is given, with ArviZ 0.x and 1.x alike."""

import sys
import warnings
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import sweeptree
from exact_answers import BoxProgram, grid_problem
from explained_models import fit, four_classes
from mixed_tables import mixed_table
from sweeptree import BayesianTreeClassifier, memory
from sweeptree.diagnostics import convergence

az = pytest.importorskip("arviz")

IS_OLD = az.__version__.startswith("0.")
NAMES_OF_NUTS = {"diverging", "energy", "tree_depth", "step_size", "n_steps"}
LONG = {"n_burn_in": 5000, "n_draws": 1000, "thin": 50, "n_chains": 4, "random_state": 0}


@pytest.fixture(scope="module")
def table():
    X, y = mixed_table(60)
    X.index = [f"case {i}" for i in range(len(X))]
    return X, y


@pytest.fixture(scope="module")
def model(table):
    return fit(*table)


@pytest.fixture(scope="module")
def exported(model, table):
    return model.to_arviz(*table)


def groups_of(exported):
    return (
        {name.strip("/") for name in exported.groups} - {""}
        if not IS_OLD
        else set(exported.groups())
    )


def pointwise_loo(exported):
    """Expected log predictive density of each row left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = az.loo(exported, pointwise=True)
    return np.asarray(found.loo_i if IS_OLD else found.elpd_i)


def test_the_traces_are_those_of_the_posterior(model, exported):
    posterior = exported["posterior"]
    for name in ("n_leaves", "depth", "log_posterior", "alpha"):
        assert_array_equal(posterior[name], getattr(model.posterior_, name))
    assert_array_equal(exported["sample_stats"]["lp"], model.posterior_.log_posterior)
    trees = exported["sample_stats"]["tree"]
    assert_array_equal(trees, model.posterior_.tree_index)


def test_variables_and_classes_bear_the_names_of_the_user(model, table, exported):
    posterior = exported["posterior"]
    assert posterior["column"].values.tolist() == list(table[0].columns)
    assert posterior["class"].values.tolist() == ["ill", "well"]
    assert exported["log_likelihood"]["row"].values.tolist() == list(table[0].index)
    mean_use = posterior["variable_use"].mean(("chain", "draw"))
    assert_allclose(mean_use, model.variable_use()["splits"])


def test_without_rows_there_is_nothing_about_rows(model):
    assert groups_of(model.to_arviz()) == {"posterior", "sample_stats"}


def test_rows_without_classes_get_predictions_alone(model, table):
    groups = groups_of(model.to_arviz(table[0]))
    assert groups >= {"posterior_predictive", "constant_data"}
    assert not groups & {"log_likelihood", "observed_data"}


def test_alpha_that_is_given_is_no_draw(table):
    assert "alpha" not in fit(*table, alpha=0.5).to_arviz()["posterior"]


def test_every_group_names_the_library(exported):
    for name in groups_of(exported):
        assert exported[name].attrs["inference_library"] == "sweeptree"
        assert exported[name].attrs["inference_library_version"] == sweeptree.__version__
    assert exported["posterior"].attrs["stopped_by"] == "n_draws"


def test_no_statistic_has_a_name_that_means_something_else_to_nuts(exported):
    assert not NAMES_OF_NUTS & set(exported["sample_stats"].data_vars)


def test_moves_are_counted_by_name(model, exported):
    counts = exported["sample_stats"]["move_count"]
    assert int(counts.sel(phase="sampling").sum()) >= 3 * 80 * 20
    birth = counts.sel(phase="sampling", move="birth", outcome="accepted")
    phase, move = (
        model.posterior_.phase_names.index("sampling"),
        model.posterior_.move_names.index("birth"),
    )
    outcome = model.posterior_.outcome_names.index("accepted")
    assert_array_equal(birth, model.posterior_.moves[:, phase, move, outcome])


def test_the_acceptance_rate_is_the_share_of_moves_that_changed_the_tree(table):
    model = fit(*table, strategy="sweeping")
    statistics = model.to_arviz()["sample_stats"]
    made = statistics["move_count"].sel(phase="sampling").sum("move")
    changed = made.sel(outcome="accepted") + made.sel(outcome="swept")
    assert_allclose(statistics["acceptance_rate"], changed / (80 * 20))


def test_the_table_is_handed_over_as_it_is(table, exported):
    X, held = table[0], exported["constant_data"]
    assert_array_equal(held["age"], X["age"])
    assert_array_equal(held["smoker"], X["smoker"])
    assert held["smoker"].dtype == bool
    assert_array_equal(held["admitted"].values, X["admitted"].to_numpy())
    assert held["ward"].values.tolist() == X["ward"].tolist()
    assert held["stage"].values.tolist() == X["stage"].astype(object).fillna("").tolist()


def test_missing_dates_and_new_levels_are_handed_over_as_they_are(model, table):
    rows = table[0].head(3).copy()
    rows["ward"] = ["Z", "A", "B"]
    rows["admitted"] = rows["admitted"].where([True, False, True])
    held = model.to_arviz(rows)["constant_data"]
    assert held["ward"].values.tolist() == ["Z", "A", "B"]
    assert np.isnat(held["admitted"].values).tolist() == [False, True, False]


def test_columns_whose_names_no_file_can_have_are_renamed(tmp_path):
    rng = np.random.default_rng(0)
    names = ["row", "dose/kg", "dose_kg", "<b>", "chain"]
    X = pd.DataFrame(rng.normal(size=(40, 5)), columns=names)
    exported = fit(X, X["row"] > 0).to_arviz(X)
    held = exported["constant_data"]
    assert [held[name].attrs["long_name"] for name in held.data_vars] == names
    assert_array_equal(held["row_"], X["row"])
    exported.to_netcdf(tmp_path / "draws.nc", engine="h5netcdf")


def test_a_file_holds_all_of_it(exported, tmp_path):
    exported.to_netcdf(tmp_path / "draws.nc", engine="h5netcdf")
    again = az.from_netcdf(tmp_path / "draws.nc", engine="h5netcdf")
    assert groups_of(again) == groups_of(exported)
    for name in groups_of(exported):
        assert set(again[name].data_vars) == set(exported[name].data_vars)
        assert again[name].attrs["inference_library"] == "sweeptree"
        for variable in exported[name].data_vars:
            assert_array_equal(again[name][variable], exported[name][variable])
        for coordinate in exported[name].coords:
            assert_array_equal(again[name][coordinate], exported[name][coordinate])


def test_the_same_seed_draws_the_same(model, table):
    def drawn(seed):
        return model.to_arviz(*table, random_state=seed)["posterior_predictive"]["y"].values

    assert_array_equal(drawn(1), drawn(1))
    assert (drawn(1) != drawn(2)).any()


def test_classes_are_drawn_as_often_as_they_are_probable():
    X, y = four_classes()
    model = fit(X, y, n_draws=400)
    drawn = model.to_arviz(X)["posterior_predictive"]
    assert drawn["class"].values.tolist() == ["a & b", "c", "d", "e"]
    shares = np.stack([(drawn["y"] == k).mean(("chain", "draw")) for k in range(4)], axis=1)
    assert_allclose(shares, model.predict_proba(X), atol=5 * 0.5 / np.sqrt(1200))


def test_rows_of_one_leaf_share_what_is_not_known_of_it(table):
    model = fit(*table, max_leaves=1, n_draws=400, alpha=1.0)
    drawn = model.to_arviz(table[0])["posterior_predictive"]["y"]
    share_of_draw = drawn.mean("row").values
    p = model.predict_proba(table[0])[0, 1]
    if_independent = np.sqrt(p * (1 - p) / 60)
    assert share_of_draw.std() > 1.3 * if_independent  # by theory √(1 + 60/63) times as much


def test_the_likelihood_of_new_rows_is_the_probability_of_their_class(model):
    X, y = mixed_table(20, seed=1)
    exported = model.to_arviz(X, y)
    probabilities = model.predict_proba_draws(X)
    of_class = probabilities[:, :, np.arange(20), exported["observed_data"]["y"]]
    assert_allclose(exported["log_likelihood"]["y"], np.log(of_class), atol=2e-6)


def test_training_rows_are_left_out_of_their_own_leaf(table):
    X, y = table
    model = fit(X, y, max_leaves=1, alpha=0.5)
    is_ill = y == "ill"
    left_out = np.where(is_ill, is_ill.sum(), (~is_ill).sum()) - 1
    expected = np.broadcast_to(np.log((left_out + 0.5) / (59 + 1.0)), (3, 80, 60))
    assert_allclose(model.to_arviz(X, y)["log_likelihood"]["y"], expected, atol=2e-6)


def test_training_rows_are_known_in_any_order_but_only_all_of_them(model, table, exported):
    X, y = table
    order = np.random.default_rng(0).permutation(60)
    shuffled = model.to_arviz(X.iloc[order], y[order])["log_likelihood"]["y"]
    all_rows = exported["log_likelihood"]["y"]
    assert_allclose(shuffled, all_rows.values[:, :, order], atol=2e-6)
    some = model.to_arviz(X.head(59), y[:59])["log_likelihood"]["y"]
    assert (some.values > all_rows.values[:, :, :59] - 2e-6).all()
    assert (some.values > all_rows.values[:, :, :59] + 0.01).any()


def test_the_plug_in_likelihood_leaves_nothing_out(table):
    model = fit(*table, likelihood="plug-in")
    exported = model.to_arviz(*table)
    probabilities = model.predict_proba_draws(table[0])
    of_class = probabilities[:, :, np.arange(60), exported["observed_data"]["y"]]
    assert_allclose(exported["log_likelihood"]["y"], np.log(of_class), atol=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "alpha"), [(0, 1.0), (1, 0.5)])
def test_leaving_rows_out_agrees_with_the_exact_answer(seed, alpha):
    problem = grid_problem(
        (5, 4), 40, seed, tree_prior="geometric", leaf_penalty=0.35, alpha=alpha, max_leaves=6
    )
    model = BayesianTreeClassifier(
        leaf_penalty=problem.leaf_penalty, alpha=alpha, max_leaves=6, **LONG
    ).fit(problem.X, problem.y)
    of_row = pointwise_loo(model.to_arviz(problem.X, problem.y))
    exact = np.array([log_probability_given_the_others(problem, row) for row in range(40)])
    assert abs(of_row - exact).max() < 0.05
    assert abs(of_row.sum() - exact.sum()) < 0.2
    of_class = model.predict_proba(problem.X)[np.arange(40), problem.y]
    assert np.log(of_class).sum() - exact.sum() > 2  # what a row says of itself is worth as much


def log_probability_given_the_others(problem, row):
    evidence = []
    for label in range(problem.n_classes):
        y = problem.y.copy()
        y[row] = label
        evidence.append(BoxProgram(replace(problem, y=y)).evidence())
    return np.log(evidence[problem.y[row]] / sum(evidence))


def test_a_summary_has_our_own_diagnostics(model, exported):
    summary = az.summary(exported, var_names=["n_leaves", "variable_use"])
    assert "variable_use[ward]" in summary.index
    found = convergence(model.posterior_)["n_leaves"]
    assert_allclose(float(summary.loc["n_leaves", "r_hat"]), found.rhat, atol=0.011)
    assert_allclose(float(summary.loc["n_leaves", "ess_bulk"]), found.ess_bulk, rtol=0.05, atol=0.5)


def test_strategies_are_compared(model, table):
    other = fit(*table, strategy="sweeping")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # short chains: some rows are hard to leave out
        ranking = az.compare({"exact": model.to_arviz(*table), "sweeping": other.to_arviz(*table)})
    assert set(ranking.index) == {"exact", "sweeping"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["plot_trace", "plot_forest", "plot_rank"])
def test_arviz_plots_it(name, exported):
    mpl.use("Agg")
    getattr(az, name)(exported)
    mpl.pyplot.close("all")


def test_arrays_and_polars_frames_are_rows_too(table):
    polars = pytest.importorskip("polars")
    X, y = table
    frame = polars.from_pandas(X)
    exported = fit(frame, y).to_arviz(frame, y)
    assert exported["log_likelihood"]["row"].values.tolist() == list(range(60))
    numbers = X[["age", "dose"]].to_numpy()
    held = fit(numbers, y).to_arviz(numbers)["constant_data"]
    assert_array_equal(held["column 1"], X["dose"])


def test_a_loaded_model_without_training_rows_is_exported(model, table, exported, tmp_path):
    model.save(tmp_path / "a.sweeptree", training_rows=False)
    again = sweeptree.load(tmp_path / "a.sweeptree").to_arviz(*table)
    assert_array_equal(again["log_likelihood"]["y"], exported["log_likelihood"]["y"])


def test_draws_that_were_pooled_into_one_chain_are_exported(model, table):
    exported = model.without_trees_using(["smoker"]).to_arviz(*table)
    assert exported["posterior"].sizes["chain"] == 1
    counts = exported["sample_stats"]["move_count"].values
    assert_array_equal(counts[0], model.posterior_.moves.sum(axis=0))


def test_classes_without_rows_are_refused(model, table):
    with pytest.raises(ValueError, match="y is given without X"):
        model.to_arviz(y=table[1])


def test_a_class_that_is_unknown_is_named(model, table):
    with pytest.raises(ValueError, match=r"'healthy'.*row 1"):
        model.to_arviz(table[0].head(2), ["well", "healthy"])


def test_rows_and_classes_of_different_number_are_refused(model, table):
    with pytest.raises(ValueError, match="X has 60 rows and y has 3 labels"):
        model.to_arviz(table[0], table[1][:3])


def test_what_does_not_fit_in_memory_is_refused(model, table, monkeypatch):
    monkeypatch.setattr(memory, "physical_memory", lambda: 100_000)
    with pytest.raises(
        ValueError, match=r"every row would need 172\.8 KB.*lower the number of rows"
    ):
        model.to_arviz(*table)
    model.to_arviz()


def test_without_arviz_it_says_how_to_get_it(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match=r'pip install "sweeptree\[arviz\]"'):
        model.to_arviz()
