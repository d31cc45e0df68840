# Everything runs in a virtual environment of its own, made on first use and reused as long as pyproject.toml stays as it is.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all lint clean

demo: $(READY)
	$(BIN)/crossdoc demo -o demo.crossdoc
	$(BIN)/crossdoc report demo.crossdoc -o demo.html

test: $(READY) lint
	$(BIN)/python -m pytest -q

test-all: $(READY) lint
	$(BIN)/python -m pytest -q -m "slow or not slow"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "crossdoc needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(READY)

clean:
	rm -rf $(VENV) demo.crossdoc demo.html build dist .mypy_cache .ruff_cache .pytest_cache
