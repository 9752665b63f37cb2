"""One path on one thread and on two, from the command line and from Python.

python3 bench/threads.py BINARY PYTHON [--turns 3]

BINARY is a release build of `threshnet`, PYTHON an interpreter that has the package. A path of the
paper's 50 λs is traced on 2000 rows of 5000 simulated columns: by `fit` with one ridge and a
hold-out of a fifth of 2500 rows, and by `threshnet_path`. Every λ has the paper's epochs. Prints
the medians as a table in Markdown, and ends with status 1 if the models differ.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROWS, HELD_OUT, COLUMNS = 2000, 500, 5000
THREADS = (1, 2)
FIT = "--outcome y.npy --protocol paper --ridges 0.01 --quiet"

IN_PYTHON = """
import sys, time
import numpy as np
from threshnet import threshnet_path
x, y = np.asfortranarray(np.load("path_x.npy")), np.load("path_y.npy")
start = time.perf_counter()
jobs = int(sys.argv[1])
found = threshnet_path(x, y, protocol="paper", ridge=0.01, random_state=0, n_jobs=jobs)
print(time.perf_counter() - start)
found.estimator.save(sys.argv[2])
"""


def simulated(folder):
    """Four of the columns matter, as in the paper's regression."""
    random = np.random.default_rng(1)
    x = random.normal(size=(ROWS + HELD_OUT, COLUMNS)).astype(np.float32)
    y = x[:, 0] * x[:, 1] + np.cos(x[:, 2]) + 2 * x[:, 3] + 0.5 * random.normal(size=len(x))
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)
    np.save(folder / "path_x.npy", x[:ROWS])
    np.save(folder / "path_y.npy", y[:ROWS])


def run(folder, *command):
    command = [str(word) for word in command]
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def command_line(folder, binary, threads):
    """Seconds of the fit, and its model."""
    out = f"fit-{threads}"
    run(folder, binary, "fit", "x.npy", *FIT.split(), "--jobs", threads, "--out", out)
    seconds = json.loads((folder / out / "summary.json").read_text())["seconds"]
    return seconds, (folder / out / "model.json").read_bytes()


def python(folder, interpreter, threads):
    """The same of the package."""
    saved = folder / f"path-{threads}.json"
    seconds = float(run(folder, interpreter, "-c", IN_PYTHON, threads, saved))
    return seconds, saved.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("python", type=Path)
    parser.add_argument("--turns", type=int, default=3)
    asked = parser.parse_args()
    print("| from | 1 thread, s | 2 threads, s | ratio | model |\n| --- | --: | --: | --: | --- |")
    different = False
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        simulated(folder)
        for name, work, program in (
            ("command line", command_line, asked.binary.absolute()),
            ("Python", python, asked.python.absolute()),
        ):
            times, models = {threads: [] for threads in THREADS}, set()
            for _ in range(asked.turns):
                for threads in THREADS:
                    seconds, model = work(folder, program, threads)
                    times[threads].append(seconds)
                    models.add(model)
            one, two = (statistics.median(times[threads]) for threads in THREADS)
            same = len(models) == 1
            different |= not same
            verdict = "the same bytes" if same else "DIFFERENT"
            print(f"| {name} | {one:.2f} | {two:.2f} | {one / two:.2f} | {verdict} |", flush=True)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
