"""The soak: it finds what leaks, and nothing does."""

import json
import sys
import threading
import time

import numpy as np
import pytest
from benchmarks.__main__ import main

from benchmarks import soak

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")


def soaked(directory, *options):
    """Run it for as long as the options say; return its table, row by row."""
    main(["run", "soak", "--quick", *options, "-o", str(directory)])
    (table,) = json.loads((directory / "soak.json").read_text())["tables"]
    return {what: verdict for what, *_, verdict in table["rows"]}


@pytest.mark.slow
def test_a_short_soak_leaks_nothing(tmp_path):
    assert soaked(tmp_path, "--minutes", "0.15") == dict.fromkeys(soak.HELD, "steady")


def keep_memory(kept, directory):
    kept.append(np.ones(200_000))


def keep_descriptor(kept, directory):
    kept.append((directory.parent / "empty").open("w"))


def keep_thread(kept, directory):
    is_over = threading.Event()
    threading.Thread(target=is_over.wait, daemon=True).start()
    kept.append(is_over)


def keep_file(kept, directory):
    (directory / str(len(kept))).write_text("left behind")
    kept.append(directory)


def let_go(kept):
    for each in kept:
        if isinstance(each, threading.Event):
            each.set()
        elif hasattr(each, "close"):
            each.close()


LEAKS = {
    "resident memory, MB": keep_memory,
    "open descriptors": keep_descriptor,
    "threads": keep_thread,
    "temporary files": keep_file,
}


@pytest.mark.parametrize("what", LEAKS)
def test_a_leak_is_told(what, tmp_path, monkeypatch):
    kept = []

    def work(rng, directory):
        LEAKS[what](kept, directory)
        time.sleep(0.005)

    monkeypatch.setattr(soak, "work", work)
    monkeypatch.setattr(soak.tempfile, "tempdir", str(tmp_path))
    with pytest.raises(SystemExit, match=f"benchmarks: The process leaks: {what}; see the table"):
        soaked(tmp_path, "--minutes", "0.01")
    let_go(kept)


def test_memory_that_rises_once_is_no_leak():
    assert not soak.leaks("megabytes", [100.0, 150.0, 151.0])
    assert not soak.leaks("megabytes", [100.0, 101.0, 150.0])
    assert soak.leaks("megabytes", [100.0, 105.0, 110.0])


def test_too_short_a_soak_says_so(tmp_path):
    with pytest.raises(
        SystemExit, match="It read 1 times, too few to judge by; give more --minutes"
    ):
        soaked(tmp_path, "--minutes", "0.0001")
