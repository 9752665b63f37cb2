"""Whether the engine's own imputation and encoding predict as well as what the study did before.

    python3 bench/imputation.py BINARY --data DIR [--reps 3] [--sets gbsg2,vlbw]

Takes the data sets of the battery that have gaps or texts. Fits the default to the tables as they
are (`study battery`, which imputes within every repeated fit and keeps a text's levels together),
and to the arrays that all other packages get (`--export`: gaps filled and texts encoded by the
training rows of the split). Same splits, same seeds. Prints a Markdown table: both mean scores and
the paired difference, with the standard error of splits that share training rows (Nadeau and
Bengio 2003).
"""

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path
from statistics import mean, stdev

SETS = (
    "chemprocess,mice,cats,colon-trial,gbsg2,glioma,gse7390,metabric-os,nki70,prostate,rotterdam,"
    "stagec,std,veteran,vlbw,whas500"
)
SEED = 161118
# Of a split, the test rows over those that are learned from.
SHARE = 1 / 5
METRICS = {"r2": "r2", "auc": "auc", "log_loss": "log_loss", "c_index": "c_index"}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def of_arrays(binary, folder):
    """The score of the default on the arrays of one split."""
    info = json.loads((folder / "info.json").read_text())
    outcome = ["--outcome"]
    names = ["--time", "time", "--event", "event"] if info["task"] == "cox" else []
    task = [] if info["task"] == "cox" else ["--task", info["task"]]
    fit = [binary, "fit", folder / "train_x.npy", *outcome, folder / "train_y.npy", *names, *task]
    with tempfile.TemporaryDirectory() as home:
        model = Path(home) / "fit"
        seed = info["seed"]
        flags = ["--seed", seed, "--jobs", "1", "--quiet", "--no-ensemble", "--out", model]
        run(*fit, *flags)
        test = [folder / "test_x.npy", *outcome, folder / "test_y.npy"]
        found = json.loads(run(binary, "evaluate", model, *test))
    value = found[METRICS[info["score"]]]
    return value["value"] if isinstance(value, dict) else value


def rows_of_battery(binary, args, name, home):
    """The scores of the default on the tables as they are, split by split."""
    study = [binary, "study", "battery", "--seed", SEED, "--data", args.data, "--jobs", "1"]
    only = ["--reps", args.reps, "--only", f"gmcp,default,{name}", "--out", home]
    run(*study, *only)
    with (home / "results.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["variant"] == "default"]
    rows.sort(key=lambda row: int(row["replicate"]))
    return [float(row["score"]) for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--sets", default=SETS)
    args = parser.parse_args()
    binary = args.binary.resolve()
    print("| data | score | arrays | tables as they are | difference (SE) |")
    print("| --- | --- | --: | --: | --: |")
    for name in args.sets.split(","):
        with tempfile.TemporaryDirectory() as home:
            home = Path(home)
            flags = ["--seed", SEED, "--data", args.data, "--reps", args.reps, "--only", name]
            run(binary, "study", "battery", *flags, "--export", home / "arrays")
            infos = (home / "arrays").glob("*/r*/info.json")
            found = {int(info.parent.name[1:]): info.parent for info in infos}
            arrays = [of_arrays(binary, found[number]) for number in sorted(found)]
            tables = rows_of_battery(binary, args, name, home / "rows")
            metric = json.loads((found[1] / "info.json").read_text())["score"]
        sign = -1 if metric == "log_loss" else 1
        gains = [sign * (b - a) for a, b in zip(arrays, tables, strict=True)]
        error = stdev(gains) * (1 / len(gains) + SHARE) ** 0.5 if len(gains) > 1 else 0.0
        print(
            f"| {name} | {metric} | {mean(arrays):.3f} | {mean(tables):.3f} "
            f"| {mean(gains):+.3f} ({error:.3f}) |",
            flush=True,
        )


if __name__ == "__main__":
    main()
