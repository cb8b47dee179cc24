# make run    start everything; ends with an address and, the first time, a log-in
# make test   run everything that shows it works
# make check  lint, types, direction of imports (a part of make test)
# make bench  measure every figure
# make lock   renew the locked dependencies from pyproject.toml

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.8
TESTS ?=

.PHONY: run test check bench lock clean

run: $(VENV)/.run
	@$(BIN)/python manage.py up

test: check
	@$(BIN)/python -m dashboard.services.java
	@$(BIN)/python -m tests.chromium
	$(BIN)/python -m pytest $(TESTS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	@$(BIN)/python -m dashboard.services.java
	$(BIN)/python manage.py bench all

lock: $(VENV)/.uv
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header \
		pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header \
		--extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) var .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Streamgauge needs Python 3.11 or newer; set PYTHON=/path/to/python3."; exit 1; }
	@echo "Making $(VENV) …"
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing: apt-get install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install -q --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

$(VENV)/.run: requirements.lock | $(VENV)/.uv
	@echo "Installing what it needs (about half a minute the first time) …"
	@$(BIN)/uv pip install -q --require-hashes -r requirements.lock --python $(BIN)/python
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	@echo "Installing what the tests need …"
	@$(BIN)/uv pip install -q --require-hashes -r requirements-dev.lock --python $(BIN)/python
	@touch $@
