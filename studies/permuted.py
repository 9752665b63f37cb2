"""How often the default selects something where nothing is to be found: in shuffled outcomes.

    python studies/permuted.py --data DIR [--sets colon,gbsg2] [--reps 20] [--binary PATH]

Takes the training rows of the first splits of the battery, puts their outcomes into another order
(times and events together), and fits the default without an ensemble, which selects nothing. Prints
a Markdown table: in how many fits a column was selected, and how many columns in the mean.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from peers import arrays

SETS = ("colon", "chemprocess", "gbsg2", "gse7390", "hnscc")
SEED = 161118
DIGITS = 9
BINARY = Path(__file__).parents[1] / "target/release/threshnet"


def outcome(y, task):
    """The columns of an outcome and the flags that name them."""
    if task == "cox":
        return {"time": y[:, 0], "event": y[:, 1]}, ("--time", "time", "--event", "event")
    return {"y": y}, ("--target", "y")


def selected(binary, x, columns, flags, seed):
    """How many columns a fit selects."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.csv"
        names = [f"x{j}" for j in range(x.shape[1])] + list(columns)
        cells = np.column_stack([x, *columns.values()])
        header = ",".join(names)
        np.savetxt(file, cells, delimiter=",", fmt=f"%.{DIGITS}g", header=header, comments="")
        command = [binary, "fit", file, *flags, "--seed", str(seed), "--no-ensemble", "--json"]
        found = subprocess.run(command, check=True, capture_output=True, text=True)
    return len(json.loads(found.stdout)["selected"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", required=True, help="where the data sets are")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--reps", type=int, default=20)
    parser.add_argument("--binary", type=Path, default=BINARY)
    options = parser.parse_args()
    print("| data | fits | with a column | columns in the mean |\n| --- | --: | --: | --: |")
    total = 0
    for name in options.sets.split(","):
        with tempfile.TemporaryDirectory() as folder:
            export = ("--seed", str(SEED), "--data", options.data, "--reps", "1", "--only", name)
            command = (options.binary, "study", "battery", *export, "--export", folder)
            subprocess.run(command, check=True, capture_output=True)
            (info,) = Path(folder).rglob("info.json")
            data = arrays.read(info.parent)
        sizes = []
        for rep in range(options.reps):
            order = np.random.default_rng(rep).permutation(len(data.train.x))
            columns, flags = outcome(data.train.y[order], data.task)
            sizes.append(selected(options.binary, data.train.x, columns, flags, rep))
            print(f"{name} {rep}: {sizes[-1]}", file=sys.stderr, flush=True)
        some = sum(size > 0 for size in sizes)
        total += some
        print(f"| {name} | {len(sizes)} | {some} | {np.mean(sizes):.1f} |", flush=True)
    print(f"\nSomething was selected in {total} fits.")


if __name__ == "__main__":
    main()
