# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
# Stale byte code and caches of other projects must not leak in; the user's own pip settings stay in force.
COMPILE := --universal --python-version 3.11 --generate-hashes --no-header
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
# The tests start hundreds of processes: without byte code each would read all sources anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint check-types check-imports kernels unit fuzz lock benchmark docs site papers check-papers questions external serve clean

demo: .venv/run.stamp
	$(BIN)/pavane solve kautz:3,2 aas
	@echo "ready: . .venv/bin/activate puts pavane on the path; large searches compile at their first use"

# Kernels are compiled while the tools of the tests are installed, and types are checked beside the tests.
test: .venv/run.stamp
	@$(MAKE) --no-print-directory --jobs=3 kernels check-types .venv/system.stamp lint check-imports unit

lint: .venv/dev.stamp
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .

check-types: .venv/dev.stamp
	$(BIN)/mypy

check-imports: .venv/dev.stamp
	$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

# Compiled once, by all cores: otherwise the tests' processes wait for each other's compilers.
kernels: .venv/run.stamp
	$(BIN)/python -m tests.compile_kernels

# A process begins with half of the tests, so that tests of one file share what they make, and takes some of the other's
# when it is done.
unit: kernels .venv/dev.stamp .venv/system.stamp
	$(BIN)/python -m pytest -n auto --dist worksteal

# Ten minutes of random problems, mutated files and spoiled schedules, on all cores.
fuzz: .venv/dev.stamp
	$(BIN)/python -m fuzzing --problems 100000 --files 500000 --spoiled 100000 --checks 20000 --slots 20000 --timed 5000 --trees 5000 --joint 5000 --seconds 600 --workers $$(nproc 2>/dev/null || echo 2)

benchmark: .venv/run.stamp
	$(BIN)/python -m benchmarks

serve: .venv/dev.stamp
	$(BIN)/pavane serve

docs: .venv/dev.stamp
	$(BIN)/python docs/generate.py

# The documentation as pages for a browser: open site/index.html, or put the folder on any server.
site: .venv/dev.stamp
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --config-file packaging/mkdocs.yml --strict --quiet
	@echo "written: site/index.html"

# Redoes all tables of the papers and writes papers/tables.md, or compares with it: five to ten minutes on two cores.
papers: .venv/run.stamp
	$(BIN)/python -m papers.redo

check-papers: .venv/run.stamp
	$(BIN)/python -m papers.redo --check

# Answers the papers' open questions and writes papers/open-questions.md: about ten minutes on one core.
questions: .venv/run.stamp
	$(BIN)/python -m papers.answer

# Reads and solves networks of other projects in FOLDER, and stores the counts of docs/external.md: up to an hour.
external: .venv/run.stamp
	@test -n "$(FOLDER)" || { echo "Say where the data is: make external FOLDER=~/data; docs/external.md says what it holds" >&2; exit 2; }
	$(BIN)/python -m benchmarks.external "$(FOLDER)"

# Locks hold hashes and no registry addresses, so they work with any mirror.
lock:
	uv pip compile pyproject.toml packaging/requirements/build.in --extra plot $(COMPILE) -o packaging/requirements/run.txt
	uv pip compile pyproject.toml packaging/requirements/build.in packaging/requirements/site.in --extra plot --extra web --extra cluster --extra mpi --extra dev $(COMPILE) -c packaging/requirements/run.txt -o packaging/requirements/dev.txt

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] < (3, 15)))' || { echo "pavane needs Python 3.11 to 3.14; $(PYTHON) is another. Say which: make PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "python3 -m venv failed; on Debian: apt install python3-venv" >&2; exit 2; }

# Most modules of the dependencies are never imported, and byte code of the others is written when they are.
.venv/run.stamp: .venv/bin/python packaging/requirements/run.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r packaging/requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# All else: tests, the web page, clusters, execution on MPI, and the site.
.venv/dev.stamp: .venv/run.stamp packaging/requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r packaging/requirements/dev.txt
	@touch $@

# A browser and a simulator for the tests that use real ones, where they can be had.
.venv/system.stamp: .venv/dev.stamp packaging/requirements/system.sh
	@sh packaging/requirements/system.sh
	@touch $@

clean:
	rm -rf .venv build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
