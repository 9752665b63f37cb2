"""What it does to keep columns: whether they are in every model, and F1 of the other columns.

Draws the paper's designs and fits each replicate three times with the default protocol: with
nothing kept, with two columns that matter kept, and with one that does not matter kept. F1 is that
of the columns which no fit keeps. Prints the table of bench/records/…-keeping.md.
"""

import argparse
import csv
import tempfile
from pathlib import Path

from missing import DESIGNS, rows_of, selected, shown

RELEVANT = ["x1", "x2", "x3", "x4"]
TRUE = ["x1", "x2"]


def f1(found, relevant):
    """That of the columns found; 1 where nothing is to be found and nothing was."""
    if not found and not relevant:
        return 1.0
    return 2 * len(found & relevant) / (len(found) + len(relevant))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--reps", type=int, default=200)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--correlation", type=float, default=0.0)
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS), choices=DESIGNS)
    args = parser.parse_args()
    noise = f"x{args.columns}"
    kept_by = {"nothing": [], "x1 and x2, which matter": TRUE, f"{noise}, which does not": [noise]}
    others = set(RELEVANT) - set(TRUE)
    print("| design | kept | in the model | F1 of the others (SE) | difference (SE) |")
    print("| --- | --- | --- | --- | --- |")
    for design in args.designs:
        there = {name: 0 for name in kept_by}
        scores = {name: [] for name in kept_by}
        for seed in range(args.reps):
            rows = rows_of(args.binary, design, args, seed)
            with tempfile.TemporaryDirectory() as folder:
                data = Path(folder) / "d.csv"
                with data.open("w", newline="") as file:
                    csv.writer(file).writerows(rows)
                for name, kept in kept_by.items():
                    flags = [*DESIGNS[design], *(["--keep", ",".join(kept)] if kept else [])]
                    found = selected(args.binary, data, flags)
                    there[name] += found.issuperset(kept)
                    scores[name].append(f1(found - {*TRUE, noise}, others))
        for name, kept in kept_by.items():
            gained = [a - b for a, b in zip(scores[name], scores["nothing"], strict=True)]
            print(
                f"| {design} | {name} | {f'{there[name]} of {args.reps}' if kept else ''} "
                f"| {shown(scores[name])} | {shown(gained) if kept else ''} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
