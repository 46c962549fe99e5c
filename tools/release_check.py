"""Check what would be released: build it, install it, test what is installed.

Builds the source distribution and, from it, a wheel for each Python that is there; checks their
metadata and contents; installs each into an environment of its own. With the wheels, the tests run
from outside the source tree, and a small program that uses the package is type-checked.

    python tools/release_check.py [--pythons 3.11 3.12 3.13] [--all-tests] [--keep DIRECTORY]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11", "3.12", "3.13")
ABOUT_THE_SOURCE = ("docs", "benchmarks", "test_examples.py")
"""Tests of what a user does not install."""
CLIENT = """\
import numpy as np
import numpy.typing as npt
from sweeptree import BayesianTreeClassifier, load
from sweeptree._kernel import places_by_class
from sweeptree.datasets import load_wisconsin

X, y = load_wisconsin(return_X_y=True)
model: BayesianTreeClassifier = BayesianTreeClassifier(n_draws=20, n_burn_in=2000, random_state=0)
model.fit(X, y)
probabilities: npt.NDArray[np.float64] = model.predict_proba(X)
model.save("model.sweeptree")
assert np.array_equal(load("model.sweeptree").predict_proba(X), probabilities)
places: npt.NDArray[np.uint32] = places_by_class(np.array([1, 0, 1], dtype=np.int32), 2)
"""
MISUSE = """\
from sweeptree import BayesianTreeClassifier, load
from sweeptree._kernel import places_by_class

BayesianTreeClassifier(n_draws=[100])
load(5)
places_by_class("labels", 2)
"""
ONLY_WHAT_IS_INSTALLED = """\
import sysconfig
from pathlib import Path

import sweeptree
from sweeptree import _kernel

for module in (sweeptree, _kernel):
    assert Path(module.__file__).is_relative_to(sysconfig.get_path("platlib")), module.__file__
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pythons", nargs="+", default=PYTHONS, metavar="VERSION")
    parser.add_argument("--all-tests", action="store_true", help="the slow tests, too")
    parser.add_argument("--keep", metavar="DIRECTORY", help="a new directory to leave it all in")
    arguments = parser.parse_args()
    pythons = [version for version in arguments.pythons if interpreter(version)]
    if not pythons:
        sys.exit(f"None of these is installed: Python {', '.join(arguments.pythons)}.")
    with place_to_work(arguments.keep) as work:
        sdist, wheels = build(work, pythons)
        check_contents(sdist, wheels)
        check_source_distribution(work, sdist, pythons[0])
        for version in pythons:
            check_wheel(work, wheels[version], version, all_tests=arguments.all_tests)
    say(f"The release holds on Python {', '.join(pythons)}.")
    missing = [version for version in arguments.pythons if version not in pythons]
    if missing:
        sys.exit(f"Not checked, because it is not installed: Python {', '.join(missing)}.")


def interpreter(version: str) -> str | None:
    """Return a Python of that version that runs, on the path or kept by pyenv; or None.

    A launcher of that name, as pyenv puts on the path, may have none to launch.
    """
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [f"python{version}", *map(str, kept.glob(f"{version}.*/bin/python"))]
    for candidate in candidates:
        if shutil.which(candidate) and call(candidate, "-V", is_silent=True).returncode == 0:
            return candidate
    return None


@contextmanager
def place_to_work(kept: str | None) -> Iterator[Path]:
    if kept:
        Path(kept).mkdir(parents=True)
        yield Path(kept).resolve()
    else:
        with tempfile.TemporaryDirectory(prefix="sweeptree-release-") as directory:
            yield Path(directory)


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
        environment = Environment(work / f"build-{version}", interpreter(version))
        environment.run("-m", "pip", "wheel", "-q", "--no-deps", "-w", str(place), str(sdist))
        (wheels[version],) = place.glob("*.whl")
    tools.run("-m", "twine", "check", "--strict", str(sdist), *map(str, wheels.values()))
    return sdist, wheels


