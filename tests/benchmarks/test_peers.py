"""Peers: their environments, their processes, and what is said of those that fail."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers.contestants import OURS, Contestant, Package, chosen_of
from benchmarks.peers.environments import NotInstalledError, check_program, python_of
from benchmarks.peers.process import PeerError, PeerProcess, classify
from benchmarks.peers.worker import Table, affordable
from benchmarks.registry import benchmark

from benchmarks import peers_quality, peers_speed
from sweeptree import BayesianTreeClassifier

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="peers are pinned to a core as Linux does it"
)

SHORT = {"n_chains": 2, "n_burn_in": 500, "n_draws": 20, "n_jobs": 1}
LITTLE = Contestant("ours", OURS, {"estimator": {"n_rungs": 1, "n_jobs": 1}})
ABSENT = Contestant("absent", Package("absent", "./no-such-package"))
MUTE = Contestant("mute", Package("no_such_module"))


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    return Table(X, (X[:, 0] > 0.5).astype(int), 2, X[:5])


@pytest.fixture(scope="module")
def ours():
    with PeerProcess(Path(sys.executable), "ours", min(os.sched_getaffinity(0))) as peer:
        yield peer


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_peer_answers_what_the_same_fit_says_here(ours, table):
    p, said = classify(ours, table, {"seed": 3, "estimator": SHORT})
    model = BayesianTreeClassifier(**SHORT, random_state=3).fit(table.X, table.y)
    np.testing.assert_array_equal(p, model.predict_proba(table.X_new))
    assert said["seconds"] > 0
    assert said["peak_megabytes"] > 10


@pytest.mark.slow
def test_a_peer_that_cannot_says_so_and_goes_on(ours, table):
    with pytest.raises(PeerError, match=r"InvalidParameterError: .*alpha"):
        classify(ours, table, {"seed": 0, "estimator": {"alpha": -1.0}})
    assert len(classify(ours, table, {"seed": 0, "estimator": SHORT})[0]) == 5


def test_a_peer_that_takes_too_long_is_over_the_cap(table):
    with (
        PeerProcess(Path(sys.executable), "ours") as peer,
        pytest.raises(PeerError, match="over the cap"),
    ):
        classify(peer, table, {"seed": 0}, at_most=0.01)


def test_a_peer_that_dies_is_quoted(table):
    with (
        PeerProcess(Path(sys.executable), "no_such_module") as peer,
        pytest.raises(PeerError, match=r"No module named benchmarks\.peers\.no_such_module"),
    ):
        classify(peer, table, {"seed": 0})


def test_a_peer_ends_with_what_it_has_started():
    peer = PeerProcess(Path(sys.executable), "ours")
    peer.close()
    assert peer.process.poll() is not None
    with pytest.raises(ProcessLookupError):
        os.killpg(peer.process.pid, 0)


def test_an_environment_is_made_once_and_again_for_another_requirement(tmp_path):
    with pytest.raises(NotInstalledError, match="no-such-package"):
        python_of("absent", "./no-such-package", tmp_path)
    assert not (tmp_path / "absent" / "complete.txt").exists()
    python = tmp_path / "absent" / "bin" / "python"
    made = python.lstat().st_mtime_ns
    (tmp_path / "absent" / "complete.txt").write_text("peer==1\n")
    assert python_of("absent", "peer==1", tmp_path) == python
    assert python.lstat().st_mtime_ns == made


def test_without_a_requirement_a_peer_runs_here():
    assert python_of("ours", None) == Path(sys.executable)


def test_a_program_that_is_missing_is_named_with_what_to_do():
    with pytest.raises(NotInstalledError, match=r"no-such-program is not there \(get it\)"):
        check_program("no-such-program", "get it")


@pytest.mark.slow
def test_a_peer_that_does_not_install_is_reported_and_nothing_is_lost(monkeypatch, tmp_path):
    monkeypatch.setattr(peers_speed, "OF_MOVES", (LITTLE, ABSENT, MUTE))
    arguments = ["--rounds", "1", "--seconds", "0.01", "--environments", str(tmp_path)]
    options = benchmark("peers_speed").parser(is_quick=True).parse_args(arguments)
    (outcome,) = peers_speed.run(options)
    ours, absent, mute = outcome.tables[0].rows
    assert float(ours[1].replace(",", "")) > 1000
    assert ours[3] == "1 ×"
    assert absent[1].startswith("not installed: ")
    assert "no-such-package" in absent[1]
    assert "No module named benchmarks.peers.no_such_module" in mute[1]
    assert [bool(each["failure"]) for each in outcome.measurements] == [False, True, True]


@pytest.mark.slow
def test_quality_reports_peers_that_fail_beside_those_that_do_not(monkeypatch, tmp_path):
    forest = Contestant("forest", Package("scikit_learn"), {"estimator": "RandomForestClassifier"})
    monkeypatch.setattr(peers_quality, "OF_QUALITY", (forest, ABSENT))
    arguments = ["--sets", "Wine", "--environments", str(tmp_path)]
    options = benchmark("peers_quality").parser(is_quick=True).parse_args(arguments)
    (outcome,) = peers_quality.run(options)
    overall, log_loss, *others = outcome.tables
    assert overall.rows[0][:5] == ["forest", "1", "1.00", "1.00", "0"]
    assert overall.rows[1] == ["absent", "0", *["–"] * 5]
    assert " ± " in log_loss.rows[0][1]
    assert all(each.rows[0][2].startswith("not installed") for each in (log_loss, *others))
    folds = outcome.measurements[0]["folds"]
    assert len(folds) == peers_quality.N_FOLDS
    assert min(fold["accuracy"] for fold in folds) > 85


def test_peers_are_chosen_by_the_name_of_their_package():
    contestants = (LITTLE, replace(LITTLE, label="other", package=Package("bartz")), MUTE)
    assert chosen_of(contestants, None) == list(contestants)
    assert chosen_of(contestants, ["bartz"]) == list(contestants[:2])


def test_so_much_is_drawn_as_there_is_time_for():
    assert affordable(100, 0.5, 10.0) == 20
    assert affordable(100, 0.5, 1000.0) == 100
    assert affordable(100, 0.5, -3.0) == 1
