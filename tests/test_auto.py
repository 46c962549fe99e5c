"""Running until converged: `n_draws="auto"`."""

import math
import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from comparing import assert_same_posterior, drawn_trees
from sweeptree import BayesianTreeClassifier, stopping, verdict
from sweeptree.datasets import load_wisconsin, make_injury, make_xor3
from sweeptree.diagnostics import convergence
from sweeptree.settings import MOST_DRAWS, Schedule
from sweeptree.stopping import MOST_CLOSE_DRAWS, draws_used, rounds, rows_to_judge_by
from sweeptree.verdict import WANTED_ESS, WANTED_RHAT, WANTED_SPREAD, Verdict

IMPOSSIBLE_ESS = 10**9


@pytest.fixture(scope="module")
def injury():
    """200 rows that are hard to tell apart: chains take long to converge."""
    return make_injury(200, random_state=0, return_X_y=True)


@pytest.fixture
def never_converging(monkeypatch):
    monkeypatch.setattr(verdict, "WANTED_ESS", IMPOSSIBLE_ESS)


def auto(**parameters):
    """Short enough for a test, long enough to halve its draws several times."""
    lengths = {"n_burn_in": 1000, "thin": 1, "max_moves": 12_345, "n_chains": 3}
    return BayesianTreeClassifier(**{**lengths, "random_state": 0, **parameters})


def fit_quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


# The rule


def moves_at_checks(schedule, n_checks):
    return [
        schedule.n_burn_in + n_draws * thin
        for (n_draws, thin), _ in zip(rounds(schedule), range(n_checks), strict=False)
    ]


def test_checks_are_ever_further_apart():
    schedule = Schedule(n_burn_in=0, thin=100, n_draws=None)
    n_moves = np.array(moves_at_checks(schedule, 40))
    growth = n_moves[1:] / n_moves[:-1]
    assert growth.min() >= 8 / 7 - 1e-12
    assert growth.max() <= 5 / 4


@pytest.mark.parametrize("max_moves", [1004, 1499, 1500, 2000, 2001, 3001, 3003, 123_456])
def test_last_check_is_as_late_as_the_limit_allows(max_moves):
    schedule = Schedule(n_burn_in=1000, thin=1, n_draws=None, max_moves=max_moves)
    *_, (n_draws, thin) = rounds(schedule)
    assert 0 <= max_moves - (1000 + n_draws * thin) < thin
    assert n_draws <= MOST_DRAWS


def test_fixed_length_is_one_round():
    assert list(rounds(Schedule(n_burn_in=10, thin=3, n_draws=7))) == [(7, 3)]


@pytest.mark.parametrize("n_burn_in", [0, 3, 249, 250, 251, 5000])
@pytest.mark.parametrize("n_draws", [6, 7, 33, 1000])
@pytest.mark.parametrize("thin", [1, 7])
def test_draws_of_the_first_third_are_left_out(n_burn_in, n_draws, thin):
    at_move = n_burn_in + thin * np.arange(1, n_draws + 1)
    is_late = 3 * at_move > n_burn_in + n_draws * thin
    assert_array_equal(at_move[draws_used(-n_burn_in, n_draws, thin)], at_move[is_late])
    assert is_late.sum() >= 4


@pytest.mark.parametrize("n_rows", [1, 999, 1000, 1001, 12_345])
def test_rows_to_judge_by_are_evenly_spaced(n_rows):
    rows = rows_to_judge_by(np.arange(n_rows)[:, np.newaxis])[:, 0]
    assert len(rows) == min(n_rows, 1000)
    assert np.ptp(np.diff(rows)) <= 1 if n_rows > 1 else True
    assert rows[0] == 0
    assert rows[-1] >= n_rows - 1 - n_rows / 1000


# The verdict

GOOD = Verdict(WANTED_RHAT, 1.0, WANTED_ESS, 1e4, WANTED_SPREAD)


