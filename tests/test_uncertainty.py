import pickle
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta, entropy
from sklearn.model_selection import cross_val_score

from explained_models import four_classes, two_classes
from sweeptree import BayesianTreeClassifier
from sweeptree.prediction import forest_of
from sweeptree.uncertainty import AbstainingClassifier, chain_error, intervals, leaf_mixture
from sweeptree.uncertainty.entropies import split_entropy

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SHORT = {"n_burn_in": 2000, "n_draws": 60, "thin": 20, "n_chains": 3, "random_state": 0}


def short(**parameters):
    return BayesianTreeClassifier(**{**SHORT, **parameters})


TABLES = {"two classes": two_classes(), "four classes": four_classes()}


@pytest.fixture(scope="module", params=["two classes", "four classes"])
def fitted(request):
    """A model with α learned, its rows and their labels."""
    X, y = TABLES[request.param]
    return short().fit(X, y), X, y


@pytest.fixture(scope="module")
def binary():
    X, y = TABLES["two classes"]
    return short().fit(X, y), X, y


def dirichlets(model, X):
    """(chain, draw, row, class): parameters of the Dirichlet of each row's leaf in each draw."""
    posterior = model.posterior_
    leaves = forest_of(posterior.trees, "kernel").apply(np.ascontiguousarray(X, dtype=float))
    counts = posterior.trees.leaf_counts[leaves[posterior.tree_index]]
    return counts + posterior.alpha[:, :, None, :]


# Intervals


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_ends_of_intervals_cut_off_equal_tails_of_the_mixture(fitted, level):
    model, X, _ = fitted
    rows = X[:25]
    interval = model.predict_interval(rows, level)
    assert interval.shape == (25, len(model.classes_), 2)
    a = dirichlets(model, rows)
    b = a.sum(axis=-1, keepdims=True) - a
    tolerance = intervals.TOLERANCE
    for end, tail in enumerate([(1 - level) / 2, (1 + level) / 2]):
        x = interval[..., end]
        below = beta.cdf(np.maximum(x - tolerance, 0), a, b).mean(axis=(0, 1))
        above = beta.cdf(np.minimum(x + tolerance, 1), a, b).mean(axis=(0, 1))
        assert (below <= tail + 1e-9).all()
        assert (above >= tail - 1e-9).all()


def test_intervals_agree_with_a_large_sample(binary):
    model, X, _ = binary
    a = dirichlets(model, X[:10])
    rng = np.random.default_rng(0)
    sample = rng.beta(a[..., 1], a[..., 0], size=(400, *a.shape[:3])).reshape(-1, 10)
    expected = np.quantile(sample, [0.05, 0.95], axis=0).T
    assert_allclose(model.predict_interval(X[:10], 0.9)[:, 1], expected, atol=0.02)


def test_intervals_of_two_classes_mirror_each_other(binary):
    model, X, _ = binary
    interval = model.predict_interval(X[:20])
    assert_allclose(interval[:, 0], 1 - interval[:, 1, ::-1], atol=1e-12)


def test_intervals_grow_with_the_level_and_hold_the_median(fitted):
    model, X, _ = fitted
    narrow, wide = model.predict_interval(X, 0.2), model.predict_interval(X, 0.9)
    assert (wide[..., 0] <= narrow[..., 0] + 1e-6).all()
    assert (wide[..., 1] >= narrow[..., 1] - 1e-6).all()


def test_plug_in_intervals_are_quantiles_between_trees():
    X, y = TABLES["two classes"]
    model = short(likelihood="plug-in").fit(X, y)
    draws = model.predict_proba_draws(X[:30])[..., 1].reshape(-1, 30)
    expected = np.quantile(draws, [0.05, 0.95], axis=0, method="inverted_cdf").T
    interval = model.predict_interval(X[:30], 0.9)
    assert_allclose(interval[:, 1], expected, atol=1e-12)
    assert_allclose(interval[:, 0], 1 - interval[:, 1, ::-1], atol=1e-12)


