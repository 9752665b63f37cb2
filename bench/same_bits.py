"""Whether two versions of the command line make the same models, to the bit.

python3 bench/same_bits.py OLD NEW --data DIR [--only TEXT]

OLD and NEW are two `threshnet` binaries; DIR holds the public data sets (docs/reproduction.md says
where they come from). Three data sets of every task are fitted by both under the paper's protocol,
the default, `--stability 3` and `--fdr 0.3`; every `model.json` must be the same file but for the
line that names the version. Prints a table in Markdown and ends with status 1 if any differs.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MODES = {
    "paper": "--protocol paper",
    "default": "",
    "stability": "--stability 3 --max-false 3",
    "fdr": "--fdr 0.3",
}

# What is drawn by OLD, and what is read from DIR; columns are left out to be done in minutes.
DRAWN = {
    "regression 200 × 15": ("simulate regression -n 200 -d 15 --seed 5", "--target y"),
    "classification 200 × 15": ("simulate classification -n 200 -d 15 --seed 5", "--target y"),
    "survival 200 × 15": (
        "simulate survival -n 200 -d 15 --seed 5 --censoring 0.2",
        "--time time --event event",
    ),
}
READ = {
    "permeability": ("reg_permeability165/permeability.csv.gz", "--target y --features X1??"),
    "riboflavin": (
        "reg_riboflavin71/riboflavin.csv.gz",
        "--target log2_riboflavin_rate --features YX*",
    ),
    "colon": ("cls_colon_alon62/alon.csv.gz", "--target class --features X1??"),
    "leukemia": ("cls_leukemia_golub72/golub.csv.gz", "--target class --features M1*"),
    "SRBCT": ("cls_srbct_khan63/khan.csv.gz", "--target class --features GENE1??"),
    "lymphoma": ("cls_lymphoma_alizadeh96/lymphoma.csv.gz", "--target class --features g1??"),
    "faces": (
        "cls_faces_pie210/warpPIE10P.csv.gz",
        "--target class --task multiclass --features px10?",
    ),
    "NKI 70": ("surv_nki70/nki70.csv.gz", "--time time --event event --features num_*"),
    "WHAS 500": ("surv_lowdim/whas500.csv", "--time time --event event"),
}


def model(binary, file, flags, folder):
    """The model.json of a fit, or what was said in its place."""
    command = [binary, "fit", file, *flags.split(), "--quiet", "--out", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr
    return re.sub(r'"version": "[^"]*"', "", (folder / "model.json").read_text(), count=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    print("| data | protocol | selected | model.json |\n| --- | --- | --: | --- |")
    different = 0
    with tempfile.TemporaryDirectory() as home:
        home = Path(home)
        files = {name: (asked.data / file, flags) for name, (file, flags) in READ.items()}
        for name, (command, flags) in DRAWN.items():
            file = home / f"{command.split()[1]}.csv"
            file.write_bytes(subprocess.check_output([asked.old, *command.split()]))
            files[name] = (file, flags)
        cells = [(name, mode) for name in files for mode in MODES]
        for number, (name, mode) in enumerate(cells):
            if asked.only not in f"{name} {mode}":
                continue
            file, flags = files[name]
            flags = f"{flags} {MODES[mode]}"
            old, new = (
                model(binary, file, flags, home / f"{version}{number}")
                for version, binary in (("old", asked.old), ("new", asked.new))
            )
            fitted = old.startswith("{")
            same = fitted and old == new
            different += not same
            verdict = "the same bytes" if same else "DIFFERENT" if fitted else "FAILED"
            selected = home / f"old{number}" / "selected.csv"
            size = len(selected.read_text().splitlines()) - 1 if fitted else "–"
            print(f"| {name} | {mode} | {size} | {verdict} |", flush=True)
            if not fitted:
                print(old, file=sys.stderr)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
