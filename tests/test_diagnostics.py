import math
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter
from sklearn.exceptions import ConvergenceWarning

from sweeptree import BayesianTreeClassifier
from sweeptree.datasets import make_injury
from sweeptree.diagnostics import convergence, diagnose, ess_bulk, ess_tail, rhat
from sweeptree.summary import print_summary
from sweeptree.verdict import WANTED_RHAT


def autoregressive(rng, n_chains, n_draws, correlation):
    return lfilter([1.0], [1.0, -correlation], rng.normal(size=(n_chains, n_draws)), axis=1)


def continuous(rng, trace):
    return trace


def tied(rng, trace):
    return np.round(trace)


def shifted(rng, trace):
    return trace + rng.normal(0, 2, size=(len(trace), 1))


def tied_and_shifted(rng, trace):
    return np.round(2 * trace) / 2 + rng.integers(0, 3, size=(len(trace), 1))


def heavy_tailed(rng, trace):
    return np.sinh(2 * trace)


@pytest.fixture(scope="module")
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("arviz")


def arviz_diagnosis(arviz, trace):
    return (
        float(arviz.rhat(trace, method="rank")),
        float(arviz.ess(trace, method="bulk")),
        float(arviz.ess(trace, method="tail", prob=(0.05, 0.95))),
    )


@pytest.mark.parametrize("kind", [continuous, tied, shifted, tied_and_shifted, heavy_tailed])
@pytest.mark.parametrize("n_draws", [4, 5, 7, 50, 101, 1000])
@pytest.mark.parametrize("n_chains", [2, 3, 4])
def test_diagnostics_are_those_of_arviz(arviz, kind, n_draws, n_chains):
    rng = np.random.default_rng([n_chains, n_draws])
    for correlation in (0.0, 0.5, 0.97, -0.6):
        trace = kind(rng, autoregressive(rng, n_chains, n_draws, correlation))
        assert diagnose(trace) == pytest.approx(arviz_diagnosis(arviz, trace), rel=1e-6)


def test_traces_of_a_fit_have_the_diagnostics_of_arviz(arviz, mixing_badly):
    posterior, _ = mixing_badly
    for name, found in convergence(posterior).items():
        trace = getattr(posterior, name).astype(float)
        assert found == pytest.approx(arviz_diagnosis(arviz, trace), rel=1e-6)


@pytest.mark.parametrize("n_draws", [4, 100, 999])
@pytest.mark.parametrize("value", [0.0, 0.1, -1e300])
def test_constant_trace(n_draws, value):
    trace = np.full((4, n_draws), value)
    assert rhat(trace) == 1.0
    assert ess_bulk(trace) == ess_tail(trace) == 4 * (n_draws // 2 * 2)


@pytest.mark.parametrize("n_draws", [10, 100, 999])
@pytest.mark.parametrize("levels", [[0, 0, 0, 1], [0.1, 0.2, 0.3, 0.4], [-5, 5]])
def test_chains_that_never_leave_different_places(n_draws, levels):
    trace = np.tile(np.array(levels, dtype=float)[:, np.newaxis], n_draws)
    assert rhat(trace) == np.inf
    assert ess_bulk(trace) < 4 * len(levels)


@pytest.mark.parametrize("trace", [[[3] * 4 + [5] * 4, [3] * 4 + [7] * 4], [[1] * 4 + [2] * 4]])
def test_chains_that_go_from_one_place_to_another_once(trace):
    assert rhat(np.array(trace, dtype=float)) == np.inf


def test_chains_that_differ_in_nothing_but_how_far_they_are_from_the_middle():
    swing = np.tile([1.0, -1.0], 50)
    assert rhat(np.array([swing, 2 * swing])) == np.inf


@pytest.mark.parametrize("n_draws", [1, 2, 3])
def test_too_few_draws_for_a_diagnosis(n_draws):
    trace = np.random.default_rng(0).normal(size=(4, n_draws))
    assert np.isnan([rhat(trace), ess_bulk(trace), ess_tail(trace)]).all()


def test_one_chain_is_compared_with_itself():
    rng = np.random.default_rng(0)
    steady = rng.normal(size=(1, 1000))
    assert rhat(steady) < WANTED_RHAT
    assert rhat(steady + np.linspace(0, 5, 1000)) > 1.5
    assert 700 < ess_bulk(steady) < 1300


def test_difference_in_spread_alone_is_seen():
    trace = np.random.default_rng(0).normal(size=(4, 1000)) * [[1], [1], [1], [5]]
    assert rhat(trace) > 1.1


# What a fit says


@pytest.fixture(scope="module")
def mixing_badly():
    """A posterior of chains that were too short, and the warning about it."""
    X, y = make_injury(500, random_state=0, return_X_y=True)
    model = BayesianTreeClassifier(n_burn_in=50, n_draws=100, thin=1, random_state=0)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y)
    assert len(caught) == 1
    return model.posterior_, caught[0]