def test_all_of_the_draws_are_one(binary):
    model, X, _ = binary
    agreement = model.uncertainty(X).agreement
    of_second = model.predict_proba_draws(X)[..., 1].reshape(-1, len(X))
    is_unanimous = (of_second > 0.5).all(axis=0) | (of_second < 0.5).all(axis=0)
    assert is_unanimous.any()
    assert (agreement[is_unanimous] == 1).all()


def test_plug_in_intervals_are_the_same_whatever_else_is_asked():
    X, y = TABLES["two classes"]
    model = short(likelihood="plug-in", min_samples_leaf=len(X) // 8).fit(X, y)
    together = model.predict_interval(X[:20])
    alone = [model.predict_interval(X[i : i + 1])[0] for i in range(20)]
    assert_allclose(alone, together, atol=1e-12)


def test_a_plug_in_leaf_without_a_tree_around_it_is_a_point():
    X, y = TABLES["two classes"]
    model = short(likelihood="plug-in", max_leaves=1).fit(X, y)
    share = np.mean(y == model.classes_[1])
    assert_allclose(model.predict_interval(X[:1])[0, 1], share, atol=1e-12)


def test_blocks_of_rows_do_not_matter(fitted, monkeypatch):
    model, X, _ = fitted
    at_once = model.predict_interval(X[:40])
    monkeypatch.setattr(leaf_mixture, "MOST_PLACES", 7 * model.posterior_.tree_index.size)
    assert_allclose(model.predict_interval(X[:40]), at_once, atol=2e-6)


def test_shares_of_leaves_sum_to_one(fitted):
    model, X, _ = fitted
    for mixture in leaf_mixture.leaf_mixtures(model.posterior_, X.to_numpy(), "kernel"):
        assert_allclose(mixture.shares.sum(axis=1), 1, rtol=1e-12)


def test_memory_does_not_grow_to_draws_times_rows(binary, monkeypatch):
    model, X, _ = binary
    rows = np.tile(X.to_numpy(dtype=float), (100, 1))
    monkeypatch.setattr(leaf_mixture, "MOST_PLACES", 100_000)
    tracemalloc.start()
    for _ in leaf_mixture.leaf_mixtures(model.posterior_, rows, "kernel"):
        pass
    split_entropy(model.posterior_, rows, "kernel")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * model.posterior_.tree_index.size * len(rows) * len(model.classes_) / 4


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, "0.9", None])
def test_bad_level_is_named(binary, level):
    model, X, _ = binary
    for method in (model.predict_interval, model.uncertainty):
        with pytest.raises(ValueError, match="level must be a number between 0 and 1"):
            method(X, level=level)


# Entropies


def test_entropies_are_those_of_the_draws(fitted):
    model, X, _ = fitted
    rows = X[:40]
    parameters = dirichlets(model, rows)
    mean = (parameters / parameters.sum(axis=-1, keepdims=True)).mean(axis=(0, 1))
    rng = np.random.default_rng(0)
    sampled = np.mean(
        [entropy(rng.standard_gamma(parameters) + 1e-300, axis=-1).mean((0, 1)) for _ in range(60)],
        axis=0,
    )
    found = model.entropies(rows)
    assert_allclose(found.total, entropy(mean, axis=1), rtol=1e-9)
    assert_allclose(found.aleatoric, sampled, atol=0.01)
    assert_allclose(found.aleatoric + found.epistemic, found.total, rtol=1e-12)
    assert (found.epistemic >= 0).all()


def test_plug_in_entropies_are_between_trees_alone():
    X, y = TABLES["two classes"]
    model = short(likelihood="plug-in").fit(X, y)
    of_draws = entropy(model.predict_proba_draws(X[:30]), axis=-1).mean(axis=(0, 1))
    assert_allclose(model.entropies(X[:30]).aleatoric, of_draws, atol=1e-12)


# The table


