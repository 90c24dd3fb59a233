# Each target makes .venv and installs what it needs. "make run" opens the page, "make test" runs the tests.
PYTHON ?= python3
BIN := .venv/bin
# PyPI's newest torch brings gigabytes of GPU code; this release is enough and is installed first.
TORCH := torch==2.13.0
export HF_HUB_OFFLINE ?= 1

.DEFAULT_GOAL := help
.PHONY: help setup run test check bench eval clean

help:
	@echo "make run     set everything up and open the web page"
	@echo "make test    run the tests"
	@echo "make check   lint, types, formatting: what CI runs"
	@echo "make bench   measure speed and memory"
	@echo "make eval    measure how good the answers are; rewrites eval/RESULTS.md"
	@echo "make setup   only install"
	@echo "make clean   remove .venv and caches"

.venv/installed: pyproject.toml
	@echo "installing into .venv; the first time this takes some minutes"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check .
	@touch $@

.venv/installed-dev: .venv/installed
	@echo "installing what the tests need"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check ".[dev]"
	@touch $@

setup: .venv/installed

run: .venv/installed
	$(BIN)/python -m ui

test: .venv/installed-dev
	$(BIN)/python -m pytest

check: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/installed-dev
	$(BIN)/python -m eval bench

eval: .venv/installed-dev
	$(BIN)/python -m eval all

clean:
	rm -rf .venv runs screenshots .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