def check_contents(sdist: Path, wheels: dict[str, Path]) -> None:
    """Compare with what git tracks: nothing is missing, and nothing came along."""
    say("What is in them")
    tracked = git_files()
    left_out = PROJECT["tool"]["scikit-build"]["sdist"]["exclude"]
    released = {name for name in tracked if not is_among(name, left_out)}
    expect_same(sdist, names_in_sdist(sdist), released | {"PKG-INFO"})
    package = {name.removeprefix("src/") for name in tracked if name.startswith("src/")}
    for wheel in wheels.values():
        names = ZipFile(wheel).namelist()
        modules = {name for name in names if ".dist-info/" not in name}
        kernel = {name for name in modules if fnmatch(name, "sweeptree/_kernel.*.so")}
        expect_same(wheel, modules, package | kernel)
        if len(kernel) != 1 or not any(name.endswith("/licenses/LICENSE") for name in names):
            sys.exit(f"{wheel.name} has not one kernel and the licence.")


def git_files() -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return set(listed.stdout.splitlines())


def is_among(name: str, patterns: list[str]) -> bool:
    return any(fnmatch(name, pattern) or name.startswith(f"{pattern}/") for pattern in patterns)


def names_in_sdist(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as archive:
        return {name.split("/", 1)[1] for name in archive.getnames()}


def expect_same(file: Path, found: set[str], expected: set[str]) -> None:
    for names, what in ((found - expected, "should not have"), (expected - found, "lacks")):
        if names:
            sys.exit(f"{file.name} {what}: {', '.join(sorted(names))}")


def check_source_distribution(work: Path, sdist: Path, version: str) -> None:
    say(f"The source distribution on Python {version}")
    environment = Environment(work / "sdist", interpreter(version))
    environment.install(str(sdist))
    environment.run("-c", ONLY_WHAT_IS_INSTALLED + CLIENT, cwd=work)


def check_wheel(work: Path, wheel: Path, version: str, *, all_tests: bool) -> None:
    """Install the wheel, and use it from a directory that has tests and no source."""
    say(f"The wheel on Python {version}")
    environment = Environment(work / f"wheel-{version}", interpreter(version))
    environment.install(f"{wheel}[dev]")
    outside = work / f"outside-{version}"
    shutil.copytree(
        ROOT / "tests",
        outside / "tests",
        ignore=shutil.ignore_patterns(*ABOUT_THE_SOURCE, "__pycache__"),
    )
    shutil.copy(ROOT / "pyproject.toml", outside)
    (outside / "conftest.py").write_text(ONLY_WHAT_IS_INSTALLED)
    check_types(environment, outside)
    marked = () if all_tests else ("-m", "not slow")
    environment.run("-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", *marked, cwd=outside)


def check_types(environment: Environment, outside: Path) -> None:
    """Let mypy pass what a user may write, and find each line of misuse."""
    (outside / "client.py").write_text(CLIENT)
    (outside / "misuse.py").write_text(MISUSE)
    environment.run("client.py", cwd=outside)
    strictly = ("-m", "mypy", "--strict", "--config-file=")
    environment.run(*strictly, "client.py", cwd=outside)
    found = environment.output(*strictly, "misuse.py", cwd=outside)
    n_calls = MISUSE.count(")")
    if found.count("[arg-type]") != n_calls:
        sys.exit(f"mypy should find {n_calls} errors of type in {MISUSE}but says {found}")


class Environment:
    """A virtual environment with an interpreter of its own."""

    def __init__(self, place: Path, python: str | None) -> None:
        assert python is not None, "only versions that are there are checked"
        self._python = str(place / "bin" / "python")
        must_succeed(call(python, "-m", "venv", str(place)))

    def install(self, *packages: str) -> None:
        self.run("-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)

    def run(self, *arguments: str, cwd: Path | None = None) -> None:
        must_succeed(call(self._python, *arguments, cwd=cwd))

    def output(self, *arguments: str, cwd: Path) -> str:
        return call(self._python, *arguments, cwd=cwd, is_silent=True).stdout


def call(
    *command: str, cwd: Path | None = None, is_silent: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a program that knows nothing of the caller's settings of Python."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=is_silent, text=True, check=False
    )


def must_succeed(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        sys.exit(f"Failed: {' '.join(done.args)}")


def say(what: str) -> None:
    print(f"== {what}", flush=True)


if __name__ == "__main__":
    main()