def test_table_of_uncertainty(fitted):
    model, X, _ = fitted
    shuffled = X.iloc[::-1][:50]
    table = model.uncertainty(shuffled, level=0.9)
    proba = model.predict_proba(shuffled)
    rows, place = np.arange(50), proba.argmax(axis=1)
    assert_array_equal(table.index, shuffled.index)
    assert_array_equal(table["predicted"], model.predict(shuffled))
    assert_allclose(table["probability"], proba.max(axis=1))
    interval = model.predict_interval(shuffled, 0.9)[rows, place]
    assert_allclose(table[["lower", "upper"]], interval, atol=2e-6)
    votes = model.predict_proba_draws(shuffled).reshape(-1, *proba.shape)
    is_top = votes == votes.max(axis=-1, keepdims=True)
    shares = (is_top / is_top.sum(axis=-1, keepdims=True)).mean(axis=0)
    assert_allclose(table["agreement"], shares[rows, place], rtol=1e-9)
    error = votes.reshape(3, 60, *proba.shape).mean(axis=1).std(axis=0, ddof=1) / np.sqrt(3)
    assert_allclose(model.monte_carlo_error(shuffled), error, rtol=1e-6, atol=1e-12)
    assert_allclose(table["monte_carlo_error"], error[rows, place], rtol=1e-6, atol=1e-12)
    assert not table["is_outside"].any()
    assert set(table["outside_in"]) == {""}


def test_rows_outside_the_training_range_are_named(binary):
    model, X, _ = binary
    rows = X[:3].astype(float)
    rows.iloc[1, X.columns.get_loc("age")] = 150
    rows.iloc[1, X.columns.get_loc("pulse")] = -1
    table = model.uncertainty(rows)
    assert table["is_outside"].tolist() == [False, True, False]
    assert table["outside_in"].tolist() == ["", "age, pulse", ""]


def test_lead_smaller_than_its_error_is_in_doubt():
    by_chain = np.array(
        [[[0.6, 0.4, 0], [0.9, 0.1, 0]], [[0.3, 0.7, 0], [0.8, 0.2, 0]]],
    )
    lead, error = chain_error.lead_and_error(by_chain)
    assert_allclose(lead, [0.1, 0.7])
    assert_allclose(error, [0.3, 0.1])


def test_single_draw_leaves_everything_in_doubt():
    X, y = TABLES["two classes"]
    model = short(n_chains=1, n_draws=1).fit(X, y)
    table = model.uncertainty(X[:4])
    assert table["is_lead_in_doubt"].all()
    assert table["monte_carlo_error"].isna().all()
    said = str(model.explain(X[:1]))
    assert "From a single draw its Monte-Carlo error cannot be told." in said
    assert "smaller" not in said


def test_without_pandas_tables_are_structured_arrays(monkeypatch):
    X, y = TABLES["four classes"]
    model = short().fit(X.to_numpy(), y)
    expected = model.uncertainty(X[:5].to_numpy())
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = model.uncertainty(X[:5].to_numpy())
    assert table.dtype.names == tuple(expected.columns)
    for name in table.dtype.names:
        assert_array_equal(table[name], expected[name].to_numpy())


# The envelope


def test_envelope_counts(fitted):
    model, X, y = fitted
    table = model.uncertainty(X)
    confident = (table["agreement"] >= 0.9 - 1e-9).to_numpy()
    correct = (table["predicted"] == y).to_numpy()
    found = model.envelope(X, y, confidence=0.9)
    assert found.n_confident_correct == (confident & correct).sum()
    assert found.n_confident_incorrect == (confident & ~correct).sum()
    assert found.n_uncertain == (~confident).sum()
    assert found.n_rows == len(X)
    assert found.confident_correct + found.confident_incorrect + found.uncertain == pytest.approx(1)


def test_envelope_curve_is_the_envelope_at_each_confidence(fitted):
    model, X, y = fitted
    curve = model.envelope_curve(X, y, [0.5, 0.9, 1.0])
    for _, row in curve.iterrows():
        found = model.envelope(X, y, row["confidence"])
        assert found.confident_correct == row["confident_correct"]
        assert found.uncertain == row["uncertain"]
    assert curve["uncertain"].is_monotonic_increasing


def test_bad_labels_and_confidences_are_named(binary):
    model, X, y = binary
    with pytest.raises(ValueError, match=r"label 'alive' \(first in row 3\)"):
        model.envelope(X[:5], [*y[:3], "alive", y[4]])
    with pytest.raises(ValueError, match="5 rows and y has 4"):
        model.envelope(X[:5], y[:4])
    with pytest.raises(ValueError, match="confidence must be above 0 and at most 1, got 0"):
        model.envelope(X, y, 0)


