"""Counted work: instructions of fixed paths under callgrind, which no other load can change.

python3 bench/counted.py             compare with bench/records/counted.json; status 1 if it grew
python3 bench/counted.py --update    write that record

Needs valgrind, and says that it is skipped where there is none. AVX2 is forced, for valgrind knows
no AVX-512. A product is one vector multiply-add, 16 FLOPs: 1 instruction per product would be
nothing but multiply-adds on operands in memory. The count covers the solves with all that belongs
to them (start, certificates), not the simulation of the data.
"""

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from race.environment import BENCH, built, output, say

RECORD = BENCH / "records" / "counted.json"
DESIGNS = ("regression", "classification", "survival")
KINDS = ("dense", "path")
GROWTH = 1.02
FLOPS_PER_PRODUCT = 16


def counted(binary, design, kind):
    """Instructions of one path, per epoch and (if no column died) per product."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "callgrind.out"
        command = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={file}"]
        # Both names of a function are matched, the mangled and the plain.
        command += ["--collect-atstart=no", "--toggle-collect=*counted_part*"]
        report = json.loads(output(*command, binary, design, kind))
        total = re.search(r"^(?:totals|summary): (\d+)", file.read_text(), re.MULTILINE)
    instructions = int(total[1]) if total else 0
    if report["instruction_set"] != "avx2" or not instructions:
        sys.exit("nothing to compare: valgrind ran no AVX2 code, or did not find counted_part")
    found = {"instructions": instructions, "epochs": report["epochs"]}
    found["per_epoch"] = round(instructions / report["epochs"], 1)
    if report["flops"]:
        products = report["flops"] / FLOPS_PER_PRODUCT
        found["per_product"] = round(instructions / products, 3)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the record")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("SKIPPED: valgrind is not installed, so no instruction was counted")
        return
    os.environ["THRESHNET_ISA"] = "avx2"
    binary = built("counted")
    found = {
        f"{design} {kind}": counted(binary, design, kind) for design in DESIGNS for kind in KINDS
    }
    versions = {
        "rustc": output("rustc", "--version").split()[1],
        "valgrind": output("valgrind", "--version").strip(),
    }
    for name, figures in found.items():
        product = figures.get("per_product")
        print(
            f"{name:22} {figures['per_epoch']:>10,.0f} instructions per epoch"
            + (f", {product:.2f} per product" if product else "")
        )
    if options.update:
        record = {"versions": versions, "paths": found}
        RECORD.write_text(json.dumps(record, indent=2) + "\n")
        say("kept as bench/records/counted.json")
        return
    record = json.loads(RECORD.read_text())
    if record["versions"] != versions:
        # Another compiler is another program: still compared, but said.
        print(f"NOTE: the record is of {record['versions']}, this is {versions}")
    grown = []
    for name, figures in found.items():
        before = record["paths"][name]["per_epoch"]
        ratio = figures["per_epoch"] / before
        print(f"{name:22} {100 * (ratio - 1):+.3f} % against the record")
        if ratio > GROWTH:
            grown.append(f"{name}: {before:,.0f} -> {figures['per_epoch']:,.0f} per epoch")
    if grown:
        sys.exit(
            f"MORE WORK: more than {100 * (GROWTH - 1):.0f} % more instructions than recorded\n"
            + "\n".join(grown)
            + "\nfind out why, or accept it with --update"
        )


if __name__ == "__main__":
    main()
