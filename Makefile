# Start, test and check Staging Scheduler. `make help` lists what there is.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# The first Python on the path that is 3.11 or newer; PYTHON=/path/to/python chooses another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
# Tests start hundreds of processes: what one of them compiled, the next need not, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=
SOURCES := scheduler_project scheduling staging tests benchmarks manage.py

# `make test-services` uses these unless the environment names others.
SERVICES_DATABASE_URL ?= postgres://postgres@127.0.0.1:5432/staging_scheduler
SERVICES_BROKER_URL ?= redis://127.0.0.1:6379/15

.PHONY: help run test test-pages test-services test-deep coverage soak golden pictures lint audit bench

help:  ## Show the targets.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

run: .venv/.installed secret-key  ## Start everything on this machine; Ctrl-C stops it. PORT=8001 chooses another port.
	@exec $(BIN)/python -m scheduler_project.start

# Pages take a third of the time and Chromium: they have a target of their own, unless a path is named.
test: .venv/.installed-tests  ## Run the suite but the pages, on SQLite. ARGS="-n0 FILE" runs one file, of pages too.
	$(BIN)/python -m pytest $(if $(findstring tests/,$(ARGS)),,--ignore=tests/browser) $(ARGS)

test-pages: .venv/.installed-tests  ## Run the tests of the pages in Chromium, on SQLite.
	$(BIN)/python -m pytest tests/browser $(ARGS)

test-services: .venv/.installed-tests  ## Run everything on the PostgreSQL and the Redis of this machine.
	DATABASE_URL=$(SERVICES_DATABASE_URL) CELERY_BROKER_URL=$(SERVICES_BROKER_URL) $(BIN)/python -m pytest $(ARGS)

test-deep: .venv/.installed-tests  ## Look for what a quick check cannot find, for MINUTES=30. SEED= goes on where that seed stopped.
	SERVICES_DATABASE_URL=$(SERVICES_DATABASE_URL) SERVICES_BROKER_URL=$(SERVICES_BROKER_URL) \
		$(BIN)/python -m tests.deep --minutes $(or $(MINUTES),30) $(if $(SEED),--seed $(SEED))

coverage: .venv/.installed-tests  ## Run the suite, then list the lines and branches that no test reaches.
	$(BIN)/python -m pytest --cov --cov-branch --cov-report term-missing:skip-covered $(ARGS)

soak: .venv/.installed-tests  ## Live through a minute of faults, with and without the fence. SECONDS= and SEED= choose.
	DATABASE_URL=$(SERVICES_DATABASE_URL) CELERY_BROKER_URL=$(SERVICES_BROKER_URL) \
		SOAK_SECONDS=$(or $(SECONDS),60) SOAK_SEEDS=$(or $(SEED),$$RANDOM) \
		$(BIN)/python -m pytest --log-cli-level INFO tests/acceptance/test_soak.py

# In this order: the other files name what the first one has.
golden: .venv/.installed-tests  ## Write the pinned SQL of a batch afresh, for both databases; look at the difference then.
	env -u DATABASE_URL GOLDEN=renew $(BIN)/python -m pytest -p no:randomly -n0 tests/staging/sql/test_golden.py
	GOLDEN=renew DATABASE_URL=$(SERVICES_DATABASE_URL) CELERY_BROKER_URL=$(SERVICES_BROKER_URL) \
		$(BIN)/python -m pytest -p no:randomly -n0 tests/staging/sql/test_golden.py

# One line of a template can change many of them: run it when pages look different, and look at what came.
pictures: .venv/.installed-tests  ## Make the pictures of the documents afresh, of all pages and of the tour; look at them then.
	env -u DATABASE_URL PICTURES=renew $(BIN)/python -m pytest -p no:randomly -n0 \
		tests/browser/test_pictures.py tests/browser/test_tour.py

lint: export SECRET_KEY = lint-$(shell head -c 48 /dev/urandom | od -An -tx1 | tr -d ' \n')
lint: .venv/.installed-tests  ## Check style, types, the floors, migrations and the production settings.
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -W error manage.py makemigrations --check --dry-run
	HTTPS=1 DEBUG=0 $(BIN)/python -W error manage.py check --deploy --fail-level WARNING

# An environment of its own: what the tool needs is not what is audited.
audit: .venv/.installed-tests .venv-audit/.installed  ## Ask the database of advisories about every installed package; needs the network.
	@$(BIN)/python -m tests.audit --tool .venv-audit/bin/pip-audit

bench: .venv/.installed-tests  ## Print the measured figures; takes minutes. DATABASE_URL chooses the database.
	@for file in benchmarks/[a-z]*.py; do name=$$(basename $$file .py); echo "== $$name"; \
		$(BIN)/python -m benchmarks.$$name || exit 1; done

# --- what the targets above stand on ---------------------------------------------------------------------------------

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and none was found. Install one, or name it:" \
		"make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is older than Python 3.11. Name a newer one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
		echo "Python could not make a virtual environment. On Debian: apt install python3-venv" >&2; exit 1; }

# Installed once, and again only when the list changed.
.venv/.installed: requirements.txt | .venv/bin/python
	@echo "Installing (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.installed-tests: tests/requirements.txt requirements.txt requirements-observability.txt | .venv/bin/python
	@echo "Installing the test tools (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	@touch .venv/.installed $@

.venv-audit/.installed: tests/requirements-audit.txt | .venv/bin/python
	@echo "Installing the audit (once) ..."
	@$(BIN)/python -m venv .venv-audit
	@.venv-audit/bin/python -m pip install --quiet --disable-pip-version-check -r tests/requirements-audit.txt || { \
		echo "The tool could not be installed; nothing was audited. It comes from the network once." >&2; exit 2; }
	@touch $@

# Private: only its owner may read it. What is there already stays. See .env.example for everything it may hold.
.PHONY: secret-key
secret-key: | .venv/bin/python
	@umask 077; grep -qs '^SECRET_KEY=.' .env || { \
		grep -Evs '^(SECRET_KEY|DEMO_PASSWORD)=$$' .env > .env.new; \
		$(BIN)/python -c 'import secrets; print("SECRET_KEY=" + secrets.token_urlsafe(50))' >> .env.new; \
		grep -q '^DEMO_PASSWORD=' .env.new || \
			$(BIN)/python -c 'import secrets; print("DEMO_PASSWORD=" + secrets.token_urlsafe(9))' >> .env.new; \
		mv .env.new .env; echo "Wrote a random secret key into .env."; }
