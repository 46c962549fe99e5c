import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import inspection

from explained_models import drawn_votes, fit, two_classes
from sweeptree.leaf_draws import draw_dirichlets


def with_value(X, name, value):
    changed = X.astype(float).copy()
    changed[name] = value
    return changed


def test_mean_curve_is_the_mean_prediction(fitted):
    model, X, _ = fitted
    name = X.columns[-1]
    grid = np.quantile(X[name], [0.1, 0.5, 0.9])
    curve = model.partial_dependence(X[:100], name, grid=grid)
    expected = [model.predict_proba(with_value(X[:100], name, v)).mean(axis=0) for v in grid]
    assert_allclose(curve.mean, expected)
    assert curve.mean.shape == (3, len(model.classes_))
    assert (curve.lower <= curve.mean).all()
    assert (curve.mean <= curve.upper).all()


def test_band_of_the_plug_in_likelihood_is_that_between_draws():
    X, y = two_classes()
    model = fit(X, y, likelihood="plug-in")
    curve = model.partial_dependence(X[:60], "iss", grid=[10, 40], level=0.8)
    for place, value in enumerate((10, 40)):
        of_draws = drawn_votes(model, with_value(X[:60], "iss", value)).mean(axis=1)
        assert_allclose(curve.lower[place], np.quantile(of_draws, 0.1, axis=0))
        assert_allclose(curve.upper[place], np.quantile(of_draws, 0.9, axis=0))


def test_band_has_the_spread_inside_leaves_too(binary):
    model, X, _ = binary
    curve = model.partial_dependence(X[:1], "iss", grid=[10.0], level=0.9)
    interval = model.predict_interval(with_value(X[:1], "iss", 10.0), level=0.9)[0]
    assert_allclose(curve.lower[0], interval[:, 0], atol=0.06)
    assert_allclose(curve.upper[0], interval[:, 1], atol=0.06)


def test_individual_curves_are_predictions_with_their_intervals(fitted):
    model, X, _ = fitted
    name = X.columns[0]
    curves = model.individual_curves(X[:4], name, level=0.8)
    assert len(curves.grid) <= 30
    for place in (0, len(curves.grid) - 1):
        rows = with_value(X[:4], name, curves.grid[place])
        assert_allclose(curves.mean[:, place], model.predict_proba(rows))
        interval = model.predict_interval(rows, 0.8)
        assert_allclose(curves.lower[:, place], interval[..., 0], atol=2e-6)
        assert_allclose(curves.upper[:, place], interval[..., 1], atol=2e-6)


def test_curves_as_tables(fitted):
    model, X, _ = fitted
    name, n_classes = X.columns[0], len(model.classes_)
    table = model.partial_dependence(X[:20], name, grid=[0, 1]).to_frame()
    assert table.columns.tolist() == [name, "class", "mean", "lower", "upper"]
    assert table["class"].tolist() == model.classes_.tolist() * 2
    table = model.individual_curves(X[:3], name, grid=[0, 1]).to_frame()
    assert table.columns[0] == "row"
    assert len(table) == 3 * 2 * n_classes


def test_drawn_dirichlets_have_the_right_mean_and_spread():
    parameters = np.tile([0.02, 3.0, 1.5], (400_000, 1))
    drawn = draw_dirichlets(parameters, True, np.random.default_rng(0))
    total = 4.52
    mean = np.array([0.02, 3.0, 1.5]) / total
    assert_allclose(drawn.mean(axis=0), mean, atol=0.005)
    assert_allclose(drawn.var(axis=0), mean * (1 - mean) / (total + 1), rtol=0.1)


def test_bad_input_is_named(binary):
    model, X, _ = binary
    with pytest.raises(ValueError, match="did you mean 'iss'"):
        model.partial_dependence(X, "isss")
    with pytest.raises(ValueError, match="grid must be a sequence of finite numbers"):
        model.partial_dependence(X, "iss", grid=[1, np.nan])
    with pytest.raises(ValueError, match="level must be"):
        model.individual_curves(X, "iss", level=2)


# scikit-learn's own tools


def test_scikit_learns_partial_dependence_is_ours(binary):
    model, X, _ = binary
    found = inspection.partial_dependence(
        model, X.astype(float), ["iss"], kind="average", grid_resolution=5
    )
    grid = found["grid_values"][0]
    curve = model.partial_dependence(X[:200], "iss", grid=grid)
    ours = [model.predict_proba(with_value(X, "iss", v)).mean(axis=0)[1] for v in grid]
    assert_allclose(found["average"][0], ours)
    assert curve.mean.shape == (5, 2)


def test_scikit_learns_permutation_importance(binary):
    _, X, y = binary
    model = fit(X, y, leaf_penalty=1.0, n_burn_in=50_000, n_draws=200, thin=1000)
    found = inspection.permutation_importance(
        model, X, y, n_repeats=2, random_state=0, scoring="neg_log_loss"
    )
    ascending = X.columns[found["importances_mean"].argsort()]
    assert ascending[-2:].tolist() == ["iss", "rts"], "the two scores"


def test_scikit_learns_display_draws_curves(binary):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    model, X, _ = binary
    display = inspection.PartialDependenceDisplay.from_estimator(
        model,
        X.astype(float),
        [0],
        target=model.classes_[1],
        kind="both",
        subsample=10,
        grid_resolution=4,
    )
    assert display.axes_.size == 1
