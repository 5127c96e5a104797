# Two commands are enough: `make up` runs the product, `make test` proves it. `make help` shows all.
.DEFAULT_GOAL := help
.PHONY: up down reset logs test check fmt demo screenshots bench soak lock help venv venv-dev need-python

VENV := $(or $(FLEETDASH_VENV),.venv)
RUN := $(VENV)/bin/python
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$p -c '$(NEW_ENOUGH)' 2>/dev/null; then echo $$p; break; fi; done)

up: venv ## Set everything up and run it here until Ctrl-C (PORT, EMULATOR_PORT, FLEETDASH_VAR, EXEC)
	@$(RUN) -m fleetdash.onemachine up

down: need-python ## Stop what `make up` runs in another shell
	@$(PYTHON) -m fleetdash.onemachine down

reset: need-python ## Remove all data of this machine; asks first (YES=1 does not ask)
	@$(PYTHON) -m fleetdash.onemachine reset

logs: need-python ## Follow the logs of everything that runs (NAME=web for one)
	@$(PYTHON) -m fleetdash.onemachine logs

demo: venv ## Fill the running product with believable fleets
	@$(RUN) manage.py demo

test: venv-dev ## Lint, types and all tests (NO_BROWSER=1 leaves the browser tests out)
	@$(RUN) -m fleetdash.embedded run -- $(RUN) -m tests.support.everything

check: venv-dev ## Lint, import contracts and types only
	@ONLY=lint $(RUN) -m tests.support.everything

fmt: venv-dev ## Format the Python files and fix what can be fixed
	@$(RUN) -m ruff check --fix --quiet . ; $(RUN) -m ruff format .

screenshots: venv-dev ## Take a picture of every page into var/screenshots
	@$(RUN) -m fleetdash.embedded run -- $(RUN) -m tests.browser.screenshots

bench: venv-dev ## Run the benchmarks
	@$(RUN) -m fleetdash.embedded run -- $(RUN) -m bench

soak: venv-dev ## Draw the property tests anew, play the kill matrix for long, then a day of random fleets (SEED, ROUNDS=300, SPEED=120)
	@for n in $$(seq $(or $(DRAWS),20)); do \
		HYPOTHESIS_DRAWS=new $(RUN) -m fleetdash.embedded run -- $(RUN) -m pytest -q -n 2 tests/unit || exit 1; done
	@$(RUN) -m fleetdash.embedded run -- $(RUN) -m pytest -q tests/soak
	@$(RUN) -m fleetdash.embedded run -- $(RUN) -m bench day

lock: venv-dev ## Resolve the lock files anew after a change of pyproject.toml (needs uv)
	@uv pip compile --generate-hashes --no-emit-index-url --no-annotate -p 3.11 -q \
		--custom-compile-command "make lock" pyproject.toml -o requirements.lock
	@uv pip compile --generate-hashes --no-emit-index-url --no-annotate -p 3.11 -q \
		--custom-compile-command "make lock" --group dev pyproject.toml -o requirements-dev.lock

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed 's/:.*## /\t/' | \
		while IFS="$$(printf '\t')" read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

need-python:
	@test -n "$(PYTHON)" && $(PYTHON) -c '$(NEW_ENOUGH)' 2>/dev/null || { \
		echo "Fleetdash needs Python 3.11 or newer, and $(or $(PYTHON),python3) is none: install it, or name one with PYTHON=/path/to/python." >&2; exit 1; }

venv: need-python
	@$(PYTHON) fleetdash/onemachine/venv.py requirements.lock

venv-dev: need-python
	@$(PYTHON) fleetdash/onemachine/venv.py requirements-dev.lock
