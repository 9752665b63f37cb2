"""The Python package: what the binding costs over the Rust call, and gcrnet, LassoNet and
threshnet side by side (python/examples/side_by_side.py).

python3 bench/python.py    writes bench/records/DATE-python.md

Both sides of the first fit the same file with the same settings and seed on one thread, in turn:
the command line, which reports the seconds of its call of the library (reading excluded), and
`ThreshNetRegressor.fit`, from the call to its return. Needs cargo and Python with venv.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from race.environment import BENCH, PYTHON, install, machine, output, say

ROOT = BENCH.parent
BINARY = ROOT / "target" / "release" / "threshnet"
PATH_FLAGS = ("--protocol", "paper", "--ridges", "0.01", "--seed", "0", "--jobs", "1")

# Prints the seconds of a fit, and what it selects, for comparison with the command line's.
TIMED = """
import json, sys, time
import numpy as np
from threshnet import ThreshNetRegressor
rows = np.genfromtxt(sys.argv[1], delimiter=",", skip_header=1)
X, y = rows[:, :-1].copy(), rows[:, -1].copy()
model = ThreshNetRegressor(protocol="paper", ridges=[0.01], random_state=0)
model.fit(X[:20], y[:20])
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, model.get_support(indices=True).tolist()]), flush=True)
    input()
"""


def overhead(repeats):
    """Seconds of the library's call and of the package's `fit`, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.csv"
        file.write_text(output(BINARY, "simulate", "regression", "-n", "500", "-d", "1000"))
        script = Path(folder) / "timed.py"
        script.write_text(TIMED)
        package = subprocess.Popen(
            [PYTHON, script, file, str(repeats)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        rust, python = [], []
        for _ in range(repeats):
            seconds, columns = json.loads(package.stdout.readline())
            command = (BINARY, "fit", file, "--target", "y", *PATH_FLAGS, "--json", "--quiet")
            summary = json.loads(output(*command))
            if sorted(column["index"] for column in summary["selected"]) != columns:
                raise SystemExit("the command line and the package selected other columns")
            rust.append(summary["seconds"])
            python.append(seconds)
            package.stdin.write("\n")
            package.stdin.flush()
        package.wait()
    return rust, python, summary["instruction_set"]


def versions():
    """What took part."""
    code = (
        "from importlib.metadata import version; "
        "print(', '.join(f'{name} {version(name)}' for name in "
        "('threshnet', 'gcrnet', 'lassonet', 'torch', 'scikit-learn', 'numpy')))"
    )
    return output(PYTHON, "-c", code).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=25, help="fits of each side")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="of the record")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    install()
    say("building …")
    output("cargo", "build", "--locked", "--quiet", "--release")
    output(PYTHON, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", "./python")
    say("the binding …")
    rust, python, instruction_set = overhead(options.repeats)

    def both(seconds):
        return f"{statistics.median(seconds):.4f} | {min(seconds):.4f}"

    def ratio(of):
        return f"{of(python) / of(rust):.4f}"

    say("side by side …")
    table = output(PYTHON, "-W", "ignore", ROOT / "python" / "examples" / "side_by_side.py")
    record = f"""# The Python package, {options.date}

## What the binding costs

One path (50 λ, one ridge, a hold-out) of 500 × 1000, regression, one thread, {options.repeats} fits
of each in turn:

| | median seconds | fastest |
| --- | --: | --: |
| the library's call, as the command line reports it | {both(rust)} |
| `ThreshNetRegressor.fit(X, y)`, checks and copies included | {both(python)} |
| ratio | {ratio(statistics.median)} | {ratio(min)} |

## gcrnet, LassoNet and threshnet on the same rows

`python/examples/side_by_side.py`: same split, same seed, one thread each.

{table}
- command: `python3 bench/python.py`
- machine: {machine(instruction_set, load)}
- versions: {versions()}
"""
    print(record)
    (BENCH / "records" / f"{options.date}-python.md").write_text(record)


if __name__ == "__main__":
    main()
