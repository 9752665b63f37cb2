"""Reading: CSV files of 1 GB beside polars, time and peak memory; predicting 5 GB of rows.

python3 bench/reading.py    writes bench/records/DATE-reading.md

Both readers parse the same file into 64-bit columns in memory, in turn, each in a process of its
own with all cores: `threshnet inspect --json` (which reports the seconds of reading) and
`polars.read_csv`. Needs cargo, Python with venv, 2 GB of disk and 6 GB of memory. Everything but
the record goes to a temporary folder.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import venv
from pathlib import Path

from race.environment import BENCH, machine, output, say

ROOT = BENCH.parent
BINARY = ROOT / "target" / "release" / "threshnet"
POLARS = "polars==2.1.0"

# Writes so many rows and columns of normal numbers with 6 decimals, a few rows at a time.
WRITE = """
import sys
import numpy as np, polars as pl
path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
names = [f"x{j}" for j in range(1, columns + 1)]
draw = np.random.default_rng(0)
with open(path, "wb") as file:
    file.write((",".join(names) + "\\n").encode())
    step = max(1, 4_000_000 // columns)
    for start in range(0, rows, step):
        block = draw.standard_normal((min(step, rows - start), columns))
        pl.DataFrame(block, schema=names).write_csv(file, include_header=False, float_precision=6)
"""

READ = """
import json, sys, time
import polars as pl
start = time.perf_counter()
table = pl.read_csv(sys.argv[1])
seconds = time.perf_counter() - start
assert set(table.dtypes) == {pl.Float64}, set(table.dtypes)
print(json.dumps([seconds, table.shape]))
"""

# Runs a command and writes its peak of memory to a file. A process of its own, because a child's
# peak is counted from the memory of the process that starts it: this one is small.
WATCH = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024))
sys.exit(code)
"""


def measured(folder, command, feed=None):
    """Runs a command with all cores: what it prints, and its peak of memory in bytes."""
    peak = folder / "peak"
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", WATCH, peak, *(str(part) for part in command)],
        stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    feeder = threading.Thread(target=feed, args=(process.stdin,)) if feed else None
    if feeder:
        feeder.start()
        lines = sum(chunk.count(b"\n") for chunk in iter(lambda: process.stdout.read(1 << 16), b""))
        feeder.join()
        printed = lines
    else:
        printed = process.stdout.read()
    if process.wait():
        raise SystemExit(f"{command[0]} failed")
    return printed, int(peak.read_text())


def reading(python, folder, rows, columns, repeats):
    """A line of the table: both readers on a file of this size."""
    file = folder / "data.csv"
    say(f"writing {rows} × {columns} …")
    subprocess.run([python, "-c", WRITE, file, str(rows), str(columns)], check=True)
    size = file.stat().st_size
    ours, theirs, our_peak, their_peak = [], [], 0, 0
    for _ in range(repeats):
        printed, peak = measured(folder, [BINARY, "inspect", file, "--json"])
        found = json.loads(printed)
        if (found["rows"], len(found["columns"])) != (rows, columns):
            raise SystemExit("threshnet read another table")
        ours.append(found["seconds"])
        our_peak = max(our_peak, peak)
        say(f"threshnet {ours[-1]:.2f} s")
        printed, peak = measured(folder, [python, "-c", READ, file])
        seconds, shape = json.loads(printed)
        if shape != [rows, columns]:
            raise SystemExit("polars read another table")
        theirs.append(seconds)
        their_peak = max(their_peak, peak)
        say(f"polars {seconds:.2f} s")
    file.unlink()
    matrix = rows * columns * 8
    both = [f"{statistics.median(s):.2f} ({min(s):.2f})" for s in (theirs, ours)]
    ratio = f"{statistics.median(ours) / statistics.median(theirs):.2f}"
    return (
        f"| {rows} × {columns} | {size / 1e9:.2f} GB | {both[0]} | {both[1]} | {ratio} "
        f"| {matrix / 1e9:.2f} GB | {their_peak / matrix:.2f} | {our_peak / matrix:.2f} |"
    )


def predicting(folder, sizes):
    """Lines of the second table: peak memory of `predict` over so many bytes from a pipe."""
    train = folder / "train.csv"
    train.write_text(output(BINARY, "simulate", "regression", "-n", "300", "-d", "20"))
    fit = (BINARY, "fit", train, "--target", "y", "--protocol", "paper", "--quiet")
    output(*fit, "--out", folder / "fit")
    header, _, rows = train.read_bytes().partition(b"\n")
    block = rows * (1 + (1 << 20) // len(rows))
    lines = []
    for size in sizes:
        blocks = max(1, size // len(block))

        def feed(pipe, blocks=blocks):
            pipe.write(header + b"\n")
            for _ in range(blocks):
                pipe.write(block)
            pipe.close()

        say(f"predicting {size / 1e9} GB …")
        start = datetime.datetime.now()
        command = (BINARY, "predict", folder / "fit", "/dev/stdin")
        printed, peak = measured(folder, command, feed)
        seconds = (datetime.datetime.now() - start).total_seconds()
        if printed != 1 + blocks * block.count(b"\n"):
            raise SystemExit("there is not a prediction for every row")
        lines.append(
            f"| {blocks * len(block) / 1e9:.2f} GB | {printed - 1} | {seconds:.1f} "
            f"| {peak / 2**20:.0f} MiB |"
        )
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="of each reader")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="of the record")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    say("building …")
    output("cargo", "build", "--locked", "--quiet", "--release")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        output(python, "-m", "pip", "install", "--quiet", POLARS, "numpy")
        tables = [
            reading(python, folder, rows, columns, options.repeats)
            for rows, columns in ((53_000, 2000), (1060, 100_000))
        ]
        predictions = predicting(folder, (50_000_000, 500_000_000, 5_000_000_000))
    version = output(BINARY, "--version").strip()
    newline = "\n"
    record = f"""# Reading, {options.date}

## CSV files beside polars

Normal numbers with six decimals. Seconds are medians of {options.repeats} runs in turn (fastest in
brackets), files in the page cache, all cores. Memory is the peak of the process over the matrix:
rows × columns in 64 bit, which is what a fit keeps.

| rows × columns | file | polars, s | threshnet, s | ratio | matrix | polars' peak | our peak |
| --- | --: | --: | --: | --: | --: | --: | --: |
{newline.join(tables)}

## Predicting a stream

`threshnet predict MODEL /dev/stdin`: rows of 20 columns through a pipe, one network.

| rows | predictions | seconds | peak memory |
| --: | --: | --: | --: |
{newline.join(predictions)}

- command: `python3 bench/reading.py --repeats {options.repeats}`
- machine: {machine("any instruction set", load)}
- versions: {version}, {POLARS.replace("==", " ")}
"""
    print(record)
    (BENCH / "records" / f"{options.date}-reading.md").write_text(record)


if __name__ == "__main__":
    main()
