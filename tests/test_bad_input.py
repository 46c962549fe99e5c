import time

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from sweeptree import BayesianTreeClassifier
from sweeptree.memory import physical_memory

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = np.random.default_rng(0).normal(size=(30, 3))
Y = (X[:, 0] > 0).astype(int)
NAMED = pd.DataFrame(X, columns=["age", "pulse", "dose"])
INTEGERS = [
    "min_samples_leaf",
    "max_leaves",
    "restrict_leaves",
    "restrict_moves",
    "n_chains",
    "n_burn_in",
    "n_draws",
    "thin",
    "max_moves",
    "n_jobs",
]


def short(**parameters):
    lengths = {"n_burn_in": 100, "n_draws": 10, "thin": 2, "n_chains": 2, "random_state": 0}
    return BayesianTreeClassifier(**{**lengths, **parameters})


def with_value(table, row, column, value):
    changed = table.copy()
    if isinstance(changed, pd.DataFrame):
        changed.iloc[row, column] = value
    else:
        changed[row, column] = value
    return changed


# Tables


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize(("table", "name"), [(X, "column 1"), (NAMED, "column 'pulse'")])
def test_infinite_number_is_named_by_its_column(table, name, value):
    bad = with_value(table, 4, 1, value)
    message = rf"contains infinity in {name} \(first in row 4\)"
    with pytest.raises(ValueError, match=message):
        short().fit(bad, Y)
    model = short().fit(table, Y)
    for method in (model.predict, model.predict_proba, model.predict_proba_draws):
        with pytest.raises(ValueError, match=message):
            method(bad)


def test_opposite_infinities_raise_the_same_error():
    bad = with_value(with_value(X, 4, 1, np.inf), 6, 1, -np.inf)
    with pytest.raises(ValueError, match="infinity in column 1"):
        short().fit(bad, Y)


def test_huge_finite_numbers_are_no_error():
    huge = np.random.default_rng(0).uniform(1e308, 1.7e308, size=(30, 2))
    probabilities = short().fit(huge, Y).predict_proba(huge)
    assert np.isfinite(probabilities).all()


@pytest.mark.parametrize(("table", "name"), [(X, "column 1"), (NAMED, "column 'pulse'")])
def test_column_that_spans_more_than_a_float_holds_is_named(table, name):
    bad = with_value(with_value(table, 0, 1, 1e308), 1, 1, -1e308)
    with pytest.raises(ValueError, match=f"{name} span more than the largest"):
        short().fit(bad, Y)


def test_rows_to_predict_may_span_more_than_a_float_holds():
    model = short().fit(X, Y)
    rows = np.array([[0, 1e308, 0], [0, -1e308, 0]])
    together = model.predict_proba(rows)
    alone = np.concatenate([model.predict_proba(row[np.newaxis]) for row in rows])
    np.testing.assert_array_equal(together, alone)


def test_text_among_numbers_is_named_by_its_column_and_row():
    bad = with_value(NAMED.astype(object), 2, 1, "fast")
    for table, name in ((bad, "column 'pulse'"), (bad.to_numpy(), "column 1")):
        with pytest.raises(ValueError, match=rf"different types in {name}.*'fast' in row 2"):
            short().fit(table, Y)


def test_text_in_rows_to_predict_is_named():
    model = short().fit(NAMED, Y)
    with pytest.raises(ValueError, match=r"'pulse' held numbers in fit .* now: 'fast' in row 0"):
        model.predict(NAMED.assign(pulse="fast"))


@pytest.mark.parametrize("shape", [(30,), (30, 0), (30, 2, 2)])
def test_table_must_have_rows_and_columns(shape):
    with pytest.raises(ValueError, match=r"Expected 2D array|0 feature\(s\)|dim 3"):
        short().fit(np.zeros(shape), Y)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("rows.csv", r"a table with rows and columns, and X is 'rows\.csv'; if that names a file"),
        (None, "a table with rows and columns, and X is None"),
        (["a", "b", "c"], r"a table with rows and columns, and X is \['a', 'b', 'c'\]"),
        ([[1, 2, 3], [4, 5]], "The rows of X are not of the same length"),
        ([[10**400] * 3] * 30, "number in column 0, row 0, that a float cannot hold; rescale it"),
    ],
)
def test_what_is_no_table_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        short().fit(wrong, Y)
    model = short().fit(X, Y)
    with pytest.raises(ValueError, match=message):
        model.predict(wrong)


def test_sparse_table_is_refused():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        short().fit(sparse.csr_array(X), Y)


# Labels


