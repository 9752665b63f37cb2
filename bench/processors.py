"""Whether a fit is the same on processors with AVX-512 and with AVX2, to the bit.

python3 bench/processors.py BINARY --data DIR

BINARY is a `threshnet` binary on a machine that has both; DIR holds the public data sets
(docs/reproduction.md says where they come from). A data set of every task is fitted with either
under the paper's protocol, the default and `--stability 3`. Every `model.json` must be the same
file, and every `summary.json` but for seconds and the name of the set: it also has the networks
that were not chosen. Prints a table in Markdown and ends with status 1 if any differs.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from same_bits import MODES, READ, model

# One data set of every task, with all its columns.
TASKS = {
    "regression": "riboflavin",
    "two classes": "colon",
    "classes": "SRBCT",
    "survival": "WHAS 500",
}
SELECTIONS = ("paper", "default", "stability")
SETS = ("avx512", "avx2")


def fitted(isa, binary, file, flags, folder):
    """The files of a fit with this instruction set that must be the same on any."""
    os.environ["THRESHNET_ISA"] = isa
    made = model(binary, file, flags, folder)
    if not made.startswith("{"):
        sys.exit(made)
    summary = json.loads((folder / "summary.json").read_text())
    del summary["seconds"], summary["instruction_set"]
    return made, summary


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    asked = parser.parse_args()
    print(
        "| task | data | selection | columns | model and summary |\n| --- | --- | --- | --: | --- |"
    )
    different = 0
    for task, name in TASKS.items():
        file, flags = READ[name]
        outcome = flags.split(" --features")[0]
        for selection in SELECTIONS:
            flags = f"{outcome} {MODES[selection]}"
            with tempfile.TemporaryDirectory() as home:
                folders = [Path(home) / isa for isa in SETS]
                wide, narrow = (
                    fitted(isa, asked.binary, asked.data / file, flags, folder)
                    for isa, folder in zip(SETS, folders, strict=True)
                )
                selected = len((folders[0] / "selected.csv").read_text().splitlines()) - 1
            same = wide == narrow
            different += not same
            verdict = "the same bytes" if same else "DIFFERENT"
            print(f"| {task} | {name} | {selection} | {selected} | {verdict} |", flush=True)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
