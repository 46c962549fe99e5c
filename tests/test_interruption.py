"""Ctrl-C in a fit: what was drawn is kept, and the second press ends at once."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from cut_off_fits import assert_identical
from sweeptree import BayesianTreeClassifier
from sweeptree.checkpoint import Checkpoint
from sweeptree.datasets import make_injury
from sweeptree.interruption import BreakOff, Interruption
from sweeptree.stopping import Judge

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

PRELUDE = """
    import sys
    import threading
    import time
    import warnings

    from sweeptree import BayesianTreeClassifier, stopping
    from sweeptree.datasets import make_injury
    from sweeptree.sampling import Crew

    def tell_once_sampling(n_moves):
        start = Crew.__enter__

        def watch(crew):
            while min(status.n_sampling for status in crew.statuses) < n_moves:
                time.sleep(0.01)
            print("sampling", flush=True)

        def start_watched(crew):
            threading.Thread(target=watch, args=[crew]).start()
            return start(crew)

        Crew.__enter__ = start_watched

    X, y = make_injury(200, random_state=0, return_X_y=True)
    checkpoint = sys.argv[1] or None
"""


def start_python(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PRELUDE) + textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )


def interrupted(code, *arguments, n_presses=1):
    """What a process prints when it is interrupted where it says so, and how long that took."""
    process = start_python(code, *map(str, arguments))
    give_up = threading.Timer(100, process.kill)
    give_up.start()
    with process:
        for _ in range(n_presses):
            assert process.stdout.readline().strip() in ("sampling", "burning in", "pooling")
            pressed_at = time.monotonic()
            process.send_signal(signal.SIGINT)
        *lines, ended_at = process.stdout.read().splitlines()
    give_up.cancel()
    return lines, float(ended_at) - pressed_at


FIT = """
    tell_once_sampling(100_000)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = BayesianTreeClassifier(
            random_state=0, thin=100, n_burn_in=20_000, checkpoint=checkpoint, {length},
        ).fit(X, y)
    print([(warning.category.__name__, str(warning.message)) for warning in caught])
    posterior = model.posterior_
    print(posterior.stopped_by, posterior.n_draws, posterior.n_moves)
    print(model.predict_proba(X).shape, posterior.n_leaves.shape, threading.active_count())
    if posterior.full_trace:
        print(posterior.full_trace.n_leaves.shape)
    print(time.monotonic())
"""
OPEN = "n_draws='auto', max_moves=None, max_seconds=None"


def test_interrupted_fit_keeps_what_was_drawn():
    lines, seconds = interrupted(FIT.format(length=OPEN), "")
    told, run, shapes = lines
    assert told.startswith("[('ConvergenceWarning', 'The chains have not converged: ")
    stopped_by, n_draws, n_moves = run.split()
    assert stopped_by == "interrupted"
    assert f"The fit was interrupted after {int(n_moves):,} moves of each chain; " in told
    assert f"; {int(n_draws):,} draws of each are kept. Let it run longer" in told
    assert "checkpoint" not in told
    assert shapes == f"(200, 2) (4, {n_draws}) 1"
    assert seconds < 2.0


@pytest.mark.slow
def test_interrupted_fit_of_given_length_keeps_the_draws_that_all_chains_have():
    length = "n_draws=10**6, trace='full', n_jobs=1"
    (_, run, shapes, full), _ = interrupted(FIT.format(length=length), "")
    stopped_by, n_draws, n_moves = run.split()
    assert stopped_by == "interrupted"
    assert int(n_moves) == 20_000 + 100 * int(n_draws)
    assert int(n_draws) >= 1000
    assert shapes == f"(200, 2) (4, {n_draws}) 1"
    assert full == f"(4, {n_moves})"


@pytest.mark.slow
def test_interrupted_fit_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "fit.checkpoint"
    (told, *_), _ = interrupted(FIT.format(length=OPEN), path)
    assert f"The same fit goes on from the checkpoint {str(path)!r}." in told.replace("\\'", "'")
    assert path.exists()
    X, y = make_injury(200, random_state=0, return_X_y=True)
    lengths = {"thin": 100, "n_burn_in": 20_000, "max_moves": 400_000, "max_seconds": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        expected = BayesianTreeClassifier(random_state=0, **lengths).fit(X, y).posterior_
        model = BayesianTreeClassifier(random_state=0, checkpoint=path, **lengths)
        assert_identical(model.fit(X, y).posterior_, expected)
    assert not path.exists()


BURN_IN = """
    threading.Timer(0.5, print, ["burning in"], {"flush": True}).start()
    try:
        BayesianTreeClassifier(
            n_burn_in=10**9, max_moves=None, max_seconds=None, checkpoint=checkpoint
        ).fit(X, y)
    except KeyboardInterrupt as interrupt:
        print(interrupt)
    print(time.monotonic())
