"""Whether the memory that a fit announces is the memory that it takes.

    python3 bench/memory.py BINARY

Fits eleven shapes of data and settings and compares the estimate, told before the fit starts, with
the peak of the process (VmHWM), both from `--log`. Then each fit once more under `ulimit -v`, with
as much address space as it announces, of which the program and its stacks take their part: it must
be refused in one line. Prints the table of bench/records/…-memory.md.
"""

import argparse
import json
import random
import struct
import subprocess
import tempfile
from array import array
from pathlib import Path

FEW = "--lambdas 0.02:0.5:4 --ridges 0.01,0.03 --first-epochs 4 --epochs 2"
ALONE = "--linear leave --no-ensemble"
SHAPES = {
    "default, many rows": (200_000, 20, f"--validation cv:3 {FEW}"),
    "default, wide": (200, 20_000, f"--validation draws:3 {FEW}"),
    "draws alone": (4_000, 2_000, f"--validation draws:2 {ALONE} {FEW}"),
    "wide layers": (500, 4_000, f"--validation holdout:0.2 --hidden 200,50 {FEW}"),
    "lasso, one thread": (400, 20_000, f"--validation cv:2 --penalty lasso {ALONE} {FEW} --jobs 1"),
    "screened": (300, 40_000, f"--validation holdout:0.2 --screen 1000 {ALONE} {FEW}"),
    "single path": (2_000, 8_000, "--validation none --lambdas 0.1 --ridges 0.01 --epochs 4"),
    "half-samples": (1_000, 8_000, f"--stability 10 {FEW}"),
    "knockoffs": (1_000, 1_000, f"--fdr 0.2 {FEW}"),
    "sparse": (5_000, 20_000, f"--validation holdout:0.2 {FEW}"),
    "survival": (1_000, 8_000, f"--validation draws:3 {FEW}"),
}
OUTCOMES = {"survival": ["--time", "time", "--event", "event"]}
# Of a sparse matrix, one cell of so many is stored.
STORED = 100


def write_data(folder, name, rows, columns, seed):
    """A file of whole numbers, and one of an outcome; the name of the first."""
    draw = random.Random(seed)
    if name == "sparse":
        write_sparse(folder, draw, rows, columns)
        return "data.mtx"
    cells = array("h", draw.randbytes(2 * rows * columns))
    made = array("h")
    for start in range(0, rows * columns, columns):
        made.append((sum(cells[start : start + 4]) + draw.randint(-9000, 9000)) // 6)
    write_npy(folder / "data.npy", cells, (rows, columns))
    if name == "survival":
        times = array("h", (number for y in made for number in (abs(y) + 1, draw.randrange(2))))
        write_npy(folder / "y.npy", times, (rows, 2))
    else:
        write_npy(folder / "y.npy", made, (rows,))
    return "data.npy"


def write_sparse(folder, draw, rows, columns):
    """A Matrix Market file, and an outcome of the first column with noise."""
    made = array("h", (draw.randint(-9, 9) for _ in range(rows)))
    with (folder / "data.mtx").open("w") as file:
        file.write("%%MatrixMarket matrix coordinate integer general\n")
        stored = columns // STORED
        file.write(f"{rows} {columns} {rows * stored}\n")
        for row in range(rows):
            for column in draw.sample(range(columns), stored):
                value = draw.randint(1, 99)
                made[row] += value if column < STORED else 0
                file.write(f"{row + 1} {column + 1} {value}\n")
    write_npy(folder / "y.npy", made, (rows,))


def write_npy(path, numbers, shape):
    header = repr({"descr": "<i2", "fortran_order": False, "shape": shape}) + "\n"
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        numbers.tofile(file)


def events(log):
    return {line["event"]: line for line in map(json.loads, log.read_text().splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("--only")
    args = parser.parse_args()
    binary = args.binary.resolve()
    print("| fit | rows × columns | announced, MB | peak, MB | ratio | under `ulimit -v` |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as home:
        home = Path(home)
        for number, (name, (rows, columns, flags)) in enumerate(SHAPES.items()):
            if args.only and args.only not in name:
                continue
            data = write_data(home, name, rows, columns, number)
            log = home / "log"
            log.unlink(missing_ok=True)
            command = [
                binary,
                "fit",
                data,
                "--outcome",
                "y.npy",
                *OUTCOMES.get(name, []),
                *flags.split(),
            ]
            if "--jobs" not in command:
                command += ["--jobs", "2"]
            command += ["--log", "log", "--quiet"]
            subprocess.run(command, cwd=home, check=True, capture_output=True)
            seen = events(log)
            announced, peak = seen["memory"]["needed_bytes"], seen["end"]["peak_bytes"]
            limit = f'ulimit -v {int(announced / 1024)}; exec "$0" "$@"'
            limited = subprocess.run(
                ["bash", "-c", limit, *command], cwd=home, capture_output=True, text=True
            )
            said = limited.stderr.strip()
            clear = limited.returncode in (1, 2) and said.count("\n") == 0 and "memory" in said
            shown = "refused" if clear else f"exit {limited.returncode}: {said[:200]}"
            parts = {k: round(v / 1e6) for k, v in seen["memory"]["parts"].items()}
            print(
                f"| {name} | {rows:,} × {columns:,} | {announced / 1e6:.0f} | {peak / 1e6:.0f} "
                f"| {announced / peak:.2f} | {shown} |",
                *([parts, said] if args.only else []),
                flush=True,
            )


if __name__ == "__main__":
    main()
