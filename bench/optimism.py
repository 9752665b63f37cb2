"""How optimistic are a fit's held-out figures? They stand beside nested ones, on five real sets.

Prints the table of bench/records/…-optimism.md. `--data` is the folder of the public sets of
docs/battery.md.
"""

import argparse
import json
import subprocess
from pathlib import Path

SURVIVAL = ["--time", "time", "--event", "event"]
SETS = {
    "GBSG2": ("surv_lowdim/GBSG2.csv", SURVIVAL),
    "stage C": ("surv_lowdim/stagec.csv", SURVIVAL),
    "WHAS500": ("surv_lowdim/whas500.csv", SURVIVAL),
    "NKI70": ("surv_nki70/nki70.csv.gz", SURVIVAL),
    "colon": ("cls_colon_alon62/alon.csv.gz", ["--target", "class"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--outer", default="cv:5")
    parser.add_argument("--only", nargs="+", default=list(SETS))
    parser.add_argument("--flags", nargs="*", default=[], help="more flags of fit, without dashes")
    args = parser.parse_args()
    print(
        "| data | metric | training rows | held out (95 %) | nested (95 %) | held out − nested |\n"
        "| --- | --- | --: | --: | --: | --: |"
    )
    for name in args.only:
        file, outcome = SETS[name]
        command = [args.binary, "fit", args.data / file, *outcome, "--outer", args.outer]
        command += [
            "--json",
            "--quiet",
            "--missing",
            "impute",
            "--na",
            "missing",
            *(f"--{flag}" for flag in args.flags),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"| {name} | {done.stderr.strip()} |", flush=True)
            continue
        summary = json.loads(done.stdout)
        metric = next(iter(summary["nested"]["metrics"]))
        naive, nested = (summary[kind]["metrics"][metric] for kind in ("held_out", "nested"))

        def shown(of):
            low, high = of["interval"]
            return f"{of['value']:.3f} ({low:.3f} to {high:.3f})"

        print(
            f"| {name} | {metric} | {summary['train'][metric]:.3f} | {shown(naive)} | "
            f"{shown(nested)} | {naive['value'] - nested['value']:+.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
