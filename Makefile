# `make demo` and `make test` each work as the first command on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
KERNEL := CMakeLists.txt $(wildcard cpp/*.hpp cpp/python/*)
WORKERS ?= 2

.PHONY: demo test quick exhaustive lint docs bench sanitize release-check clean

demo: $(INSTALLED)
	$(BIN)/python -m sweeptree demo

test: $(INSTALLED)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

quick: $(INSTALLED)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not slow"

# The combinations of settings that `make test` leaves out.
exhaustive: $(INSTALLED)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m exhaustive

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site goes to build/site; open its index.html, no server is needed.
docs: $(INSTALLED)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# make bench BENCHMARKS="peers_speed peers_fits" RESULTS=benchmarks/results
BENCHMARKS ?= moves mixing stopping
RESULTS ?= build/benchmarks
bench: $(INSTALLED)
	$(BIN)/python -m benchmarks run $(BENCHMARKS) -o $(RESULTS)

# The tests that reach the kernel under AddressSanitizer and UndefinedBehaviorSanitizer, in an
# environment of their own that borrows the packages of the first. Left out are those that start
# browsers, clusters or the command line, and those that draw: they reach no other part of it.
SANITIZED := build/sanitized
SANITIZED_TESTS ?= $(addprefix tests/,kernel estimator tables files checkpoints interpretation \
  bad_input $(foreach each,arviz diagnostics encoding lean_states posterior prediction \
  random_settings sampling scores uncertainty,test_$(each).py))
sanitize: $(INSTALLED)
	$(PYTHON) -m venv $(SANITIZED)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
	  > "$$($(SANITIZED)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/borrowed.pth"
	$(SANITIZED)/bin/python -m pip install -q --no-build-isolation --no-deps \
	  -C cmake.define.SWEEPTREE_SANITIZE=ON -C cmake.define.SWEEPTREE_WERROR=ON \
	  -C build-dir=build/sanitized-kernel .
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 $(SANITIZED)/bin/python -m pytest -p no:cacheprovider \
	  -m "not slow" -n $(WORKERS) $(SANITIZED_TESTS)

# Builds what would be released and tests it where it is installed, on every Python that is there.
release-check:
	$(PYTHON) tools/release_check.py

clean:
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

# pyproject.toml and the kernel's sources decide when to install again; Python files are used in
# place.
$(INSTALLED): pyproject.toml $(KERNEL)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check \
	  "scikit-build-core>=0.10" "nanobind>=2.2" "cmake>=3.20" ninja
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-build-isolation \
	  -C cmake.define.SWEEPTREE_WERROR=ON -e ".[dev]"
	touch $@
