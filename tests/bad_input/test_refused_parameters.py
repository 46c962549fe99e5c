"""Parameters that mean nothing."""

import numpy as np
import pytest

from small_table import X, Y, short
from sweeptree import BayesianTreeClassifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

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
    with pytest.raises(ValueError, match="gamma=1 with delta=1e-17"):
        short(tree_prior="depth", gamma=1, delta=1e-17).fit(X, Y)
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
        ([1.0, 1.0, 1.0], "alpha has 3 values but there are 2 classes"),
        ([1.0], "alpha has 1 values but there are 2 classes"),
        ([], "alpha has 0 values but there are 2 classes"),
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
        ([0.1, 0.2], "rule_scale has 2 values but there are 3 columns"),
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
    with pytest.raises(ValueError, match=r"1,060 moves.* 1,059 that max_moves.*raise max_moves"):
        short(max_moves=1059, **parameters).fit(X, Y)
    posterior = short(max_moves=1060, **parameters).fit(X, Y).posterior_
    assert (posterior.n_draws, posterior.n_moves) == (6, 1060)


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
