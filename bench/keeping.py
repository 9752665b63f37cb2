"""What it does to keep columns: whether they are in every model, and F1 of the other columns.

Draws the paper's designs and fits each replicate three times with the default protocol, on fewer λs
and ridges and in fewer epochs: with nothing kept, with two columns that matter kept, and with one
that does not matter kept. F1 is that of the columns which no fit keeps. Rows are added to a file as
they are made, so a stopped run goes on, and several can share the work. Prints the table of
bench/records/…-keeping.md.
"""

import argparse
import csv
import tempfile
from pathlib import Path

from missing import DESIGNS, rows_of, selected, shown

RELEVANT = ["x1", "x2", "x3", "x4"]
TRUE = ["x1", "x2"]
QUICK = "--lambdas 0.01:0.5:20 --ridges 0.003,0.02 --first-epochs 500 --epochs 100 --no-ensemble"


def f1(found, relevant):
    """That of the columns found."""
    return 2 * len(found & relevant) / (len(found) + len(relevant))


def fitted(args, design, seed, kept_by):
    """A row for each way to keep columns: whether these are in the model, and F1 of the others."""
    compared = {f"x{j + 1}" for j in range(args.columns)}.difference(*kept_by.values())
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "d.csv"
        with data.open("w", newline="") as file:
            csv.writer(file).writerows(rows_of(args.binary, design, args, seed))
        for name, kept in kept_by.items():
            flags = [*DESIGNS[design], *QUICK.split()]
            flags += ["--keep", ",".join(kept)] if kept else []
            found = selected(args.binary, data, flags)
            score = f1(found & compared, set(RELEVANT) & compared)
            yield [design, str(seed), name, str(int(found.issuperset(kept))), str(score)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--rows-file", type=Path, default=Path("keeping.csv"))
    parser.add_argument("--seeds", type=int, nargs=2, default=[0, 200], metavar=("FROM", "TO"))
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--correlation", type=float, default=0.0)
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS), choices=DESIGNS)
    args = parser.parse_args()
    noise = f"x{args.columns}"
    kept_by = {"nothing": [], "x1 and x2, which matter": TRUE, f"{noise}, which does not": [noise]}
    args.rows_file.touch()
    there = {tuple(row[:3]) for row in csv.reader(args.rows_file.open())}
    for design in args.designs:
        for seed in range(*args.seeds):
            if all((design, str(seed), name) in there for name in kept_by):
                continue
            rows = list(fitted(args, design, seed, kept_by))
            with args.rows_file.open("a", newline="") as file:
                csv.writer(file).writerows(rows)
    table(args.rows_file, args.designs, kept_by)


def table(path, designs, kept_by):
    """What all rows of the file say."""
    rows = {tuple(row[:3]): row[3:] for row in csv.reader(path.open())}
    print("| design | kept | in the model | F1 of the others (SE) | difference (SE) |")
    print("| --- | --- | --- | --- | --- |")
    for design in designs:
        seeds = sorted({seed for of, seed, _ in rows if of == design})
        scores = {n: [float(rows[design, s, n][1]) for s in seeds] for n in kept_by}
        for name, kept in kept_by.items():
            hits = sum(int(rows[design, seed, name][0]) for seed in seeds)
            gained = [a - b for a, b in zip(scores[name], scores["nothing"], strict=True)]
            print(
                f"| {design} | {name} | {f'{hits} of {len(seeds)}' if kept else ''} "
                f"| {shown(scores[name], 3)} | {shown(gained, 3) if kept else ''} |"
            )


if __name__ == "__main__":
    main()