def test_nothing_is_missing_where_all_is_as_wanted():
    assert GOOD.is_converged
    assert GOOD.missing() == []


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"rhat_n_leaves": 1.034}, "R-hat is 1.034 for the number of leaves (at most 1.01"),
        ({"rhat_log_posterior": 1.034}, "R-hat is 1.034 for the log posterior (at most 1.01"),
        ({"rhat_log_posterior": 1.01004}, "R-hat is 1.01004 for the log posterior"),
        ({"rhat_log_posterior": math.inf}, "R-hat is inf for the log posterior"),
        ({"rhat_log_posterior": math.nan}, "R-hat cannot be told"),
        ({"ess_n_leaves": math.nan}, "the effective sample size cannot be told"),
        ({"ess_log_posterior": math.nan}, "the effective sample size cannot be told"),
        (dict.fromkeys(Verdict._fields, math.nan), "R-hat and the effective sample size cannot"),
        ({"ess_n_leaves": 399.9}, "the effective sample size is 399 for the number of leaves (at"),
        ({"ess_log_posterior": 12.0}, "the effective sample size is 12 for the log posterior"),
        ({"spread": 0.012}, "the probabilities differ between chains by 0.012 (at most 0.005"),
        ({"spread": 0.0052}, "the probabilities differ between chains by 0.0052 (at most 0.005"),
    ],
)
def test_what_is_missing_is_said_with_its_figure(bad, words):
    found = GOOD._replace(**bad)
    assert not found.is_converged
    (said,) = found.missing()
    assert said.startswith(words)


@pytest.mark.parametrize("name", ["ess_n_leaves", "ess_log_posterior"])
def test_unknown_sample_size_is_not_shown_as_the_known_one(name):
    assert GOOD._replace(**{name: math.nan}).by_name()["ESS"] == "–"


def test_no_figure_is_shown_as_nan():
    unknown = Verdict(*[math.nan] * len(Verdict._fields))
    assert unknown.in_short() == "R-hat – · ESS – · spread –"


def test_unknown_spread_is_not_convergence():
    assert not GOOD._replace(spread=math.nan).is_converged


def spread_of(model, rows):
    return model.predict_proba_draws(rows).mean(axis=1).std(axis=0, ddof=1).mean()


@pytest.mark.parametrize("n_draws", ["auto", 200])
def test_verdict_is_about_the_draws(n_draws, injury):
    X, y = injury
    model = fit_quietly(auto(n_draws=n_draws), X, y)
    found, traces = model.posterior_.verdict, convergence(model.posterior_)
    assert (found.rhat_n_leaves, found.ess_n_leaves) == traces["n_leaves"][:2]
    assert (found.rhat_log_posterior, found.ess_log_posterior) == traces["log_posterior"][:2]
    assert found.spread == pytest.approx(spread_of(model, X), rel=1e-9)
    assert not model.posterior_.converged


def test_spread_of_a_large_table_is_that_of_some_rows():
    X, y = make_xor3(2500, random_state=0, return_X_y=True)
    model = fit_quietly(auto(n_draws=200, n_burn_in=100), X, y)
    expected = spread_of(model, rows_to_judge_by(X))
    assert model.posterior_.verdict.spread == pytest.approx(expected, rel=1e-9)


def test_predictions_are_compared_only_once_the_traces_agree(injury, monkeypatch, never_converging):
    calls = []

    def counting(*arguments):
        calls.append(arguments)
        return 0.5

    monkeypatch.setattr(stopping, "spread_between_chains", counting)
    model = fit_quietly(auto(), *injury)
    assert len(calls) == 1  # at the end, to be reported
    assert model.posterior_.verdict.spread == 0.5


# Stopping


