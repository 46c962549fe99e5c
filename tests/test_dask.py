"""Chains on a real Dask cluster: the same draws, whatever happens to its workers."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from contextlib import contextmanager

import joblib
import numpy as np
import pytest
from distributed import Client, LocalCluster
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from cut_off_fits import (
    CutOffError,
    assert_identical,
    cutting_off,
    fit_quietly,
    short,
)
from sweeptree import BayesianTreeClassifier, elsewhere, remote_crew
from sweeptree.checkpoint import Checkpoint
from sweeptree.datasets import make_injury, make_xor3
from sweeptree.elsewhere import ClusterError, Elsewhere
from sweeptree.experiments.data_sets import LabelledTable
from sweeptree.experiments.fitting import Length
from sweeptree.experiments.parts import Parts
from sweeptree.experiments.plan import Scale, plan_units
from sweeptree.experiments.running import run_units
from sweeptree.experiments.strategies import compare_strategies

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals"),
]


@contextmanager
def cluster_of(n_workers):
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(n_workers=n_workers, **options) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def client():
    with cluster_of(2) as client:
        yield client


@pytest.fixture
def dask(client):
    """Joblib's backend on two workers."""
    with joblib.parallel_config(backend="dask", client=client):
        yield client


@pytest.fixture(scope="module")
def injury():
    return make_injury(200, random_state=0, return_X_y=True)


def fitted_here(model, X, y):
    """The same fit on threads of this process."""
    with joblib.parallel_config(backend="loky"):
        return fit_quietly(model, X, y).posterior_


@pytest.fixture
def short_slices(monkeypatch):
    """Many slices in a short run; return how many there were."""
    sent = []
    each = Elsewhere.each

    def counted(self, function, pieces):
        sent.extend(pieces)
        return each(self, function, pieces)

    monkeypatch.setattr(remote_crew, "SLICE_SECONDS", 0.005)
    monkeypatch.setattr(Elsewhere, "each", counted)
    return sent


# The same draws


@pytest.mark.parametrize(
    "parameters",
    [
        {},  # of open length: halves its draws and gets rungs half-way
        {"n_chains": 1, "n_burn_in": 0},
        {"strategy": "sweeping", "n_draws": 300, "trace": "full", "rule_scale": "tune"},
        {"engine": "reference", "max_moves": 1600, "n_chains": 2},
    ],
    ids=str,
)
def test_remote_chains_draw_what_local_ones_draw(parameters, dask, injury, short_slices):
    expected = fitted_here(short(**parameters), *injury)
    assert not short_slices
    found = fit_quietly(short(**parameters), *injury).posterior_
    assert_identical(found, expected)
    assert len(short_slices) > 3


def test_the_table_is_sent_once_and_let_go(dask, injury, short_slices):
    dask.run(count_factories)
    fit_quietly(short(n_draws=1000, thin=200), *injury)
    assert len(short_slices) > 10
    n_built = dask.run(n_factories)
    assert all(1 <= n <= 2 for n in n_built.values())  # Dask may move data around now and then
    wait_until(lambda: not dask.who_has())


def test_work_is_shared_also_after_dask_has_tidied_up(dask):
    with Elsewhere("what is needed", n_jobs=2) as away:
        for _ in range(3):
            workers = {worker for _, worker in away.each(rest_and_tell_where, [0, 1])}
            assert len(workers) == 2
            dask.amm.run_once()  # as it does every two seconds: one copy of each key is left
    wait_until(lambda: not dask.who_has())


def rest_and_tell_where(needed, piece):
    from distributed import get_worker

    assert needed == "what is needed"
    time.sleep(0.3)
    return get_worker().address


def count_factories():
    from sweeptree import engines

    make = engines.ChainFactory.__init__
    engines.n_factories = 0

    def counted(self, *parts):
        engines.n_factories += 1
        make(self, *parts)

    engines.ChainFactory.__init__ = counted


def n_factories():
    from sweeptree import engines

    return engines.n_factories


def wait_until(is_so, seconds=60):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_max_seconds_stops_remote_chains(dask, injury):
    model = BayesianTreeClassifier(max_seconds=1.5, max_moves=None, n_burn_in=10**9)
    start = time.monotonic()
    posterior = fit_quietly(model, *injury).posterior_
    assert posterior.stopped_by == "max_seconds"
    assert 1.0 < time.monotonic() - start < 15


