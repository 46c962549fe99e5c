"""Makes the modules beside it, which are no tests, importable from every test directory."""

import os
import sys
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "agg")  # no windows, also where there is a screen
sys.path.insert(0, str(Path(__file__).parent))