# Abstaining


@pytest.mark.parametrize("by", ["probability", "lower", "agreement", "entropy", "epistemic"])
def test_rejected_rows_are_those_beyond_the_threshold(fitted, by):
    model, X, _ = fitted
    table = model.uncertainty(X)
    threshold = float(table[by].median())
    unsure = table[by] > threshold if by in ("entropy", "epistemic") else table[by] < threshold
    is_near = np.abs(table[by] - threshold) < 1e-5
    found = model.reject_option(X, threshold, by)
    assert_array_equal(found[~is_near], unsure[~is_near])
    assert 0 < found.sum() < len(X)


def test_accuracy_and_coverage(fitted):
    model, X, y = fitted
    curve = model.accuracy_coverage(X, y)
    proba = model.predict_proba(X)
    is_right = model.predict(X) == y
    for threshold, coverage, accuracy in list(zip(*curve, strict=True))[::9]:
        answered = proba.max(axis=1) >= threshold
        assert coverage == pytest.approx(answered.mean())
        assert accuracy == pytest.approx(is_right[answered].mean())
    assert curve.coverage[-1] == 1
    assert accuracy <= curve.area <= 1
    assert list(curve.to_frame().columns) == ["threshold", "coverage", "accuracy"]


def test_unknown_measure_is_named(binary):
    model, X, _ = binary
    with pytest.raises(ValueError, match=r"by must be one of 'probability'.*got 'mood'"):
        model.reject_option(X, by="mood")


@pytest.mark.parametrize(
    ("threshold", "by", "wanted"),
    [
        (95, "probability", "between 0 and 1, by='probability'; got 95"),
        (-0.1, "agreement", "between 0 and 1, by='agreement'; got -0.1"),
        (-0.1, "entropy", "at least 0, in nats, by='entropy'; got -0.1"),
        (float("nan"), "lower", "between 0 and 1, by='lower'; got nan"),
        ("high", "lower", "between 0 and 1, by='lower'; got 'high'"),
    ],
)
def test_a_threshold_that_its_measure_cannot_have_is_named(binary, threshold, by, wanted):
    model, X, _ = binary
    with pytest.raises(ValueError, match=f"threshold must be {wanted}"):
        model.reject_option(X, threshold, by)


def test_abstaining_classifier():
    X, y = TABLES["four classes"]
    careful = AbstainingClassifier(short(), threshold=0.8).fit(X, y)
    answers = careful.predict(X)
    answered = np.array([answer is not None for answer in answers])
    assert_array_equal(answered, careful.predict_proba(X).max(axis=1) >= 0.8)
    assert careful.coverage(X) == pytest.approx(answered.mean())
    assert careful.score(X, y) == (answers[answered] == y[answered]).mean()
    assert np.isnan(careful.set_params(threshold=1).score(X, y))
    assert cross_val_score(careful.set_params(threshold=0.1), X, y, cv=2).shape == (2,)


def test_abstain_label_must_not_be_a_class():
    X, y = TABLES["four classes"]
    with pytest.raises(ValueError, match="abstain_label='c' is one of the classes"):
        AbstainingClassifier(short(), abstain_label="c").fit(X, y)


# The model


def test_training_rows_are_kept_apart_from_the_users():
    X, y = four_classes()
    X = X.to_numpy().copy()
    model = short().fit(X, y)
    before = X.copy()
    X[:] = 0
    assert_array_equal(model.training_.X, before)
    assert_array_equal(model.classes_[model.training_.labels], y)


def test_pickled_model_tells_the_same(binary):
    model, X, _ = binary
    again = pickle.loads(pickle.dumps(model))
    pd.testing.assert_frame_equal(again.uncertainty(X[:5]), model.uncertainty(X[:5]))


def test_reference_engine_tells_the_same(binary):
    model, X, _ = binary
    again = pickle.loads(pickle.dumps(model)).set_params(engine="reference")
    pd.testing.assert_frame_equal(again.uncertainty(X[:5]), model.uncertainty(X[:5]))