def test_progress_of_remote_chains_shows(dask, injury, capfd):
    fit_quietly(short(progress=True), *injury)
    shown = capfd.readouterr().err
    for words in ("chain 1", "chain 3", "sampling", "leaves, log posterior", "M moves/s", "100%"):
        assert words in shown


# Lost workers


@pytest.mark.parametrize("n_killed", [1, 2])
def test_killed_workers_change_nothing(n_killed, injury, monkeypatch):
    monkeypatch.setattr(remote_crew, "SLICE_SECONDS", 0.2)
    length = {"n_draws": 2000, "thin": 500, "n_burn_in": 20_000}
    expected = fit_quietly(short(**length), *injury).posterior_
    with cluster_of(2) as client:
        killed = list(client.run(os.getpid).values())[:n_killed]
        killer = threading.Thread(target=kill_while_slices_run, args=(client, killed))
        killer.start()
        with joblib.parallel_config(backend="dask", client=client):
            found = fit_quietly(short(**length), *injury).posterior_
        killer.join()
        assert not set(client.run(os.getpid).values()) & set(killed)
    assert_identical(found, expected)


def kill_while_slices_run(client, pids):
    wait_until(lambda: sum(map(len, client.processing().values())) >= 2)
    time.sleep(0.3)
    known = dict(client.cluster.scheduler_info["workers"])
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: len(known.keys() & client.cluster.scheduler_info["workers"]) < len(known))
    client.cluster.scale(4)


def test_work_that_kills_all_workers_again_and_again_is_given_up(monkeypatch):
    monkeypatch.setattr(elsewhere, "SECONDS_WITHOUT_WORKERS", 60.0)
    with (
        cluster_of(2) as client,
        joblib.parallel_config(backend="dask", client=client),
        Elsewhere(np.zeros(10), n_jobs=-1) as away,
        pytest.raises(ClusterError, match=r"lost 3 times in a row|has no workers"),
    ):
        list(away.each(kill_worker, [0]))


def kill_worker(needed, piece):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_cluster_of_one_core_does_the_work_and_one_of_none_says_so(monkeypatch):
    with (
        cluster_of(1) as client,
        joblib.parallel_config(backend="dask", client=client),
        Elsewhere(3, n_jobs=-1) as away,
    ):
        assert away.n_places == 1
        assert list(away.each(pid_of_worker, [0])) == [(0, *client.run(os.getpid).values())]
        client.cluster.scale(0)
        wait_until(lambda: not client.nthreads())
        monkeypatch.setattr(elsewhere, "SECONDS_WITHOUT_WORKERS", 0.5)
        with pytest.raises(ClusterError, match="The cluster has no workers; start some"):
            away.n_places  # noqa: B018


def pid_of_worker(needed, piece):
    return os.getpid()


# Checkpoints


def test_a_checkpoint_goes_on_at_home_and_away(
    dask,
    injury,
    tmp_path,
    monkeypatch,
    writing_often,
):
    monkeypatch.setattr(remote_crew, "SLICE_SECONDS", 0.005)
    path = tmp_path / "fit.checkpoint"
    expected = fitted_here(short(), *injury)
    monkeypatch.setattr(Checkpoint, "write", cutting_off(4))
    for n_cuts in range(1000):
        fit = fit_quietly if n_cuts % 2 else fit_here
        try:
            found = fit(short(checkpoint=path), *injury).posterior_
        except CutOffError:
            continue
        break
    assert n_cuts >= 2
    assert_identical(found, expected)
    assert not list(tmp_path.iterdir())


def fit_here(model, X, y):
    with joblib.parallel_config(backend="loky"):
        return fit_quietly(model, X, y)


# Ctrl-C

