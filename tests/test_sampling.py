import os
import re
import signal
import statistics
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from sweeptree.datasets import make_xor3
from sweeptree.encoding import encode
from sweeptree.engines import ChainFactory
from sweeptree.sampling import run_chains, spawn_bit_generators
from sweeptree.settings import Schedule, StrategySettings, TargetSettings

on_posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and terminals")


def start_python(code, **pipes):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdin=subprocess.DEVNULL,
        env=os.environ | {"TERM": "xterm-256color"},  # a dumb terminal cannot show bars
        **pipes,
    )


# Interruption

INTERRUPTED = """
    import threading
    import time

    from sweeptree import BayesianTreeClassifier
    from sweeptree.datasets import make_xor3

    def tell_when_chains_run(n_running):
        while sum(t.name.startswith("sweeptree") for t in threading.enumerate()) < n_running:
            time.sleep(0.01)
        print("running", flush=True)

    X, y = make_xor3(1000, random_state=0, return_X_y=True)
    for engine, n_jobs in [("kernel", 1), ("kernel", 2), ("kernel", 4), ("reference", 2)] * 2:
        watcher = threading.Thread(target=tell_when_chains_run, args=[n_jobs])
        watcher.start()
        try:
            BayesianTreeClassifier(thin=10**7, engine=engine, n_jobs=n_jobs).fit(X, y)
        except KeyboardInterrupt:
            print(time.monotonic(), threading.active_count(), flush=True)
"""
N_INTERRUPTIONS = 8


@on_posix
def test_interrupt_stops_the_chains_at_once_and_leaves_no_thread():
    process = start_python(INTERRUPTED, stdout=subprocess.PIPE, text=True)
    give_up = threading.Timer(60, process.kill)  # rather than wait for chains that do not stop
    give_up.start()
    delays = []
    with process:
        try:
            for _ in range(N_INTERRUPTIONS):
                assert process.stdout.readline() == "running\n"
                time.sleep(0.2)
                start = time.monotonic()
                process.send_signal(signal.SIGINT)
                end, n_threads = process.stdout.readline().split()
                delays.append(float(end) - start)
                assert n_threads == "1"
        finally:
            give_up.cancel()
            process.kill()
    assert statistics.median(delays) < 0.2
    assert max(delays) < 1.0  # the machine may be busy with something else


# Errors


@pytest.fixture
def factory_of():
    X, y = make_xor3(100, random_state=0, return_X_y=True)
    table = encode(X, y.astype(np.int32), 2)
    target = TargetSettings("uniform", 0.95, 1.0, 0.95, "continuous", "marginal", (1.0, 1.0), 3, 33)

    def make(engine, **changed):
        strategy = {
            "p_move": (0.1, 0.1, 0.1, 0.7, 0.0, 0.0, 0.0, 0.0),
            "redraws": True,
            "sweeps": True,
            "changes_variable": True,
            "rule_draw": "gaussian",
            "tunes": True,
            "rule_scale": (0.1, 0.1, 0.1),
            "restrict_leaves": 10,
            "restrict_moves": 0,
            "anneal_moves": 0,
        }
        return ChainFactory(engine, table, target, StrategySettings(**{**strategy, **changed}))

    return make


def run_for(n_moves, factory, bit_generators):
    return run_chains(
        factory,
        bit_generators,
        Schedule(n_burn_in=n_moves, n_draws=1, thin=1),
        n_threads=len(bit_generators),
        keeps_full_trace=False,
        shows_progress=False,
    )


@pytest.mark.parametrize(("engine", "n_moves"), [("kernel", 10**8), ("reference", 10**6)])
def test_error_in_one_chain_stops_the_others_and_is_raised(engine, n_moves, factory_of):
    no_generator = object()
    generators = [np.random.PCG64(0), np.random.PCG64(1), no_generator]
    start = time.perf_counter()
    with pytest.raises(AttributeError):
        run_for(n_moves, factory_of(engine), generators)
    assert time.perf_counter() - start < 2.0
    assert not [t for t in threading.enumerate() if t.name.startswith("sweeptree")]


def test_error_while_a_chain_runs_is_raised(factory_of):
    one_scale_too_few = factory_of("reference", rule_scale=(0.1, 0.1))
    with pytest.raises(IndexError):
        run_for(1000, one_scale_too_few, [np.random.PCG64(0), np.random.PCG64(1)])


# Seeds


def test_streams_do_not_depend_on_how_many_there_are():
    few = spawn_bit_generators(np.random.RandomState(0), 2)
    many = spawn_bit_generators(np.random.RandomState(0), 6)
    first_numbers = [g.random_raw() for g in many]
    assert [g.random_raw() for g in few] == first_numbers[:2]
    assert len(set(first_numbers)) == 6


# Progress

BETWEEN = "<between>"
TWO_FITS = """
    import sys
    import warnings

    from sweeptree import BayesianTreeClassifier
    from sweeptree.datasets import make_xor3

    warnings.simplefilter("ignore")
    X, y = make_xor3(300, random_state=0, return_X_y=True)
    for progress in ({first!r}, {second!r}):
        BayesianTreeClassifier(progress=progress, random_state=0, n_chains=2).fit(X, y)
        print("<between>", file=sys.stderr, flush=True)
"""


def read_until_closed(terminal):
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode()


def output_in_terminal(code):
    """Standard output, and what a terminal on standard error gets, without control sequences."""
    import pty

    terminal, their_end = pty.openpty()
    with start_python(code, stdout=subprocess.PIPE, stderr=their_end, text=True) as process:
        os.close(their_end)
        shown = read_until_closed(terminal)
        printed = process.stdout.read()
    os.close(terminal)
    assert process.returncode == 0, shown
    return printed, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


def output_in_pipes(code):
    with start_python(code, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        return process.communicate()


def assert_shows_bars(shown):
    for words in ("chain 1", "chain 2", "sampling", "leaves, log posterior", "M moves/s", "100%"):
        assert words in shown
    assert "chain 3" not in shown


@on_posix
def test_terminal_shows_a_bar_per_chain_unless_told_not_to():
    printed, shown = output_in_terminal(TWO_FITS.format(first="auto", second=False))
    with_bars, without_bars, rest = shown.split(BETWEEN)
    assert_shows_bars(with_bars)
    assert without_bars.strip() == rest.strip() == ""
    assert printed == ""


def test_pipe_shows_no_bars_unless_told_to():
    printed, shown = output_in_pipes(TWO_FITS.format(first="auto", second=True))
    without_bars, with_bars, _ = shown.split(BETWEEN)
    assert without_bars == ""
    assert_shows_bars(with_bars)
    assert printed == ""