"""


@pytest.mark.slow
def test_interrupted_burn_in_keeps_nothing_but_the_checkpoint(tmp_path):
    path = tmp_path / "fit.checkpoint"
    (said,), seconds = interrupted(BURN_IN, path)
    assert said == f"The same fit goes on from the checkpoint {str(path)!r}."
    assert path.exists()
    assert seconds < 2.0


POOLING = """
    def pool_for_ever(*arguments):
        print("pooling", flush=True)
        time.sleep(60)

    tell_once_sampling(1000)
    stopping.pool_draws = pool_for_ever
    try:
        BayesianTreeClassifier(thin=100, n_draws=10**6, n_burn_in=100).fit(X, y)
    except KeyboardInterrupt:
        print("ended")
    print(time.monotonic())
"""


@pytest.mark.slow
def test_second_press_ends_at_once():
    lines, seconds = interrupted(POOLING, "", n_presses=2)
    assert lines == ["ended"]
    assert seconds < 1.0


# The handler


@pytest.fixture
def ctrl_c_as_ever():
    """Other tests may have left a handler behind."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_first_press_is_noted_and_the_second_is_raised(ctrl_c_as_ever):
    with Interruption() as interruption:
        signal.raise_signal(signal.SIGINT)
        assert interruption.is_wanted
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_press_breaks_off_what_is_waited_for(ctrl_c_as_ever):
    with Interruption() as interruption:
        with pytest.raises(BreakOff), interruption.breaking_off():
            signal.raise_signal(signal.SIGINT)
        assert interruption.is_wanted


def test_nothing_is_waited_for_after_a_press(ctrl_c_as_ever):
    with Interruption() as interruption:
        with interruption.breaking_off():
            pass
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(BreakOff), interruption.breaking_off():
            pytest.fail("there is no telling whether what is waited for will come")


def test_handler_of_the_program_stays(ctrl_c_as_ever):
    def own(number, frame):
        raise ZeroDivisionError

    signal.signal(signal.SIGINT, own)
    with Interruption(), pytest.raises(ZeroDivisionError):
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is own


@pytest.mark.filterwarnings("ignore:The chains have not converged")
def test_fit_works_outside_the_main_thread():
    X, y = make_injury(100, random_state=0, return_X_y=True)
    model = BayesianTreeClassifier(n_draws=4, n_burn_in=10, thin=1, n_chains=1)
    thread = threading.Thread(target=model.fit, args=(X, y))
    thread.start()
    thread.join()
    assert model.posterior_.n_draws == 4


def test_press_while_chains_are_judged_is_written_down_with_the_next_round(tmp_path, monkeypatch):
    judge, looks, write, written = Judge.judge, [], Checkpoint.write, []

    def press_at_the_third_look(self, look):
        looks.append(look)
        if len(looks) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return judge(self, look)

    def write_and_note(self, state):
        written.append(state)
        write(self, state)

    monkeypatch.setattr(Judge, "judge", press_at_the_third_look)
    monkeypatch.setattr(Checkpoint, "write", write_and_note)
    path = tmp_path / "fit.checkpoint"
    model = BayesianTreeClassifier(
        random_state=0, checkpoint=path, thin=10, n_burn_in=1000, max_moves=50_000
    )
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        posterior = model.fit(*make_injury(200, random_state=0, return_X_y=True)).posterior_
    assert posterior.stopped_by == "interrupted"
    for status in written[-1]["crew"]["statuses"]:
        assert status["n_burn_in"] + status["n_sampling"] == posterior.n_moves