INTERRUPTED = """
    import sys
    import time
    import warnings

    import joblib
    from distributed import Client, LocalCluster

    from sweeptree import BayesianTreeClassifier
    from sweeptree.datasets import make_injury
    from sweeptree.sampling import Crew

    def main():
        X, y = make_injury(200, random_state=0, return_X_y=True)
        note = Crew._note

        def note_and_tell(crew, i, *slice):
            note(crew, i, *slice)
            if i == 0 and crew.statuses[0].n_sampling and crew.n_draws > 10:
                print("sampling", flush=True)
                Crew._note = note

        Crew._note = note_and_tell
        model = BayesianTreeClassifier(
            random_state=0, n_burn_in=1000, thin=1000, n_draws=10**6, checkpoint=sys.argv[1]
        )
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                with joblib.parallel_config(backend="dask"):
                    model.fit(X, y)
            print(time.monotonic(), flush=True)
            print([str(each.message) for each in caught if "interrupted" in str(each.message)])
            print(model.posterior_.stopped_by, model.posterior_.n_draws)
            deadline = time.monotonic() + 10
            while any(client.processing().values()) and time.monotonic() < deadline:
                time.sleep(0.05)
            print(sum(map(len, client.processing().values())))
            print(model.predict_proba(X).shape, flush=True)

    if __name__ == "__main__":
        main()
"""


@pytest.mark.parametrize("press", [os.kill, os.killpg], ids=["client", "workers too"])
def test_ctrl_c_ends_remote_work_and_keeps_what_was_drawn(press, tmp_path):
    """A terminal sends Ctrl-C to all processes, so that the workers of a local cluster end, too."""
    script, checkpoint = tmp_path / "script.py", tmp_path / "fit.checkpoint"
    script.write_text(textwrap.dedent(INTERRUPTED))
    process = subprocess.Popen(
        [sys.executable, script, checkpoint],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    give_up = threading.Timer(200, process.kill)
    give_up.start()
    with process:
        assert process.stdout.readline() == "sampling\n"
        pressed = time.monotonic()
        press(process.pid, signal.SIGINT)
        ended, told, run, n_running, shape = process.stdout.read().splitlines()
    give_up.cancel()
    assert process.returncode == 0
    assert float(ended) - pressed < 10  # without waiting for workers to come back
    stopped_by, n_draws = run.split()
    assert stopped_by == "interrupted"
    assert re.search(rf"{int(n_draws):,} draws of each are kept", told)
    assert "The same fit goes on from the checkpoint" in told
    assert n_running == "0"
    assert shape == "(200, 2)"
    assert checkpoint.exists()


# Many fits


def pid_of(model, X, y):
    return os.getpid()


def test_cross_validation_spreads_whole_fits(dask, injury):
    model = short(n_draws=50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = cross_val_score(model, *injury, scoring="neg_log_loss", cv=4)
        pids = cross_val_score(model, *injury, scoring=pid_of, cv=4)
        with joblib.parallel_config(backend="loky"):
            expected = cross_val_score(model, *injury, scoring="neg_log_loss", cv=4, n_jobs=1)
    assert_array_equal(found, expected)
    assert set(pids) <= set(dask.run(os.getpid).values())


TINY = Scale(Length(200, 50, 2), 2, 1, Length(200, 100, 2))


def test_experiments_find_the_same_on_a_cluster(dask, tmp_path):
    units = [unit for unit in plan_units(["tables", "bias"], TINY) if "Injury" not in unit.name]
    units = units[::15]
    found = run_units(units, Parts(tmp_path / "away", 3), 3, n_jobs=-1)
    with joblib.parallel_config(backend="loky"):
        assert found == run_units(units, Parts(tmp_path / "here", 3), 3, n_jobs=2)
    away, here = (sorted(p.name for p in (tmp_path / d).iterdir()) for d in ("away", "here"))
    assert away == here
    assert len(here) == len(units)


def test_strategies_are_compared_alike_on_a_cluster(dask, monkeypatch):
    from sweeptree.experiments import strategies

    monkeypatch.setattr(strategies, "QUICK", TINY)
    X, y = make_xor3(60, random_state=0, return_X_y=True)
    table = LabelledTable(X, y)
    away = compare_strategies(table, is_quick=True, n_jobs=-1)
    with joblib.parallel_config(backend="loky"):
        here = compare_strategies(table, is_quick=True, n_jobs=2)
    assert [sheet.rows for sheet in away] == [sheet.rows for sheet in here]
