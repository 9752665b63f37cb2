"""What missing cells cost: F1 of the selected columns by imputation, single and multiple, and by
complete cases.

Draws the paper's designs, takes away cells at random, and fits with the default protocol. Prints
the table of bench/records/…-missing.md.
"""

import argparse
import csv
import json
import random
import subprocess
import tempfile
from pathlib import Path
from statistics import mean, stdev

# Which columns matter in each design: the first so many.
DESIGNS = {
    "regression": ["--target", "y"],
    "classification": ["--target", "y"],
    "survival": ["--time", "time", "--event", "event"],
}
METHODS = {
    "whole": None,
    "impute": "impute",
    "multiple": "multiple:10",
    "complete cases": "drop",
}


def rows_of(binary, design, args, seed):
    command = [binary, "simulate", design, "-n", str(args.rows), "-d", str(args.columns)]
    command += ["--correlation", str(args.correlation)] if args.correlation else []
    said = subprocess.run(
        [*command, "--seed", str(seed)], capture_output=True, text=True, check=True
    )
    return list(csv.reader(said.stdout.splitlines()))


def holed(rows, share, outcomes, seed):
    """The same rows without a share of the cells, never of the last columns, the outcome."""
    draw = random.Random(seed)
    gone = [
        ["" if draw.random() < share else cell for cell in row[:-outcomes]] + row[-outcomes:]
        for row in rows[1:]
    ]
    return [rows[0], *gone]


def selected(binary, data, flags):
    """The names of the columns that a fit selects."""
    command = [binary, "fit", data, *flags, "--json", "--quiet", "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {column["name"] for column in json.loads(done.stdout)["selected"]}


def f1(binary, rows, flags, relevant, folder):
    """That of the selected columns; 0 where no fit can be made."""
    data = folder / "d.csv"
    with data.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    try:
        found = selected(binary, data, flags)
    except subprocess.CalledProcessError:
        return 0.0
    return 2 * len(found & relevant) / (len(found) + len(relevant))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--reps", type=int, default=4)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--relevant", type=int, default=4)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.05, 0.2])
    parser.add_argument("--correlation", type=float, default=0.0)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS), choices=DESIGNS)
    args = parser.parse_args()
    relevant = {f"x{j + 1}" for j in range(args.relevant)}
    print("| design | missing | method | complete rows | F1 (SE) | beyond single (SE) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for design in args.designs:
        outcome = DESIGNS[design]
        data = [rows_of(args.binary, design, args, seed) for seed in range(args.reps)]
        for share in [0.0, *args.shares]:
            single = []
            for name, missing in METHODS.items():
                if (missing is None) != (share == 0) or name not in args.methods:
                    continue
                flags = [*outcome, *([] if missing is None else ["--missing", missing])]
                gone = [
                    holed(rows, share, len(outcome) // 2, seed) for seed, rows in enumerate(data)
                ]
                complete = mean(sum("" not in row for row in rows[1:]) for rows in gone)
                with tempfile.TemporaryDirectory() as folder:
                    scores = [f1(args.binary, rows, flags, relevant, Path(folder)) for rows in gone]
                gained = [a - b for a, b in zip(scores, single, strict=False)]
                print(
                    f"| {design} | {share:.0%} | {name} | {complete:.0f} "
                    f"| {shown(scores)} | {shown(gained)} |",
                    flush=True,
                )
                single = scores if name == "impute" else single


def shown(values, digits=2):
    """A mean with its standard error, if there are values."""
    if not values:
        return ""
    return f"{mean(values):.{digits}f} ({stdev(values) / len(values) ** 0.5:.{digits}f})"


if __name__ == "__main__":
    main()
