"""How large statistics of columns are in shuffled outcomes: of the test for whether any matters.

    python studies/associated.py --data DIR [--sets bullinger,nki70] [--binary PATH]

Takes the training rows of the battery's first three splits. Prints for each statistic (the largest
squared correlation, the sum of all, what a ridge explains) the share of 999 shuffles in which it is
as large as in the outcome itself: the figures of bench/records/2026-11-20-null.md.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from peers import arrays

SETS = "bullinger,nki70,gse7390,hnscc,dlbcl,gse1992,brca,cns"
SEED, SPLITS, SHUFFLES, BOUND = 161118, 3, 999, 3
BINARY = Path(__file__).parents[1] / "target/release/threshnet"


def null_residuals(y, task):
    """What a model without columns leaves: of a survival outcome its martingale residuals."""
    if task != "cox":
        return y - y.mean()
    time, event = y[:, 0], y[:, 1]
    hazard = np.zeros(len(y))
    for at in np.unique(time[event == 1]):
        hazard[time >= at] += event[time == at].sum() / (time >= at).sum()
    return event - hazard


def winsorised(values):
    deviation = values.std(axis=0)
    scaled = (values - values.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    held = np.clip(scaled, -BOUND, BOUND)
    return held - held.mean(axis=0)


def shares(x, residuals):
    """For each statistic the share of shuffles in which it is as large."""
    r, z = winsorised(residuals), winsorised(x[:, x.std(axis=0) > 0])
    z = z / z.std(axis=0)
    rng = np.random.default_rng(0)
    shuffled = [r[rng.permutation(len(r))] for _ in range(SHUFFLES)]
    outcomes = np.column_stack([r, *shuffled]) / r.std()
    squares = (z.T @ outcomes / len(r)) ** 2
    sizes, directions = np.linalg.eigh(z @ z.T)
    sizes = np.maximum(sizes, 0)
    shrunken = sizes / (sizes + sizes.mean())
    explained = (shrunken[:, None] * (directions.T @ outcomes) ** 2).sum(axis=0)
    statistics = squares.max(axis=0), squares.sum(axis=0), explained
    return [np.mean(values[1:] >= values[0]) for values in statistics]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", required=True, help="where the data sets are")
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--binary", type=Path, default=BINARY)
    options = parser.parse_args()
    print("| data | split | largest | sum | ridge |\n| --- | --: | --: | --: | --: |")
    for name in options.sets.split(","):
        with tempfile.TemporaryDirectory() as folder:
            flags = ("--seed", str(SEED), "--data", options.data, "--reps", str(SPLITS))
            command = (options.binary, "study", "battery", *flags, "--only", name)
            subprocess.run((*command, "--export", folder), check=True, capture_output=True)
            for info in sorted(Path(folder).rglob("info.json")):
                data = arrays.read(info.parent)
                residuals = null_residuals(data.train.y, data.task)
                found = " | ".join(f"{share:.3f}" for share in shares(data.train.x, residuals))
                print(f"| {name} | {info.parent.name[1:]} | {found} |", flush=True)


if __name__ == "__main__":
    main()
