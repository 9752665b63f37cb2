# What people run. Everything a target needs beyond Rust and Python it sets up itself.

VENV := .venv
RUFF := $(VENV)/bin/ruff

.PHONY: demo test lint bench table1

demo:            ## the main job on built-in data
	cargo run --release -- demo

test:            ## every test
	cargo test --workspace

lint: $(RUFF)    ## format and lint, as CI does
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
	$(RUFF) format --check bench crates
	$(RUFF) check bench crates

bench:           ## the race against gcrnet; writes bench/records/
	python3 bench/run.py

table1:          ## replicates of the paper's Table 1
	cargo run --release -p threshnet --example table1

$(RUFF):
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet ruff==0.17.4