@pytest.mark.parametrize("label", [0, "ill", True, 2.0])
def test_one_class_only(label):
    with pytest.raises(ValueError, match=rf"only one class, {label!r}; at least two"):
        short().fit(X, [label] * 30)


def test_labels_are_required():
    with pytest.raises(ValueError, match="requires y to be passed"):
        short().fit(X, None)


def test_lengths_must_match():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[30, 29\]"):
        short().fit(X, Y[:-1])


def test_mistake_on_a_large_table_is_told_at_once():
    large = np.zeros((200_000, 40))
    start = time.perf_counter()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        short().fit(large, Y)
    assert time.perf_counter() - start < 1.0


def test_continuous_labels_are_refused():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        short().fit(X, X[:, 0])


def test_missing_labels_are_refused():
    with pytest.raises(ValueError, match="y contains NaN"):
        short().fit(X, np.where(Y == 0, np.nan, 1.0))


def test_missing_labels_of_a_nullable_type_are_refused():
    labels = pd.array([True, None] * 15, dtype="boolean")
    with pytest.raises(ValueError, match="the label of row 1 is missing"):
        short().fit(X, labels)


@pytest.mark.parametrize("min_samples_leaf", [3, 16, 10**12])
def test_too_few_rows_for_two_leaves(min_samples_leaf):
    n_rows = min(2 * min_samples_leaf - 1, 30)
    with pytest.raises(ValueError, match=f"n_samples={n_rows}.*at least {2 * min_samples_leaf}"):
        short(min_samples_leaf=min_samples_leaf).fit(X[:n_rows], Y[:n_rows])


def test_just_enough_rows_for_two_leaves():
    model = short(min_samples_leaf=15, n_draws=200).fit(X, np.sort(Y))
    assert model.posterior_.n_leaves.max() <= 2


