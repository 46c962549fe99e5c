"""Check what would be released: build it, install it, test what is installed.

Builds the source distribution and, from it, the wheel; checks their metadata; then, for each Python
that is there, installs the wheel into an environment of its own, runs the tests from outside the
source tree, and type-checks a small program that uses the package. The source distribution is
installed and tried as well, on the first Python.

    python tools/release_check.py [--pythons 3.11 3.12 3.13] [--all-tests]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13")
NEEDED_BY_TESTS = ("tests", "examples", "docs", "benchmarks", "README.md", "pyproject.toml")
CLIENT = """\
import numpy as np
from sweeptree import BayesianTreeClassifier, load
from sweeptree.datasets import load_wisconsin

X, y = load_wisconsin(return_X_y=True)
model: BayesianTreeClassifier = BayesianTreeClassifier(n_draws=20, n_burn_in=2000, random_state=0)
model.fit(X, y)
probabilities: np.ndarray = model.predict_proba(X)
model.save("model.sweeptree")
assert np.array_equal(load("model.sweeptree").predict_proba(X), probabilities)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pythons", nargs="+", default=PYTHONS, metavar="VERSION")
    parser.add_argument("--all-tests", action="store_true", help="the slow tests, too")
    arguments = parser.parse_args()
    pythons = [version for version in arguments.pythons if shutil.which(f"python{version}")]
    missing = sorted(set(arguments.pythons) - set(pythons))
    with tempfile.TemporaryDirectory(prefix="sweeptree-release-") as directory:
        work = Path(directory)
        sdist, wheels = build(work, pythons)
        check_source_distribution(work, sdist, pythons[0])
        for version in pythons:
            check_wheel(work, wheels[version], version, all_tests=arguments.all_tests)
    say(f"The release holds on Python {', '.join(pythons)}.")
    if missing:
        sys.exit(f"Not checked, because it is not installed: Python {', '.join(missing)}.")


def build(work: Path, pythons: list[str]) -> tuple[Path, dict[str, Path]]:
    """Build the source distribution and a wheel for each Python; check their metadata."""
    say("Building")
    tools = Environment(work / "tools", sys.executable)
    tools.install("build", "twine")
    dist = work / "dist"
    tools.run("-m", "build", "--sdist", "--outdir", str(dist), str(ROOT))
    (sdist,) = dist.glob("*.tar.gz")
    wheels = {}
    for version in pythons:
        place = dist / version
        environment = Environment(work / f"build-{version}", f"python{version}")
        environment.run("-m", "pip", "wheel", "-q", "--no-deps", "-w", str(place), str(sdist))
        (wheels[version],) = place.glob("*.whl")
    tools.run("-m", "twine", "check", "--strict", str(sdist), *map(str, wheels.values()))
    return sdist, wheels


def check_source_distribution(work: Path, sdist: Path, version: str) -> None:
    say(f"The source distribution on Python {version}")
    environment = Environment(work / "sdist", f"python{version}")
    environment.install(str(sdist))
    environment.run("-c", CLIENT, cwd=work)


def check_wheel(work: Path, wheel: Path, version: str, *, all_tests: bool) -> None:
    """Install the wheel, and use it from a directory that has tests and no source."""
    say(f"The wheel on Python {version}")
    environment = Environment(work / f"wheel-{version}", f"python{version}")
    environment.install(f"{wheel}[dev]")
    outside = work / f"outside-{version}"
    outside.mkdir()
    for name in NEEDED_BY_TESTS:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, outside / name)
    (outside / "client.py").write_text(CLIENT)
    environment.run("client.py", cwd=outside)
    environment.run("-m", "mypy", "--strict", "client.py", "--config-file=", cwd=outside)
    marked = () if all_tests else ("-m", "not slow")
    environment.run("-m", "pytest", "-q", "-n", "2", *marked, cwd=outside)


class Environment:
    """A virtual environment with an interpreter of its own."""

    def __init__(self, place: Path, python: str) -> None:
        if python == sys.executable:
            venv.create(place, with_pip=True)
        else:
            subprocess.run([python, "-m", "venv", str(place)], check=True)
        self._python = place / "bin" / "python"

    def install(self, *packages: str) -> None:
        self.run("-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)

    def run(self, *arguments: str, cwd: Path | None = None) -> None:
        done = subprocess.run([str(self._python), *arguments], cwd=cwd, check=False)
        if done.returncode:
            sys.exit(f"Failed: {' '.join(arguments)}")


def say(what: str) -> None:
    print(f"== {what}", flush=True)


if __name__ == "__main__":
    main()