def easy_model(**parameters):
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    model = BayesianTreeClassifier(n_burn_in=1000, n_draws=500, random_state=0, **parameters)
    return model.fit(X, X[:, 0])


def test_fit_warns_of_chains_that_disagree(mixing_badly):
    posterior, warning = mixing_badly
    message = str(warning.message)
    words = {"n_leaves": "the number of leaves", "log_posterior": "the log posterior"}
    for name, found in convergence(posterior).items():
        assert found.rhat > WANTED_RHAT
        assert f"{found.rhat:.3f} for {words[name]}" in message
    assert "R-hat" in message
    assert "Raise n_burn_in and thin" in message
    assert "effective sample size" not in message  # of a fixed length only R-hat is judged
    assert warning.filename == __file__  # the line that called fit


def test_fit_says_nothing_if_the_chains_agree():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = easy_model(thin=50)
    assert all(found.rhat <= WANTED_RHAT for found in convergence(model.posterior_).values())


@pytest.mark.parametrize("sizes", [{"n_draws": 3}, {"n_draws": 1, "n_chains": 1}])
def test_fit_warns_if_there_are_too_few_draws_to_tell(sizes):
    X, y = make_injury(100, random_state=0, return_X_y=True)
    words = r"R-hat cannot be told from fewer than 4 draws of each chain\. Raise n_draws, or"
    with pytest.warns(ConvergenceWarning, match=words):
        BayesianTreeClassifier(n_burn_in=0, thin=1, random_state=0, **sizes).fit(X, y)


def test_summary_prints_convergence_and_moves(capsys):
    model = easy_model(thin=20)
    posterior = model.posterior_
    capsys.readouterr()
    model.summary()
    printed = capsys.readouterr().out
    found = convergence(posterior)
    for words in ("4 chains x 500 draws", "R-hat", "ESS bulk", "ESS tail"):
        assert words in printed
    row = next(line for line in printed.splitlines() if "log posterior" in line)
    assert f"{posterior.log_posterior.mean():.1f}" in row
    assert f"{found['log_posterior'].rhat:.3f}" in row
    assert f"{math.floor(found['log_posterior'].ess_bulk)}" in row
    for heading in ("move", "accepted", "rejected", "swept", "redrawn"):
        assert heading in printed
    sampling = posterior.moves[:, posterior.phase_names.index("sampling")].sum(axis=0)
    accepted = posterior.outcome_names.index("accepted")
    redrawn = posterior.outcome_names.index("redrawn")
    for name, counts in zip(posterior.move_names, sampling, strict=True):
        row = next(line for line in printed.splitlines() if name.replace("_", "-") in line)
        made = counts.sum() - counts[redrawn]
        numbers = re.findall(r"[\d,.]+|–", row)
        assert numbers[0] == f"{made:,}"
        assert numbers[1] == (f"{100 * counts[accepted] / made:.1f}" if made else "–")
        assert numbers[-1] == f"{counts[redrawn]:,}"


def test_summary_keeps_marks_with_their_figures_and_cuts_none(mixing_badly, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    posterior, _ = mixing_badly
    of_many_rows = replace(posterior, log_prior=posterior.log_prior - 10_000)
    print_summary(of_many_rows)
    row = next(line for line in capsys.readouterr().out.splitlines() if "log posterior" in line)
    assert f"{of_many_rows.log_posterior.mean():.1f} " in row
    assert f"{convergence(of_many_rows)['log_posterior'].rhat:.3f} !" in row


def test_summary_of_one_draw(capsys):
    X, y = make_injury(100, random_state=0, return_X_y=True)
    model = BayesianTreeClassifier(n_burn_in=0, n_draws=1, thin=1, n_chains=1, random_state=0)
    model.fit(X, y).summary()
    printed = capsys.readouterr().out
    assert "nan" not in printed
    assert "– !" in printed
