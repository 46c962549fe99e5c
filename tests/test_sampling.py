import os
import re
import signal
import statistics
import subprocess
import sys
import textwrap
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from sweeptree.datasets import make_xor3
from sweeptree.encoding import encode
from sweeptree.engines import ChainFactory
from sweeptree.progress import ProgressDisplay
from sweeptree.sampling import spawn_bit_generators
from sweeptree.settings import StrategySettings, TargetSettings
from sweeptree.thread_crew import ThreadCrew

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
    open_length = {"thin": 10**7, "max_moves": None, "max_seconds": None}
    fixed_length = {"thin": 10**7, "n_draws": 1000}
    for length in (open_length, fixed_length):
        for engine, n_jobs in [("kernel", 1), ("kernel", 2), ("kernel", 4), ("reference", 2)]:
            watcher = threading.Thread(target=tell_when_chains_run, args=[n_jobs])
            watcher.start()
            try:
                BayesianTreeClassifier(engine=engine, n_jobs=n_jobs, **length).fit(X, y)
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
    target = TargetSettings(
        tree_prior="uniform",
        leaf_penalty=0.0,
        gamma=0.95,
        delta=1.0,
        split_chance=0.95,
        rule_prior="continuous",
        likelihood="marginal",
        alphas=((1.0, 1.0),),
        min_samples_leaf=3,
        max_leaves=33,
    )

    def make(engine, **changed):
        strategy = {
            "p_move": (0.1, 0.1, 0.1, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
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


class FailingChain:
    def run(self, n, is_burn_in, thin, seconds):
        raise ZeroDivisionError


def make_chains(factory, n_chains):
    return [factory.make(np.random.PCG64(i)) for i in range(n_chains)]


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_error_in_one_chain_stops_the_others_and_is_raised(engine, factory_of):
    chains = [*make_chains(factory_of(engine), 2), FailingChain()]
    start = time.perf_counter()
    with pytest.raises(ZeroDivisionError), ThreadCrew(chains, n_threads=3, thin=1) as crew:
        crew.burn_in(10**9)
    assert time.perf_counter() - start < 2.0
    assert not [t for t in threading.enumerate() if t.name.startswith("sweeptree")]


def test_error_while_a_chain_runs_is_raised(factory_of):
    one_scale_too_few = factory_of("reference", rule_scale=(0.1, 0.1))
    chains = make_chains(one_scale_too_few, 2)
    with pytest.raises(IndexError), ThreadCrew(chains, n_threads=2, thin=1) as crew:
        crew.burn_in(1000)


# Taking turns


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_chains_come_equally_far_before_the_deadline(n_threads, factory_of):
    with ThreadCrew(make_chains(factory_of("kernel"), 3), n_threads, thin=10) as crew:
        assert not crew.sample(10**9, deadline=time.monotonic() + 0.5)
        n_moves = [status.n_sampling for status in crew.statuses]
        assert crew.n_draws == min(n_moves) // 10 > 0
        assert min(n_moves) > 0.3 * max(n_moves)
        for chain, n in zip(crew.chains, n_moves, strict=True):
            assert len(chain.draws["tree"]) == n // 10


def test_chains_stop_where_they_are_told_to(factory_of):
    with ThreadCrew(make_chains(factory_of("kernel"), 3), n_threads=2, thin=10) as crew:
        assert crew.burn_in(1234)
        assert crew.sample(50)
        assert crew.sample(70)
        assert (crew.n_burn_in, crew.n_draws) == (1234, 70)
        crew.halve_draws()
        assert (crew.thin, crew.n_draws) == (20, 35)
        assert crew.sample(36)
        for chain, status in zip(crew.chains, crew.statuses, strict=True):
            assert status.n_moves == 1234 + 720
            assert len(chain.draws["tree"]) == 36


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
    assert re.search(r"R-hat [\d.]+ leaves, [\d.]+ log posterior · ESS \d+ · spread", shown)
    assert "chain 3" not in shown


def test_chain_without_a_second_behind_it_has_no_speed(capsys):
    status = SimpleNamespace(n_moves=5, n_sampling=0, seconds=0.0, n_leaves=1, log_posterior=-1.0)
    with ProgressDisplay([status], is_shown=True) as display:
        display.update()
    shown = capsys.readouterr().err
    assert "burn-in" in shown
    assert "moves/s" not in shown


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
