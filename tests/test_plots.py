"""What is drawn is what the library says."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PolyCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle, StepPatch
from scipy.integrate import trapezoid

from explained_models import fit
from plotted_models import fully_traced, mixed, odd, plugged_in, wide
from sweeptree import plots
from sweeptree.plots.plane import usual_case
from sweeptree.prediction import forest_of
from sweeptree.scores import reliability_table


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    """Examples that other tests run may have left some."""
    mpl.pyplot.close("all")


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


@pytest.fixture
def two():
    return Figure(layout="constrained").subplots(2)


def widths(ax, label):
    (bars,) = [bars for bars in ax.containers if bars.get_label() == label]
    return np.array([bar.get_width() for bar in bars])


def labels_of(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_traces_are_those_of_the_draws(two):
    posterior = mixed().model.posterior_
    upper, lower = plots.plot_trace(mixed().model, two)
    for lines, traces in (
        (upper.lines, posterior.log_posterior),
        (lower.lines, posterior.n_leaves),
    ):
        np.testing.assert_array_equal([line.get_ydata() for line in lines], traces)


def test_full_traces_begin_with_the_burn_in_which_is_shaded(two):
    model = fully_traced().model
    upper, lower = plots.plot_trace(model, two)
    (shaded,) = upper.patches
    assert shaded.get_extents().transformed(upper.transData.inverted()).x1 == pytest.approx(3.0)
    moves = np.round(lower.lines[1].get_xdata() * 1000).astype(int) - 1
    assert (moves[0], moves[-1]) == (0, model.posterior_.n_moves - 1)
    assert lower.lines[1].get_ydata().tolist() == (
        model.posterior_.full_trace.n_leaves[1, moves].tolist()
    )


def test_sizes_are_shares_of_the_draws(ax):
    n_leaves = mixed().model.posterior_.n_leaves
    plots.plot_sizes(mixed().model, ax)
    for bar in ax.patches:
        size = round(bar.get_x() + bar.get_width() / 2)
        assert bar.get_height() == pytest.approx((n_leaves == size).mean())
    assert len(ax.lines) == len(n_leaves)


def test_moves_made_leave_out_those_drawn_anew(two):
    model = fully_traced().model
    counts = model.posterior_.moves.sum(axis=0)[:, :4]
    assert counts[..., 2].any()
    for panel, of_phase in zip(plots.plot_moves(model, two), counts, strict=True):
        proposed = of_phase.sum(axis=1)
        np.testing.assert_allclose(widths(panel, "proposed"), proposed / proposed.sum())
        made = of_phase[:, [0, 1, 3]]
        for name, drawn in zip(("accepted", "rejected", "swept"), made.T, strict=True):
            np.testing.assert_allclose(widths(panel, name), drawn / made.sum())


def test_a_tree_shows_its_questions_answers_and_shares():
    tree = mixed().model.representative_tree("map")
    ax = plots.plot_tree(tree, ax=Figure((12, 12)).subplots())
    words = {text.get_text() for text in ax.texts}
    for node, variable in enumerate(tree.variable):
        if variable >= 0:
            name, relation = tree.question(node).yes.split(" ", 1)
            assert {name, relation.replace("<=", "≤")} <= words
        else:
            label, probability = tree.answer(node).split(" ", 1)
            assert {label, f"{probability}  n = {tree.counts[node].sum()}"} <= words
    assert sum(text.get_text() == "yes" for text in ax.texts) == tree.n_leaves - 1
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)][len(tree.classes) :]
    drawn = np.array([bar.get_width() for bar in bars]).reshape(-1, len(tree.classes))
    shares = drawn / drawn.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, tree.probabilities, atol=1e-12)


def test_a_tree_of_a_model_is_the_representative_one(ax):
    words = [text.get_text() for text in plots.plot_tree(mixed().model, "central", ax).texts]
    assert words[0].startswith("Central tree: ")


def test_variables_are_ordered_by_their_splits(ax):
    model = wide().model
    plots.plot_variable_use(model, most=5, ax=ax)
    table = model.variable_use().sort_values("splits", ascending=False, kind="stable")[:5]
    assert ax.lines[0].get_xdata().tolist() == table["splits"].tolist()
    assert ax.get_xlabel().endswith("\n55 variables left out")
    (beside,) = ax.child_axes
    assert labels_of(beside.yaxis) == [f"{100 * used:.0f} %" for used in table["used"]]


def test_intervals_of_splits_count_every_draw(ax):
    X, y = mixed().X, mixed().y
    model = fit(X, y, leaf_penalty=3.0)
    posterior = model.posterior_
    of_trees = posterior.trees.splits_by_column(6)
    of_draws = of_trees[posterior.tree_index.ravel()]
    ends, wrong_ends = (np.quantile(each, (0.25, 0.75), axis=0) for each in (of_draws, of_trees))
    assert (ends != wrong_ends).any()
    order = np.argsort(-of_draws.mean(axis=0), kind="stable")
    plots.plot_variable_use(model, level=0.5, ax=ax)
    drawn = [segment[:, 0] for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(drawn, ends.T[order])


def test_cuts_of_a_number_are_a_density(ax):
    plots.plot_rule_density(mixed().model, "dose", ax)
    (stairs,) = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    table = mixed().model.rule_density("dose")
    assert stairs.get_data().values.tolist() == table["density"].tolist()
    assert "asked whether it is missing" in ax.get_xlabel()


def test_cuts_of_a_date_are_counted_by_the_day(ax):
    plots.plot_rule_density(mixed().model, "admitted", ax)
    drawn = ax.patches[0].get_data()
    assert (drawn.values * np.diff(drawn.edges)).sum() == pytest.approx(1.0)
    assert np.datetime64(int(drawn.edges[0]), "D") == mixed().X["admitted"].min()


def test_truth_values_have_one_bar_of_their_splits(ax):
    plots.plot_rule_density(mixed().model, "smoker", ax)
    (bar,) = ax.patches
    assert [bar.get_width()] == mixed().model.rule_density("smoker")["splits"].tolist()
    assert labels_of(ax.yaxis) == ["False | True"]


def test_levels_asked_for_are_bars_the_most_asked_first(ax):
    plots.plot_rule_density(mixed().model, "ward", ax)
    table = mixed().model.rule_density("ward").sort_values("splits", ascending=False)
    assert [bar.get_width() for bar in ax.patches] == table["splits"].tolist()
    assert labels_of(ax.yaxis) == table["level"].tolist()


def test_calibration_is_that_of_the_reliability_table(two):
    model, X, y = mixed()
    above, below = plots.plot_calibration(model, X, y, n_bins=6, axes=two)
    table = reliability_table(y, model.predict_proba(X), model.classes_, n_bins=6)
    points = above.lines[1]
    assert points.get_xdata().tolist() == table["confidence"].tolist()
    assert points.get_ydata().tolist() == table["accuracy"].tolist()
    assert sum(bar.get_height() for bar in below.patches) == len(X)


def test_the_band_of_calibration_holds_true_probabilities(two):
    model, X, _ = mixed()
    rng = np.random.default_rng(0)
    probabilities = model.predict_proba(X)
    is_second = rng.random(len(X)) < probabilities[:, 1]
    above, _ = plots.plot_calibration(model, X, model.classes_[is_second.astype(int)], axes=two)
    (band,) = above.collections
    assert isinstance(band, PolyCollection)
    points = above.lines[1].get_xydata()
    assert band.get_paths()[0].contains_points(points, radius=1e-3).mean() > 0.7


def test_entropies_are_those_of_right_and_wrong_predictions(ax):
    model, X, y = mixed()
    plots.plot_entropy(model, X, y, ax)
    is_right = model.predict(X) == y
    entropy = model.entropies(X).total
    for stairs, is_in in zip(ax.patches[::2], (is_right, ~is_right), strict=True):
        shares, edges, _ = stairs.get_data()
        expected = np.histogram(entropy[is_in], edges)[0] / is_in.sum()
        np.testing.assert_allclose(shares, expected)
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said == [f"right: {is_right.sum()}", f"wrong: {(~is_right).sum()}"]


def test_the_envelope_is_stacked_to_one(ax):
    model, X, y = mixed()
    plots.plot_envelope(model, X, y, [0.6, 0.9, 1.0], ax)
    table = model.envelope_curve(X, y, [0.6, 0.9, 1.0])
    assert widths(ax, "trees agree, right") == pytest.approx(table["confident_correct"].tolist())
    assert widths(ax, "trees disagree") == pytest.approx(table["uncertain"].tolist())
    assert widths(ax, "trees agree, wrong") == pytest.approx(table["confident_incorrect"].tolist())
    assert labels_of(ax.yaxis) == ["0.6", "0.9", "1"]


def test_coverage_is_drawn_with_its_area(ax):
    model, X, y = mixed()
    plots.plot_coverage(model, X, y, by="agreement", ax=ax)
    curve = model.accuracy_coverage(X, y, by="agreement")
    assert ax.lines[0].get_xdata().tolist() == curve.coverage.tolist()
    assert ax.lines[0].get_ydata().tolist() == curve.accuracy.tolist()
    assert f"area {curve.area:.3f}" in ax.get_title()


@pytest.mark.parametrize("columns", [("age", "stage"), ("ward", "dose"), ("smoker", "admitted")])
def test_a_partition_has_the_probabilities_of_its_cells(ax, columns):
    model, X, _ = mixed()
    plots.plot_partition(model, *columns, label="ill", ax=ax)
    (mesh,) = [each for each in ax.collections if isinstance(each, QuadMesh)]
    drawn = np.asarray(mesh.get_array())
    shown = {}
    for name, axis, n_cells in zip(columns, (ax.xaxis, ax.yaxis), drawn.shape[::-1], strict=True):
        shown[name] = values_of_cells(X[name], axis, n_cells)
    usual = dict(zip(X.columns, usual_values(X), strict=True))
    rng = np.random.default_rng(0)
    for _ in range(20):
        i, j = (rng.integers(n_cells) for n_cells in drawn.shape)
        case = usual | {columns[0]: shown[columns[0]][j], columns[1]: shown[columns[1]][i]}
        case = pd.DataFrame([case]).astype(X.dtypes.to_dict())
        assert drawn[i, j] == pytest.approx(model.predict_proba(case)[0, 0])


def usual_values(X):
    return [
        X[name].mode()[0]
        if X[name].dtype.kind in "bOU" or name in ("ward", "stage")
        else X[name].median()
        for name in X.columns
    ]


def values_of_cells(column, axis, n_cells):
    """What each cell along an axis stands for, told by its labels or by the range."""
    labels = labels_of(axis)
    if n_cells <= 6:
        named = {"True": True, "False": False, "missing": None}
        return [named.get(label, label) for label in labels]
    has_strip = column.isna().any()
    assert (labels[-1] == "missing") == has_strip
    edges = np.linspace(0, 1, n_cells + 1 - has_strip)
    middles = (edges[1:] + edges[:-1]) / 2
    values = [column.min() + share * (column.max() - column.min()) for share in middles]
    return [*values, None] if has_strip else values


def test_dates_beside_missing_ones_are_written_as_without_them(ax):
    X, y = mixed().X.copy(), mixed().y
    X.loc[:20, "admitted"] = pd.NaT
    plots.plot_partition(fit(X, y), "admitted", "age", ax=ax)
    assert labels_of(ax.xaxis) == ["2023-07", "2024-01", "2024-07", "missing"]
    for label, day in zip(labels_of(ax.xaxis)[:-1], ax.get_xticks()[:-1], strict=True):
        assert np.datetime64(int(day), "D") == np.datetime64(label, "D")


def test_the_usual_case_has_medians_and_most_frequent_levels():
    model, X, _ = mixed()
    shown = [column.show(v) for column, v in zip(model.columns_, usual_case(model), strict=True)]
    for mine, expected in zip(shown, usual_values(X), strict=True):
        assert str(mine)[:10] == str(expected)[:10]


def test_hatching_covers_the_cells_where_draws_disagree(ax):
    model, X, _ = mixed()
    plots.plot_partition(model, "ward", "smoker", confidence=0.9, ax=ax)
    (hatched,) = [patch for patch in ax.patches if isinstance(patch, PathPatch)]
    boxes = hatched.get_path().to_polygons()
    usual = dict(zip(X.columns, usual_values(X), strict=True))
    for across, ward in enumerate("ABCDE"):
        for up, smoker in enumerate((False, True)):
            case = pd.DataFrame([usual | {"ward": ward, "smoker": smoker}])
            agreement = model.uncertainty(case.astype(X.dtypes.to_dict()))["agreement"][0]
            inside = any(
                box[:, 0].min() < across < box[:, 0].max()
                and box[:, 1].min() < up < box[:, 1].max()
                for box in boxes
            )
            assert inside == (agreement < 0.9)


def test_borders_are_where_trees_change_their_leaf(ax):
    model = mixed().model
    plots.plot_partition(model, "ward", "smoker", n_trees=30, ax=ax)
    (borders,) = [each for each in ax.collections if isinstance(each, LineCollection)]
    for segment in borders.get_segments():
        across, up = np.ptp(segment, axis=0)
        assert (across == 0) != (up == 0)
        assert (segment % 1 == 0.5).all()
    rows = np.tile(usual_case(model), (2, 5, 1))
    rows[..., 1], rows[..., 2] = np.arange(5), np.arange(2)[:, None]
    draws = model.posterior_.tree_index.ravel()[np.linspace(0, 239, 30).round().astype(int)]
    forest = forest_of(model.posterior_.trees, "kernel")
    leaves = forest.apply(rows.reshape(10, -1))[draws].reshape(-1, 2, 5)
    n_upright = (np.diff(leaves, axis=2) != 0).sum()
    n_flat = (np.diff(leaves, axis=1) != 0).sum()
    lengths = sum(np.ptp(segment, axis=0) for segment in borders.get_segments())
    assert lengths.tolist() == [n_flat, n_upright]


def test_curves_are_those_of_partial_dependence(ax):
    model, X, _ = mixed()
    plots.plot_partial_dependence(model, X, "age", ax=ax)
    curve = model.partial_dependence(X, "age")
    np.testing.assert_allclose(ax.lines[0].get_xydata(), np.c_[curve.grid, curve.mean[:, 1]])
    outline = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert outline.min() == pytest.approx(curve.lower[:, 1].min())
    assert outline.max() == pytest.approx(curve.upper[:, 1].max())
    assert ax.get_ylabel() == "mean probability of well"


def test_levels_are_points_with_bars(ax):
    model, X, _ = mixed()
    plots.plot_partial_dependence(model, X, "ward", grid=["E", "C"], ax=ax)
    curve = model.partial_dependence(X, "ward", grid=["E", "C"])
    assert ax.lines[0].get_xdata().tolist() == curve.mean[:, 1].tolist()
    bars = [segment[:, 0] for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(bars, np.c_[curve.lower[:, 1], curve.upper[:, 1]])
    assert labels_of(ax.yaxis) == ["E", "C"]


def test_truth_values_are_points_with_bars(ax):
    model, X, _ = mixed()
    plots.plot_partial_dependence(model, X, "smoker", ax=ax)
    curve = model.partial_dependence(X, "smoker")
    assert ax.lines[0].get_xdata().tolist() == curve.mean[:, 1].tolist()
    assert labels_of(ax.yaxis) == ["False", "True"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("mean probability of well", "smoker")


@pytest.mark.parametrize(
    ("value", "label"), [(3.25, "3.25"), (pd.Timestamp("2024-05-01"), "2024-05-01"), (True, "True")]
)
def test_the_only_value_is_a_point_with_a_bar(ax, value, label):
    X = pd.DataFrame({"age": np.arange(40.0), "constant": [value] * 40})
    model = fit(X, X["age"] > 20)
    plots.plot_partial_dependence(model, X, "constant", ax=ax)
    curve = model.partial_dependence(X, "constant")
    assert ax.lines[0].get_xdata().tolist() == curve.mean[:, 1].tolist()
    (bar,) = ax.collections[0].get_segments()
    assert bar[:, 0].tolist() == [curve.lower[0, 1], curve.upper[0, 1]]
    assert labels_of(ax.yaxis) == [label]
    assert "left out" not in ax.get_xlabel()


def test_a_case_shows_densities_that_have_its_intervals_and_means(ax):
    model, X, _ = mixed()
    probabilities, intervals = model.predict_proba(X), model.predict_interval(X, level=0.6)
    row = np.argmax(((intervals > 0.05) & (intervals < 0.95)).all(axis=(1, 2)))
    plots.plot_case(model, X.iloc[row], ax=ax)
    for place in range(2):
        curve, mean = ax.lines[2 * place : 2 * place + 2]
        assert mean.get_xdata()[0] == pytest.approx(probabilities[row, place])
        low, high = intervals[row, place]
        assert 0.05 < low < high < 0.95
        x = np.linspace(low, high, 2000)
        assert trapezoid(np.interp(x, *curve.get_data()), x) == pytest.approx(0.6, abs=0.001)


def test_a_case_of_the_plug_in_likelihood_shows_shares_of_the_draws(ax):
    model, X, _ = plugged_in()
    plots.plot_case(model, X.iloc[0], ax=ax)
    (first, *_) = [each for each in ax.collections if isinstance(each, LineCollection)]
    ends = np.array([segment[1] for segment in first.get_segments()])
    assert ends[:, 1].sum() == pytest.approx(1.0)
    assert (ends[:, 0] * ends[:, 1]).sum() == pytest.approx(model.predict_proba(X[:1])[0, 0])


def test_bad_arguments_are_named(ax):
    model, X, _ = mixed()
    with pytest.raises(TypeError, match="ax must be matplotlib Axes, got str"):
        plots.plot_sizes(model, "here")
    with pytest.raises(ValueError, match="axes must be 2 matplotlib Axes, got 1"):
        plots.plot_trace(model, ax)
    with pytest.raises(ValueError, match="label='sick' is no class; these are 'ill', 'well'"):
        plots.plot_partition(model, "age", "ward", label="sick", ax=ax)
    with pytest.raises(ValueError, match="are both 'age'; name two columns"):
        plots.plot_partition(model, "age", "age", ax=ax)
    with pytest.raises(ValueError, match="There is no column 'agee'; did you mean 'age'"):
        plots.plot_rule_density(model, "agee", ax)
    with pytest.raises(ValueError, match="x must be one case, got 2"):
        plots.plot_case(model, X[:2], ax=ax)
    with pytest.raises(ValueError, match="most must be at least 1, got 0"):
        plots.plot_variable_use(model, most=0, ax=ax)
    with pytest.raises(ValueError, match="n_trees must be at least 1, got 0"):
        plots.plot_partition(model, "age", "ward", n_trees=0, ax=ax)
    with pytest.raises(ValueError, match="No training row has a value in column 'empty'"):
        plots.plot_partial_dependence(odd().model, odd().X, "empty", ax=ax)
    with pytest.raises(ValueError, match="kind must be one of"):
        plots.plot_tree(model, "best", ax)
    assert mpl.pyplot.get_fignums() == []
