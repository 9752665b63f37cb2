"""Does the authors' package walk the path that we walk? Sizes along λ of gcrnet and of threshnet.

python3 bench/gcrnet_paths.py DESIGN PENALTY --ridge R --seeds 1,2,3    Markdown on standard output

Data of `threshnet simulate DESIGN -n 500 -d 1000`, the paper's settings for wide data but for one
ridge; starts and held-out rows are each engine's own. A path of gcrnet takes minutes.
"""

import argparse
import csv
import json
import tempfile
from pathlib import Path

from race.environment import BENCH, PYTHON, install, output, say

BINARY = BENCH.parent / "target" / "release" / "threshnet"
# Every so many λ a size is shown.
STRIDE = 3
# So many columns matter, the first ones.
RELEVANT = 4


def theirs(data, options, seed):
    script = BENCH / "peers" / "gcrnet_path.py"
    penalty = options.penalty.upper()
    return json.loads(output(PYTHON, script, data, options.design, penalty, options.ridge, seed))


def ours(data, options, seed):
    folder = data.parent / "fit"
    flags = ("--protocol", "paper", "--no-standardize", "--jobs", "1", "--quiet")
    chosen = ("--penalty", options.penalty, "--ridges", options.ridge, "--seed", seed)
    output(BINARY, "fit", data, "--target", "y", *flags, *chosen, "--out", folder)
    with open(folder / "path.csv") as file:
        sizes = [int(step["size"]) for step in csv.DictReader(file)]
    selected = json.loads((folder / "summary.json").read_text())["selected"]
    return {"sizes": sizes, "chosen": [column["index"] for column in selected]}


def row(engine, seed, path):
    """A line of the table."""
    shown = path["sizes"][::STRIDE]
    last = max(k for k, size in enumerate(shown) if size)
    sizes = " ".join(str(size) for size in shown[: last + 2])
    found = sum(column < RELEVANT for column in path["chosen"])
    return f"| {seed} | {engine} | {sizes} | {len(path['chosen'])} | {found} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("design", choices=["regression", "classification"])
    parser.add_argument("penalty", choices=["lasso", "mcp", "scad"])
    parser.add_argument("--ridge", default="0.0129")
    parser.add_argument("--seeds", default="1,2,3")
    options = parser.parse_args()
    install()
    output("cargo", "build", "--locked", "--quiet", "--release")
    print(
        f"| data | engine | columns left, every {STRIDE} λ | chosen | of {RELEVANT} that matter |"
    )
    print("| --: | --- | --- | --: | --: |")
    for seed in options.seeds.split(","):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data.csv"
            sample = ("-n", "500", "-d", "1000", "--seed", seed)
            data.write_text(output(BINARY, "simulate", options.design, *sample))
            for engine, path in (("gcrnet", theirs), ("threshnet", ours)):
                say(f"data {seed}: {engine} …")
                print(row(engine, seed, path(data, options, seed)), flush=True)


if __name__ == "__main__":
    main()