@pytest.mark.parametrize(
    "bunch", [load_wisconsin(), make_xor3(1000, random_state=0)], ids=["Wisconsin", "XOR3"]
)
def test_default_fit_runs_until_converged(bunch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BayesianTreeClassifier(random_state=0).fit(bunch.data, bunch.target)
    posterior = model.posterior_
    assert posterior.converged
    assert posterior.stopped_by == "converged"
    assert posterior.verdict.missing() == []
    assert posterior.n_chains == 4
    assert 400 <= posterior.n_draws <= MOST_DRAWS
    assert 200_000 < posterior.n_moves < 5_000_000


def test_moves_that_were_made_are_counted(injury):
    posterior = fit_quietly(auto(), *injury).posterior_
    made = [name != "redrawn" for name in posterior.outcome_names]
    n_made = posterior.moves[..., made].sum(axis=(2, 3))
    assert_array_equal(n_made.sum(axis=1), posterior.n_moves)
    assert_array_equal(n_made[:, 0], 1000)


def test_max_moves_stops_with_a_warning(injury):
    with pytest.warns(ConvergenceWarning) as caught:
        posterior = auto().fit(*injury).posterior_
    assert posterior.stopped_by == "max_moves"
    assert not posterior.converged
    assert 0 <= 12_345 - posterior.n_moves < posterior.thin
    message = str(caught[0].message)
    for words in (
        "The chains have not converged: ",
        *posterior.verdict.missing(),
        f"At this pace about {math.ceil(posterior.verdict.times_as_long())} times as many moves",
        f"max_moves stopped them after {posterior.n_moves:,} moves each. Raise it",
        "provisional",
    ):
        assert words in message
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_max_seconds_stops_with_a_warning(injury):
    start = time.monotonic()
    with pytest.warns(ConvergenceWarning) as caught:
        posterior = auto(max_moves=None, max_seconds=0.3, n_burn_in=100).fit(*injury).posterior_
    assert time.monotonic() - start < 5.0
    assert posterior.stopped_by == "max_seconds"
    assert not posterior.converged
    assert posterior.n_leaves.shape == (3, posterior.n_draws)
    assert posterior.n_draws <= MOST_DRAWS
    message = str(caught[0].message)
    assert "max_seconds stopped them" in message
    assert "another run may draw otherwise" in message
    made = [name != "redrawn" for name in posterior.outcome_names]
    assert posterior.moves[..., made].sum(axis=(1, 2, 3)).min() >= posterior.n_moves > 100


@pytest.mark.parametrize("engine", ["kernel", "reference"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_there_are_draws_however_little_time_there_is(n_jobs, engine, injury):
    model = auto(max_seconds=1e-6, n_burn_in=10**6, max_moves=None, n_jobs=n_jobs, engine=engine)
    posterior = fit_quietly(model, *injury).posterior_
    assert posterior.stopped_by == "max_seconds"
    assert posterior.n_draws == 4
    assert posterior.n_moves < 10**6  # the burn-in was cut short


def test_run_with_a_burn_in_cut_short_is_not_called_converged(monkeypatch):
    monkeypatch.setattr(verdict, "WANTED_RHAT", math.inf)
    monkeypatch.setattr(verdict, "WANTED_ESS", 0)
    monkeypatch.setattr(verdict, "WANTED_SPREAD", math.inf)
    X, y = make_xor3(100, random_state=0, return_X_y=True)
    posterior = auto(n_burn_in=10**9, max_moves=None, max_seconds=0.3).fit(X, y).posterior_
    assert posterior.converged
    assert posterior.stopped_by == "max_seconds"


# Bookkeeping


@pytest.mark.parametrize("max_moves", [12_345, 33_333], ids=["few draws", "many draws"])
@pytest.mark.parametrize("n_burn_in", [0, 1000])
def test_draws_are_those_of_a_fixed_length(n_burn_in, max_moves, injury, never_converging):
    """After several halvings: those of one run with the last interval, without its first third."""
    model = auto(n_burn_in=n_burn_in, max_moves=max_moves, n_rungs=1)
    found = fit_quietly(model, *injury).posterior_
    assert found.thin == 16
    assert (found.n_draws > MOST_CLOSE_DRAWS) == (max_moves > 20_000)
    assert found.n_draws <= MOST_DRAWS
    n_draws = (found.n_moves - n_burn_in) // found.thin
    fixed = fit_quietly(auto(n_burn_in=n_burn_in, n_draws=n_draws, thin=16), *injury).posterior_
    assert found.n_moves == fixed.n_moves
    used = slice(draws_used(-n_burn_in, n_draws, 16).start, None)
    assert n_draws - found.n_draws == used.start > 50
    for name in ("n_leaves", "depth", "log_likelihood", "log_prior"):
        assert_array_equal(getattr(found, name), getattr(fixed, name)[:, used])
    for chain in range(3):
        assert drawn_trees(found, chain) == drawn_trees(fixed, chain)[used]
    assert_array_equal(found.moves, fixed.moves)
    assert_array_equal(np.unique(found.tree_index), np.arange(len(found.trees)))


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_draws_do_not_depend_on_n_jobs(n_jobs, injury):
    expected = fit_quietly(auto(n_jobs=1), *injury).posterior_
    found = fit_quietly(auto(n_jobs=n_jobs), *injury).posterior_
    assert_same_posterior(found, expected)


def test_draws_until_converged_do_not_depend_on_n_jobs():
    X, y = make_xor3(300, random_state=0, return_X_y=True)
    one, two = (
        auto(n_jobs=n_jobs, max_moves=10**7, n_burn_in=10_000).fit(X, y).posterior_
        for n_jobs in (1, 2)
    )
    assert one.stopped_by == "converged"
    assert_same_posterior(one, two)


def test_engines_run_equally_long():
    X, y = make_xor3(60, random_state=0, return_X_y=True)
    kernel, reference = (
        fit_quietly(auto(engine=engine, max_moves=3000), X, y).posterior_
        for engine in ("kernel", "reference")
    )
    assert (kernel.n_moves, kernel.thin) == (reference.n_moves, reference.thin) == (3000, 2)
    assert_array_equal(kernel.n_leaves, reference.n_leaves)
    assert_array_equal(kernel.trees.leaf_counts, reference.trees.leaf_counts)
    assert_allclose(kernel.verdict.spread, reference.verdict.spread, rtol=1e-9)


# Rungs


def test_chains_that_turn_out_to_be_slow_get_rungs(injury, never_converging):
    tempered = fit_quietly(auto(), *injury).posterior_
    plain = fit_quietly(auto(n_rungs=1), *injury).posterior_
    assert (tempered.n_rungs, plain.n_rungs) == (5, 1)
    assert_array_equal(tempered.moves[:, 0], plain.moves[:, 0])  # not in the burn-in yet
    assert (tempered.moves[:, 1] != plain.moves[:, 1]).any()


def test_rungs_come_once_chains_have_sampled_for_as_long_as_burn_in(injury, never_converging):
    """Looked at after 750 and after 1,000 moves."""
    before, after = (
        fit_quietly(auto(max_moves=1000 + n_moves), *injury).posterior_ for n_moves in (999, 1010)
    )
    assert before.n_rungs == 1
    assert after.n_rungs == 5


def test_rungs_do_not_come_when_there_is_no_move_left_to_make(injury, never_converging):
    posterior = fit_quietly(auto(max_moves=2000), *injury).posterior_
    assert posterior.n_moves == 2000
    assert posterior.n_rungs == 1


@pytest.mark.parametrize("n_draws_since", [99, 100, 250])
def test_what_was_drawn_before_the_rungs_came_is_dropped(n_draws_since, injury, never_converging):
    """They come after 1,000 moves; then every 2nd is drawn, and 100 are enough to go by."""
    max_moves = 1000 + 1000 + 2 * n_draws_since
    posterior = fit_quietly(auto(max_moves=max_moves), *injury).posterior_
    assert (posterior.n_moves, posterior.thin, posterior.n_rungs) == (max_moves, 2, 5)
    start = 1000 if n_draws_since >= 100 else -1000
    used = draws_used(start, 500 + n_draws_since, 2)
    assert posterior.n_draws == used.stop - used.start


def test_chains_that_soon_converge_need_no_rungs():
    X, y = make_xor3(300, random_state=0, return_X_y=True)
    posterior = auto(max_moves=10**7, n_burn_in=10_000).fit(X, y).posterior_
    assert posterior.stopped_by == "converged"
    assert posterior.n_rungs == 1


def test_engines_are_tempered_alike(never_converging):
    X, y = make_xor3(60, random_state=0, return_X_y=True)
    kernel, reference = (
        fit_quietly(auto(engine=engine, n_burn_in=200, max_moves=2200, n_chains=2), X, y).posterior_
        for engine in ("kernel", "reference")
    )
    assert kernel.n_rungs == reference.n_rungs == 5
    assert_array_equal(kernel.n_leaves, reference.n_leaves)
    assert_array_equal(kernel.trees.leaf_counts, reference.trees.leaf_counts)


def test_rungs_can_be_given(injury):
    lengths = {"n_draws": 500, "thin": 10}
    plain, tempered = (fit_quietly(auto(n_rungs=n, **lengths), *injury).posterior_ for n in (1, 3))
    assert tempered.n_rungs == 3
    assert tempered.n_moves == plain.n_moves
    assert_array_equal(tempered.moves.sum(axis=(2, 3)), plain.moves.sum(axis=(2, 3)))
    assert (tempered.n_leaves != plain.n_leaves).any()
    again = fit_quietly(auto(n_rungs=3, n_jobs=1, **lengths), *injury).posterior_
    assert_same_posterior(again, tempered)


def test_number_of_draws_that_was_given_needs_no_rungs(injury, never_converging):
    posterior = fit_quietly(auto(n_draws=6000), *injury).posterior_
    assert posterior.n_rungs == 1


@pytest.mark.parametrize("strategy", ["standard", "restricting", "sweeping"])
def test_the_papers_strategies_have_one_rung(strategy, injury, never_converging):
    assert fit_quietly(auto(strategy=strategy), *injury).posterior_.n_rungs == 1
    with pytest.raises(ValueError, match=f"n_rungs=2 needs strategy=\"exact\"; '{strategy}'"):
        auto(strategy=strategy, n_rungs=2).fit(*injury)
    assert fit_quietly(auto(strategy=strategy, n_rungs=1), *injury).posterior_.n_rungs == 1


@pytest.mark.parametrize("n_rungs", [0, 13, 2.0, "many", True])
def test_number_of_rungs_that_makes_no_sense_is_refused(n_rungs, injury):
    with pytest.raises(ValueError, match="n_rungs"):
        auto(n_rungs=n_rungs).fit(*injury)


@pytest.mark.parametrize(
    ("bad", "times"),
    [
        ({}, 1.0),
        ({"rhat_n_leaves": 1.05}, 5.0),
        ({"rhat_log_posterior": 1.03}, 3.0),
        ({"ess_n_leaves": 100.0}, 4.0),
        ({"spread": 0.015}, 9.0),
        ({"spread": math.nan}, 1.0),
        *(({name: math.nan}, math.inf) for name in Verdict._fields if name != "spread"),
    ],
)
def test_how_much_longer_chains_would_have_to_run(bad, times):
    assert GOOD._replace(**bad).times_as_long() == pytest.approx(times)


# One chain


def test_one_chain_is_compared_with_itself():
    X, y = make_xor3(300, random_state=0, return_X_y=True)
    model = auto(n_chains=1, max_moves=10**7, n_burn_in=10_000).fit(X, y)
    posterior = model.posterior_
    assert posterior.stopped_by == "converged"
    draws = model.predict_proba_draws(X)[0]
    half = len(draws) // 2
    halves = np.stack([draws[:half].mean(axis=0), draws[-half:].mean(axis=0)])
    assert posterior.verdict.spread == pytest.approx(halves.std(axis=0, ddof=1).mean(), rel=1e-9)


def test_one_draw_of_one_chain_cannot_be_judged(injury):
    posterior = auto(n_chains=1, n_draws=1).fit(*injury).posterior_
    assert np.isnan(posterior.verdict).all()
    assert not posterior.converged


# What is shown


def test_summary_says_whether_the_chains_have_converged(injury, capsys):
    model = fit_quietly(auto(), *injury)
    model.summary()
    printed = " ".join(capsys.readouterr().out.split())
    posterior = model.posterior_
    for words in (
        "converged no",
        "stopped by max_moves",
        f"moves of each chain {posterior.n_moves:,}",
        f"rungs {posterior.n_rungs}",
        f"moves from draw to draw {posterior.thin}",
        f"spread of predictions {posterior.verdict.spread:.4f} !",
        f"The chains have not converged: {', '.join(posterior.verdict.missing())}.",
    ):
        assert words in printed


def test_summary_of_chains_that_have_converged(capsys):
    X, y = make_xor3(300, random_state=0, return_X_y=True)
    auto(max_moves=10**7, n_burn_in=10_000).fit(X, y).summary()
    printed = " ".join(capsys.readouterr().out.split())
    for words in ("converged yes", "stopped by converged", "The chains have converged."):
        assert words in printed
