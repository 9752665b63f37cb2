"""The arrays of one replicate, as the program exports them."""

import json
from dataclasses import dataclass, replace

import numpy as np

from .failure import Failure

# Of scikit-learn's and NumPy's seeds; the program's may be longer.
SEEDS = 2**32


@dataclass(frozen=True)
class Rows:
    """Features (n × d) and outcome: numbers, classes 0, 1, …, or time and event in two columns."""

    x: np.ndarray
    y: np.ndarray

    def __getitem__(self, which):
        return Rows(self.x[which], self.y[which])

    def __len__(self):
        return len(self.x)


@dataclass(frozen=True)
class Arrays:
    """Rows to learn from, rows to score on by name, and what is known of them."""

    task: str
    # What test rows are scored by: a name of scores.score.
    metric: str
    train: Rows
    tests: dict
    seed: int
    support: np.ndarray | None = None
    # Columns outside of which none matters, where the very ones that do are not known.
    area: np.ndarray | None = None
    times: np.ndarray | None = None
    standardize: bool = False
    # Another score, if the study has a second one.
    second: str | None = None
    # Columns that a clinician has without the laboratory.
    clinical: np.ndarray | None = None
    # How many classes there are, if the outcome is one.
    classes: int | None = None

    @property
    def wide(self):
        """The paper's high-dimensional setting: more columns than rows are left to learn from."""
        n, d = self.train.x.shape
        return d > 0.8 * n

    def split(self, share):
        """Training rows without a random `share` of them, and that share, for validation."""
        order = np.random.default_rng(self.seed).permutation(len(self.train))
        held_out = round(share * len(order))
        return self.train[order[held_out:]], self.train[order[:held_out]]

    def learning_from(self, x):
        """The same with other features of the training rows; tests are left as they are."""
        return replace(self, train=Rows(x, self.train.y))

    def scaling(self):
        """What to do to features first: if the study asks for it, mean 0 and variance 1.

        On the training rows, that is; others are scaled like them.
        """
        if not self.standardize:
            return lambda x: x
        x = self.train.x
        mean, deviation = x.mean(axis=0), x.std(axis=0)
        # A constant column stays one; rounding may give it a deviation, and a tiny one.
        deviation[x.min(axis=0) == x.max(axis=0)] = 1
        return lambda x: (x - mean) / deviation

    def scaled(self):
        """For networks: the arrays scaled, what scales other features, what takes predictions back.

        A number is scaled with the features: a network that starts at 0 would otherwise spend its
        epochs on the way to the mean.
        """
        scale, y = self.scaling(), self.train.y
        mean, deviation = 0.0, 1.0
        if self.standardize and self.task == "regression":
            mean, deviation = y.mean(), y.std()
            y = (y - mean) / deviation
        learning = replace(self, train=Rows(scale(self.train.x), y))
        return learning, scale, lambda predicted: mean + deviation * predicted


def read(folder):
    """The arrays in a folder of `--export`.

    Tests are called "" or, where the same images are there with and without noise, "noisy" and
    "clean".
    """
    info = json.loads((folder / "info.json").read_text())
    task = info["task"]
    if task not in ("regression", "binary", "multiclass", "cox"):
        raise Failure(f"{folder.name}: unknown task {task!r}; update peers/ to this checkout")

    def load(name):
        return np.load(folder / f"{name}.npy", allow_pickle=False)

    def outcome(name):
        y = load(name)
        return y.astype(int) if task in ("binary", "multiclass") else y

    train = Rows(load("train_x"), outcome("train_y"))
    test = Rows(load("test_x"), outcome("test_y"))
    tests = {"": test}
    if (folder / "test_x_clean.npy").exists():
        tests = {"noisy": test, "clean": Rows(load("test_x_clean"), test.y)}

    def known(name, kind):
        return None if info[name] is None else np.array(info[name], kind)

    return Arrays(
        task,
        info["score"],
        train,
        tests,
        info["seed"] % SEEDS,
        support=known("support", int),
        area=known("area", int),
        times=known("times", float),
        standardize=info["standardize"],
        second=info["second"],
        clinical=known("clinical", int),
        classes=info["classes"],
    )
