"""What the peers' runners share: arguments, arrays, scores, and the JSON they print.

    RUNNER.py KIND FOLDER SPEC BUDGET REPEATS

KIND is `path` or `tuned`. FOLDER holds train.bin and test.bin as `race simulate` writes them.
SPEC is a file with the JSON that `race path` or `race fit` printed for the same data: λs, ridges,
epochs and held-out rows are taken from it. A repetition that takes longer than BUDGET seconds is
cut short in the runner's own way and says so in its notes.
"""

import contextlib
import json
import platform
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from lifelines.utils import concordance_index
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error, r2_score

HIDDEN = (10, 5)


@dataclass
class Sample:
    """Rows of features (n × d) and their outcome: numbers, 0/1, or (time, event)."""

    x: np.ndarray
    y: np.ndarray

    def rows(self, rows):
        return Sample(self.x[rows], self.y[rows])


@dataclass
class Race:
    """One cell of the race, as a runner sees it."""

    kind: str
    design: str
    train: Sample
    test: Sample
    spec: dict
    budget: float

    def split(self, seed):
        """The rows to learn from and the held-out rows of threshnet's repetition `seed`."""
        held_out = np.array(self.spec["runs"][seed]["held_out"], int)
        rest = np.setdiff1d(np.arange(len(self.train.x)), held_out)
        return self.train.rows(rest), self.train.rows(held_out)

    def step(self, selected, eta):
        """A step of a result: the selected columns, and the score on the test sample."""
        return {
            "selected": np.flatnonzero(selected).tolist(),
            "test_score": score(self.design, eta, self.test.y),
        }


def read(path):
    """The design and the sample in a file."""
    with open(path, "rb") as file:
        design, n, d = file.readline().decode().split()
        columns = np.frombuffer(file.read(), "<f8").reshape(-1, int(n))
    y = columns[int(d) :].T
    if design == "classification":
        y = y.astype(int)
    return design, Sample(np.ascontiguousarray(columns[: int(d)].T), np.squeeze(y.copy()))


def loss(design, eta, y):
    """The mean loss of a network's output, in 64 bit; NaN if the output is not finite."""
    eta = eta.astype(float)
    if not np.isfinite(eta).all():
        return float("nan")
    if design == "regression":
        return mean_squared_error(y, eta)
    if design == "classification":
        return log_loss(y, np.exp(-np.logaddexp(0, -eta)))
    order = np.argsort(-y[:, 0])
    eta, event = eta[order], y[order, 1]
    return float(np.sum(event * (np.logaddexp.accumulate(eta) - eta)) / event.sum())


def score(design, eta, y):
    """R², accuracy or C-index; None if the output is not finite."""
    if not np.isfinite(eta).all():
        return None
    if design == "regression":
        return r2_score(y, eta)
    if design == "classification":
        return accuracy_score(y, eta > 0)
    return concordance_index(y[:, 0], -eta, y[:, 1])


@contextlib.contextmanager
def stopwatch():
    """Gives a list that holds the seconds after the block."""
    seconds = []
    start = time.perf_counter()
    yield seconds
    seconds.append(time.perf_counter() - start)


def main(run, *packages):
    """Runs `run(race, seed)` for each repetition and prints JSON."""
    kind, folder, spec, budget, repeats = sys.argv[1:]
    torch.set_num_threads(1)
    design, train = read(Path(folder) / "train.bin")
    _, test = read(Path(folder) / "test.bin")
    race = Race(kind, design, train, test, json.loads(Path(spec).read_text()), float(budget))
    # Peers report on standard output; ours is for JSON.
    with contextlib.redirect_stdout(sys.stderr):
        runs = [run(race, seed) for seed in range(int(repeats))]
    versions = {"python": platform.python_version()}
    versions |= {name: version(name) for name in (*packages, "torch", "numpy")}
    print(json.dumps({"versions": versions, "runs": runs}))