# Parameters


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("strategy", ["sweeping", "standard", "restricting"]),
        ("unavailable", ["redraw", "reject"]),
        ("tree_prior", ["uniform", "paper", "flat", "geometric", "depth", "range"]),
        ("rule_prior", ["observed", "continuous"]),
        ("likelihood", ["marginal", "plug-in"]),
        ("rule_scale", ["tune", "prior"]),
        ("trace", ["draws", "full"]),
        ("engine", ["kernel", "reference"]),
        ("progress", ["auto"]),
    ],
)
@pytest.mark.parametrize("value", ["nonsense", -1])
def test_wrong_option_is_answered_with_the_allowed_ones(name, allowed, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter") as caught:
        short(**{name: value}).fit(X, Y)
    for option in allowed:
        assert repr(option) in str(caught.value)
    assert repr(value) in str(caught.value)


def test_unknown_parameter():
    with pytest.raises(TypeError, match="burn_in"):
        BayesianTreeClassifier(burn_in=3)


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("value", [5.0, "5", True, np.True_])
def test_integer_parameter_takes_nothing_else(name, value):
    with pytest.raises(ValueError, match=name):
        short(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("name", [name for name in INTEGERS if name != "n_jobs"])
def test_integer_parameter_must_be_large_enough(name):
    value = -1 if name in ("n_burn_in", "restrict_moves") else 0
    with pytest.raises(ValueError, match=rf"'{name}' parameter.*Got {value} "):
        short(**{name: value}).fit(X, Y)


def test_no_jobs_at_all():
    with pytest.raises(ValueError, match=r"'n_jobs' parameter .* Got 0 "):
        short(n_jobs=0).fit(X, Y)


@pytest.mark.parametrize("name", ["gamma", "delta", "leaf_penalty", "alpha", "rule_scale"])
@pytest.mark.parametrize("value", [True, "1", np.nan, np.inf, -0.5])
def test_real_parameter_takes_no_other_number(name, value):
    with pytest.raises(ValueError, match=name):
        short(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("gamma", [0, 1.0001])
def test_gamma_out_of_range(gamma):
    with pytest.raises(ValueError, match=r"'gamma' parameter.* range \(0.0, 1.0\]"):
        short(tree_prior="depth", gamma=gamma).fit(X, Y)


def test_depth_prior_that_never_stops():
    with pytest.raises(ValueError, match="gamma=1 with delta=0"):
        short(tree_prior="depth", gamma=1, delta=0).fit(X, Y)
    short(tree_prior="uniform", gamma=1, delta=0).fit(X, Y)  # not used there


@pytest.mark.parametrize(
    ("alpha", "message"),
    [
        (0, "'alpha' parameter"),
        (-1.0, "'alpha' parameter"),
        ([1.0, 0.0], r"alpha must be positive.*\[1.0, 0.0\]"),
        ([1.0, -2.0], "alpha must be positive"),
        ([1.0, np.nan], "alpha must be positive"),
        ([1.0, np.inf], "alpha must be positive"),
        ([1.0, 1.0, 1.0], "alpha has 3 values but y has 2 classes"),
        ([1.0], "alpha has 1 values but y has 2 classes"),
        ([], "alpha has 0 values but y has 2 classes"),
        ([1.0, "a"], "alpha"),
        ([[1.0, 2.0]], "alpha"),
        (1e308, "alpha"),  # the sum over classes is no number any more
        ([1.0, 1e308], "alpha"),
    ],
)
def test_bad_alpha(alpha, message):
    with pytest.raises(ValueError, match=message):
        short(alpha=alpha).fit(X, Y)


@pytest.mark.parametrize(
    ("alpha", "share", "found"),
    [(1e9, 0.75, r"\[500000000.0, 1500000000.0\]"), (5e-324, 0.9, r"\[0.0, 1e-323\]")],
)
def test_alpha_that_the_class_prior_takes_out_of_reach(alpha, share, found):
    message = f"alpha and class_prior together give the classes {found}; each must be positive"
    with pytest.raises(ValueError, match=message):
        short(alpha=alpha, class_prior=[1 - share, share]).fit(X, Y)
    short(alpha=alpha).fit(X, Y)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ({"birth": 0.5, "death": 0.2}, "must sum to 1; they sum to 0.7"),
        ({}, "must sum to 1; they sum to 0"),
        (
            {"brith": 0.5, "death": 0.5},
            "unknown move 'brith'; the moves are birth, death, change_split, change_rule",
        ),
        ({"birth": 0.5, "death": 0.7, "change_rule": -0.2}, "must lie between 0 and 1"),
        ({"birth": np.nan, "death": 0.5}, "must lie between 0 and 1"),
        ({"birth": 0.0, "death": 1.0}, "must give birth and death more than 0"),
        ({"birth": 1.0}, "must give birth and death more than 0"),
        ({"birth": "half", "death": 0.5}, "move_probabilities"),
        ({"birth": None, "death": 1.0}, "move_probabilities"),
        ([0.1, 0.1, 0.1, 0.7], "'move_probabilities' parameter"),
    ],
)
def test_bad_move_probabilities(probabilities, message):
    with pytest.raises(ValueError, match=message):
        short(move_probabilities=probabilities).fit(X, Y)


@pytest.mark.parametrize(
    ("rule_scale", "message"),
    [
        ([0.1, 0.2], "rule_scale has 2 values but X has 3 columns"),
        ([0.1, 0.0, 0.1], "rule_scale must be positive and finite"),
        ([0.1, np.nan, 0.1], "rule_scale must be positive and finite"),
        ([0.1, "a", 0.1], "rule_scale"),
        (0, "'rule_scale' parameter"),
    ],
)
def test_bad_rule_scale(rule_scale, message):
    with pytest.raises(ValueError, match=message):
        short(rule_scale=rule_scale).fit(X, Y)


@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "1", True])
def test_bad_max_seconds(value):
    with pytest.raises(ValueError, match="'max_seconds' parameter"):
        short(n_draws="auto", max_seconds=value).fit(X, Y)


@pytest.mark.parametrize("value", ["Auto", "", None, 0.5])
def test_n_draws_is_a_number_or_auto(value):
    with pytest.raises(ValueError, match=r"'n_draws' parameter.*'auto'"):
        short(n_draws=value).fit(X, Y)


def test_limit_that_leaves_no_room_for_draws():
    parameters = {"n_draws": "auto", "n_burn_in": 1000, "thin": 10}
    with pytest.raises(ValueError, match=r"1,040 moves.* 1,039 that max_moves.*raise max_moves"):
        short(max_moves=1039, **parameters).fit(X, Y)
    posterior = short(max_moves=1040, **parameters).fit(X, Y).posterior_
    assert (posterior.n_draws, posterior.n_moves) == (4, 1040)


def test_limits_are_not_looked_at_where_the_number_of_draws_is_given():
    posterior = short(max_moves=1, max_seconds=1e-9).fit(X, Y).posterior_
    assert (posterior.n_draws, posterior.n_moves) == (10, 120)


def test_full_trace_needs_a_number_of_draws():
    with pytest.raises(ValueError, match='trace="full" needs a fixed number of draws'):
        short(trace="full", n_draws="auto").fit(X, Y)


