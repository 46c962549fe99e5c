"""Makes the modules beside it, which are no tests, importable from every test directory."""

import math
import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("MPLBACKEND", "agg")  # no windows, also where there is a screen
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def writing_often(monkeypatch):
    """Let checkpoints be written all the time."""
    from sweeptree import logbook

    monkeypatch.setattr(logbook, "SECONDS_BETWEEN_WRITES", 0.002)
    monkeypatch.setattr(logbook, "SHARE_OF_TIME", math.inf)
