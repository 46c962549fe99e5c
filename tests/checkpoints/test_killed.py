"""Processes that are killed leave checkpoints from which a fit goes on to the same draws."""

import os
import subprocess
import sys
import textwrap

import pytest

on_posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and permissions")


KILLING = """
    import os
    import random
    import signal
    import time

    def is_killed_while(work, most_seconds=None):
        # Whether the process that does the work had to be killed; it may have ended before.
        process = os.fork()
        if process == 0:
            work()
            os._exit(0)
        if most_seconds is not None:
            time.sleep(random.uniform(0.0, most_seconds))
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        assert os.WIFSIGNALED(status) or status == 0, status
        return os.WIFSIGNALED(status)
"""

KILLED_FITS = """
    import hashlib
    import math
    import sys
    import warnings
    from dataclasses import asdict
    from pathlib import Path

    import numpy as np

    from sweeptree import BayesianTreeClassifier, logbook
    from sweeptree.datasets import make_injury

    def digest(posterior):
        numbers = hashlib.sha256()
        parts = asdict(posterior)
        for name, value in [*parts.pop("trees").items(), *parts.items()]:
            is_array = isinstance(value, np.ndarray)
            numbers.update(value.tobytes() if is_array else f"{name} {value!r}".encode())
        return numbers.hexdigest()

    def fit(**parameters):
        model = BayesianTreeClassifier(
            n_burn_in=50_000, thin=20, max_moves=500_000, max_seconds=None, random_state=0,
            **parameters,
        )
        return digest(model.fit(X, y).posterior_)

    def fit_from_checkpoint():
        found.write_text(fit(checkpoint=path, n_jobs=1 + n_killed % 4))

    path, found = Path(sys.argv[1]), Path(sys.argv[2])
    warnings.simplefilter("ignore")
    logbook.SECONDS_BETWEEN_WRITES, logbook.SHARE_OF_TIME = 0.05, math.inf
    X, y = make_injury(200, random_state=0, return_X_y=True)
    n_killed, digests = 0, []
    while n_killed < 20 or not digests:
        if is_killed_while(fit_from_checkpoint, 0.2 if n_killed < 20 else None):
            n_killed += 1
        else:
            digests.append(found.read_text())
            assert not path.exists()
    print(set(digests) == {fit()})
"""


def output_of(code, *arguments):
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


@on_posix
@pytest.mark.slow
def test_fit_that_is_killed_twenty_times_ends_with_the_same_draws(path, tmp_path):
    assert output_of(KILLING + KILLED_FITS, path, tmp_path / "found") == "True"


KILLED_WRITES = """
    import itertools
    import sys
    from pathlib import Path

    import numpy as np

    from sweeptree.checkpoint import Checkpoint

    def write_without_end():
        for n in itertools.count():
            checkpoint.write({"n": n, "numbers": [np.full(50_000, n), np.full(20_000, n)]})

    path = Path(sys.argv[1])
    checkpoint = Checkpoint(path, {})
    checkpoint.write({"n": -1, "numbers": []})
    n_cut_off = 0
    for _ in range(100):
        assert is_killed_while(write_without_end, 0.1)
        n_cut_off += len(list(path.parent.iterdir())) > 1
        state = checkpoint.read()
        assert all((numbers == state["n"]).all() for numbers in state["numbers"])
        assert list(path.parent.iterdir()) == [path]
    print(n_cut_off)
"""


@on_posix
@pytest.mark.slow
def test_checkpoint_is_whole_whenever_its_writer_is_killed(path):
    assert int(output_of(KILLING + KILLED_WRITES, path)) > 10, "hardly a write was cut off"
