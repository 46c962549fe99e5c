"""`--scheduler`: the same from a Dask cluster that is running, or one sentence if it fails."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
from distributed import Client

import sweeptree
from comparing import assert_same_posterior
from sweeptree import cli
from sweeptree.cli import cluster

SHORT = ["--n-draws", "30", "--n-burn-in", "500", "--thin", "2", "--random-state", "0", "--quiet"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    assert cli.main(["datasets", "export", "votes", "-o", str(path), "--quiet"]) == 0
    return path


def arguments(table, *options):
    return ["fit", str(table), "--target", target_of(table), *SHORT, *options]


def target_of(table):
    return table.read_text().splitlines()[0].split(",")[-1]


# Without a cluster


def test_dask_that_is_not_installed_is_named(table, fails, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = fails([*arguments(table), "--scheduler", "tcp://127.0.0.1:1"], 1)
    assert said == (
        'sweeptree: --scheduler needs dask; install it with: pip install "sweeptree[dask]"\n'
    )


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "127.0.0.1", "somewhere://x", "tcp://a:b"]
)
def test_no_scheduler_is_told_in_one_sentence(address, table, fails, monkeypatch):
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 0.5)
    said = fails([*arguments(table), "--scheduler", address], 1)
    assert said.startswith(f"sweeptree: There is no Dask scheduler at {address}; start one with")
    assert not list(table.parent.glob("*.sweeptree"))


# With one


def start(command, *options, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{command}", *map(str, options)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | environment,
    )


def end(process):
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def start_scheduler(directory):
    """Start a scheduler without workers; return its process and its address."""
    file = directory / "scheduler.json"
    process = start(
        "scheduler",
        *("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file),
    )
    wait_until(lambda: file.exists() and file.read_text())
    return process, json.loads(file.read_text())["address"]


def wait_until(is_so):
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    process, address = start_scheduler(tmp_path_factory.mktemp("scheduler"))
    yield address
    end(process)


@pytest.fixture
def start_workers(scheduler, monkeypatch):
    """A function that starts workers, which end with the test."""
    monkeypatch.setattr(cluster, "SECONDS_TO_FIND_WORKERS", 60.0)
    processes = []

    def start_some(n_workers, **environment):
        options = (scheduler, "--nthreads", 1, "--no-dashboard", "--no-nanny")
        processes.extend(start("worker", *options, **environment) for _ in range(n_workers))

    yield start_some
    for process in processes:
        end(process)
    wait_for_workers(scheduler, 0)


def wait_for_workers(scheduler, n_workers):
    with Client(scheduler, set_as_default=False) as client:
        wait_until(lambda: len(client.nthreads()) == n_workers)


@pytest.mark.slow
def test_a_cluster_makes_the_same_model(table, tmp_path, scheduler, start_workers):
    start_workers(2)
    wait_for_workers(scheduler, 2)
    here, away = tmp_path / "here.sweeptree", tmp_path / "away.sweeptree"
    assert cli.main([*arguments(table), "-o", str(here)]) == 0
    assert cli.main([*arguments(table), "-o", str(away), "--scheduler", scheduler]) == 0
    assert_same_posterior(*(sweeptree.load(path).posterior_ for path in (here, away)))


@pytest.mark.slow
def test_a_cluster_compares_alike(table, scheduler, start_workers, capsys, monkeypatch):
    from sweeptree.experiments import strategies
    from sweeptree.experiments.fitting import Length
    from sweeptree.experiments.plan import Scale

    tiny = Length(100, 20, 2)
    monkeypatch.setattr(strategies, "QUICK", Scale(tiny, 1, 1, tiny))
    start_workers(2)
    call = ["compare", str(table), "--target", target_of(table), "--quick", "--json", "--quiet"]
    found = []
    for options in ([], ["--scheduler", scheduler]):
        assert cli.main([*call, *options]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_cluster_without_workers_is_told(table, scheduler, fails, monkeypatch):
    monkeypatch.setattr(cluster, "SECONDS_TO_FIND_WORKERS", 0.5)
    said = fails([*arguments(table), "--scheduler", scheduler], 1)
    assert said == (
        f"sweeptree: The Dask cluster at {scheduler} has no workers; start some with `dask worker "
        f"{scheduler}`.\n"
    )


@pytest.mark.slow
def test_workers_with_another_version_are_named(table, scheduler, start_workers, tmp_path, fails):
    metadata = tmp_path / "packages" / "sweeptree-9.9.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text("Metadata-Version: 2.1\nName: sweeptree\nVersion: 9.9\n")
    start_workers(1, PYTHONPATH=str(metadata.parents[1]))
    said = fails([*arguments(table), "--scheduler", scheduler], 1)
    assert said.startswith("sweeptree: The Dask worker tcp://127.0.0.1:")
    assert f" has sweeptree 9.9 and this process {version('sweeptree')}; install the same" in said


@pytest.mark.slow
def test_workers_without_sweeptree_are_named(table, scheduler, start_workers, tmp_path, fails):
    start_workers(1, PYTHONPATH=str(packages_without_sweeptree(tmp_path)), PYTHONNOUSERSITE="1")
    said = fails([*arguments(table), "--scheduler", scheduler], 1)
    assert f" does not have sweeptree; install sweeptree {version('sweeptree')} on every" in said


@pytest.mark.slow
def test_a_scheduler_that_is_lost_is_told(table, tmp_path, fails):
    process, address = start_scheduler(tmp_path)
    worker = start("worker", address, "--nthreads", 1, "--no-dashboard", "--no-nanny")
    wait_for_workers(address, 1)
    killer = threading.Thread(target=kill_while_work_goes_on, args=(process, address))
    killer.start()
    call = arguments(table, "--scheduler", address, "--thin", "100000", "--n-draws", "10000")
    said = fails(call, 1)
    assert re.match(  # which of the two is noticed first is a matter of luck
        "sweeptree: The (connection to the cluster's scheduler is lost|cluster has no workers); ",
        said,
    )
    killer.join()
    end(worker)


def kill_while_work_goes_on(process, address):
    client = Client(address, set_as_default=False)
    wait_until(lambda: any(client.processing().values()))
    process.kill()
    process.wait()
    client.close(timeout=1)


def packages_without_sweeptree(directory):
    """A place from which Python starts that hides this package, as if it were not installed."""
    own = str(distribution("sweeptree")._path)
    (Path(directory) / "sitecustomize.py").write_text(
        "import importlib.metadata as metadata\n"
        "find = metadata.Distribution.discover.__func__\n"
        "@classmethod\n"
        "def discover(cls, **settings):\n"
        "    return (d for d in find(cls, **settings) if str(d._path) != " + repr(own) + ")\n"
        "metadata.Distribution.discover = discover\n"
        "import sys\n"
        "sys.modules['sweeptree'] = None\n"
    )
    return directory
