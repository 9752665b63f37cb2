"""Two versions of the engine on the same work, by turns: whether a change has made it slower.

python3 bench/versions.py OLD NEW [--turns 7]

OLD and NEW are two `race` programs (`cargo build --release -p threshnet-bench --bin race`; up to
0.1.0 the example `race` of the library). Both trace the paper's paths and tuned fits on the same
arrays on one thread, one after the other and in changing order, so that whatever else the machine
does meets both. Prints the medians and OLD's time over NEW's: above 1, every ratio of NEW to an
outside package is higher than OLD's by as much.
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from race.environment import output, say

# λs of a path, the ridge of one, and how many ridges a tuned fit has.
LAMBDAS, RIDGE, RIDGES = 50, 0.01, 10
CELLS = [
    ("path", 300, 20),
    ("path", 500, 1000),
    ("fit", 300, 20),
]
DESIGNS = ("regression", "classification", "survival")


def seconds(binary, kind, folder):
    """The median over three starts of one call."""
    ridge = RIDGE if kind == "path" else RIDGES
    report = json.loads(output(binary, kind, folder, "exact", ridge, LAMBDAS, 3))
    return statistics.median(run["seconds"] for run in report["runs"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--turns", type=int, default=7)
    asked = parser.parse_args()
    print("| work | old, s | new, s | old / new |\n| --- | --: | --: | --: |")
    for kind, n, d in CELLS:
        for design in DESIGNS:
            with tempfile.TemporaryDirectory() as folder:
                output(asked.new, "simulate", design, n, d, 1, folder)
                times = {asked.old: [], asked.new: []}
                for turn in range(asked.turns):
                    for binary in sorted(times, reverse=turn % 2 == 1):
                        times[binary].append(seconds(binary, kind, folder))
                    say(f"{kind} {n} × {d}, {design}: turn {turn + 1} of {asked.turns}")
            old, new = (statistics.median(times[binary]) for binary in (asked.old, asked.new))
            work = "one path" if kind == "path" else "tuned fit"
            print(f"| {work}, {design}, {n} × {d} | {old:.4f} | {new:.4f} | {old / new:.3f} |")


if __name__ == "__main__":
    main()