@pytest.mark.parametrize("seed", [-1, 2**32, 0.5, "seed"])
def test_bad_seed(seed):
    with pytest.raises(ValueError, match="'random_state' parameter"):
        short(random_state=seed).fit(X, Y)


# Sizes


@pytest.mark.parametrize(
    ("lengths", "to_lower"),
    [
        ({"n_draws": 10**12}, "n_draws or n_chains"),
        ({"n_chains": 10**12}, "n_draws or n_chains"),
        ({"n_chains": 10**12, "n_draws": "auto"}, "n_chains."),
        ({"trace": "full", "n_burn_in": 10**13}, 'n_burn_in, .* or use trace="draws"'),
        ({"trace": "full", "thin": 10**13}, '.* thin, .* or use trace="draws"'),
    ],
)
def test_draws_that_cannot_be_held_are_refused_at_once(lengths, to_lower):
    start = time.perf_counter()
    with pytest.raises(ValueError, match=rf"need [\d,.]+ [TP]B of memory.*lower {to_lower}"):
        short(**lengths).fit(X, Y)
    assert time.perf_counter() - start < 1.0


@pytest.mark.parametrize(
    "lengths",
    [
        {"n_burn_in": 10**20},
        {"thin": 10**20},
        {"thin": 10**18, "n_draws": 1000},
        {"n_burn_in": 10**20, "n_draws": "auto", "max_moves": None},
        {"thin": 10**20, "n_draws": "auto", "max_moves": 10**30},
    ],
)
def test_moves_that_cannot_be_counted_are_refused_at_once(lengths):
    start = time.perf_counter()
    with pytest.raises(ValueError, match=r"n_burn_in.*thin"):
        short(**lengths).fit(X, Y)
    assert time.perf_counter() - start < 1.0


@pytest.mark.parametrize("budget", [1e15, 1e308])
def test_budget_beyond_any_memory_is_as_good_as_enough(budget):
    expected = short().fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(short(memory_budget=budget).fit(X, Y).predict_proba(X), expected)


@pytest.mark.skipif(physical_memory() is None, reason="the size of the memory is not known")
def test_predictions_that_cannot_be_held_are_refused_at_once():
    model = short(n_draws=20_000, thin=1).fit(X[:, :1], Y)
    n_rows = physical_memory() // (8 * 2 * 20_000 * 2) + 1
    start = time.perf_counter()
    with pytest.raises(ValueError, match=r"need [\d,.]+ GB of memory.*lower the number of rows"):
        model.predict_proba_draws(np.zeros((n_rows, 1)))
    assert time.perf_counter() - start < 1.0
    assert model.predict_proba(np.zeros((10, 1))).shape == (10, 2)


# Predicting


@pytest.mark.parametrize("n_columns", [2, 4])
def test_wrong_number_of_columns(n_columns):
    model = short().fit(X, Y)
    with pytest.raises(ValueError, match=f"X has {n_columns} features, but .* expecting 3"):
        model.predict(np.zeros((5, n_columns)))


def test_other_column_names():
    model = short().fit(NAMED, Y)
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*weight.*dose"):
        model.predict(NAMED.rename(columns={"dose": "weight"}))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(NAMED[["pulse", "age", "dose"]])


def test_failed_fit_leaves_the_model_unfitted():
    model = short(n_draws=10**12)
    with pytest.raises(ValueError, match="of memory"):
        model.fit(X, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_failed_second_fit_does_not_leave_a_mixture_of_two_models():
    model = short(alpha=[1, 1, 1]).fit(X, np.arange(30) % 3)
    with pytest.raises(ValueError, match="alpha has 3 values"):
        model.fit(X, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("confidence", ["most", None, 0, 1.5, np.nan])
def test_confidence_out_of_range(confidence):
    with pytest.raises(ValueError, match="confidence must be above 0 and at most 1, got"):
        short().fit(X, Y).envelope(X, Y, confidence=confidence)


@pytest.mark.parametrize("threshold", ["most", None, [0.9]])
def test_threshold_is_a_number(threshold):
    with pytest.raises(ValueError, match=r"threshold must be between 0 and 1, by=.*; got"):
        short().fit(X, Y).reject_option(X, threshold=threshold)


@pytest.mark.parametrize("n_similar", ["all", -1, 2.5, None])
def test_number_of_similar_cases_is_a_whole_number(n_similar):
    with pytest.raises(ValueError, match="n_similar must be a whole number, at least 0, got"):
        short().fit(X, Y).explain(X[0], n_similar=n_similar)
