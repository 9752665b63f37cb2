"""gcrnet's side of the race, at its best: full batch, pruned columns dropped, nothing printed.

It solves what threshnet solved: the same λs, ridges and epochs; for `tuned` through its own
`fit_and_validate`, given the same held-out rows. Repetition r draws its weights under torch seed r.

Where that would exceed the budget, every λ gets fewer epochs, and the seconds are those of the
full run by its work: seconds per epoch depend on the number of columns still in the network (a
Python loop over them), so they are measured at every such number the short run meets, and summed
over the (columns, epochs) of threshnet's path, which follows the same rules. A prediction by the
same rule precedes every run that fits the budget, and is reported beside what was measured.
"""

import math
import time

import gcrnet.gcrnet as peer
import numpy as np
import pandas as pd
import torch
from common import HIDDEN, Sample, main, stopwatch

TASKS = {"regression": "regression", "classification": "classification", "survival": "cox"}
CALIBRATION_COLUMNS = 2000  # in all epochs together, roughly


class CountingLoader(peer.FastTensorDataLoader):
    """Notes when every epoch began: the peer begins an iteration over its rows in each."""

    starts: list[float] = []

    def __iter__(self):
        CountingLoader.starts.append(time.perf_counter())
        return super().__iter__()


class Logged(peer.GCRNet):
    """Notes (columns, epochs, seconds) of every λ it solves."""

    log: list[tuple[int, int, float]] = []

    def train(self, *arguments):
        CountingLoader.starts.clear()
        columns = self._model.get_input_layer().weight.shape[1]
        super().train(*arguments)
        seconds = time.perf_counter() - CountingLoader.starts[0]
        Logged.log.append((columns, len(CountingLoader.starts), seconds))


def outcome(design, y):
    """The outcome as gcrnet takes it."""
    return pd.DataFrame(y, columns=["T", "E"]) if design == "survival" else y


def model(race, train, lambdas, ridge):
    return Logged(
        device=torch.device("cpu"),
        input_dim=train.x.shape[1],
        hidden_dims=list(HIDDEN),
        penalty="MCP",
        lam=lambdas,
        alpha=ridge,
        learning_rate=0.001,
        gamma=1,
        batch_size=len(train.x),
        task_type=TASKS[race.design],
        drop_input=True,
    )


def costs(log):
    """(columns, seconds per epoch), ascending, from what was logged."""
    columns = sorted({entry[0] for entry in log})
    sums = [np.sum([entry[1:] for entry in log if entry[0] == c], axis=0) for c in columns]
    return columns, [seconds / epochs for epochs, seconds in sums]


def predicted(log, work):
    """The seconds that work, (columns, epochs) per λ, takes at the costs in the log."""
    columns, epochs = np.array([step for step in work if step[1] > 0]).T
    return float(np.sum(epochs * np.interp(columns, *costs(log))))


def calibration(race, train):
    """A log of one epoch, the median of a few, at a few numbers of columns."""
    log, columns = [], train.x.shape[1]
    while columns > 1:
        part = Sample(np.ascontiguousarray(train.x[:, :columns]), train.y)
        subject = model(race, part, race.spec["lambdas"][:1], race.spec["ridges"][0])
        epochs = 6 + CALIBRATION_COLUMNS // columns
        subject.fit(part.x, outcome(race.design, part.y), epochs, verbose=False)
        log.append((columns, 1, float(np.median(np.diff(CountingLoader.starts)))))
        columns //= 4
    return log


def fit(race, train, held_out, divisor):
    """The timed part; gives the model and the steps that count."""
    spec = race.spec
    epochs = {
        "init_num_epochs": max(2, spec["first_epochs"] // divisor),
        "num_epochs": max(2, spec["epochs"] // divisor),
        "verbose": False,
    }
    subject = model(race, train, spec["lambdas"], spec["ridges"][0])
    y = outcome(race.design, train.y)
    if race.kind == "path":
        subject.fit(train.x, y, **epochs)
        return subject, range(len(spec["lambdas"]))
    # The split is gcrnet's own business: it draws one without a way to set it.
    y_held_out = outcome(race.design, held_out.y)
    peer.train_test_split = lambda *_, **__: (train.x, held_out.x, y, y_held_out)
    best = subject.fit_and_validate(train.x, y, {"alpha": spec["ridges"]}, **epochs)
    return best, [best.best_lam_ind]


def output(subject, step, x):
    """The network's output at a step of the path."""
    subject._model = subject._model_path[step]
    key = "pred" if subject.task_type == "regression" else "logits"
    return subject.predict(x[:, subject._index_path[step]], key=key, best=False).ravel()


def selected(subject, step):
    """Which columns are in use at a step of the path."""
    subject.best_lam_ind = step
    return subject.get_selection()[0]


def run(race, seed):
    train, held_out = race.split(seed)
    work = race.spec["runs"][seed]["work"]
    expected = predicted(calibration(race, train), work)
    divisor = 1
    if expected > race.budget:
        # Half as much again: in fewer epochs columns die later, and each epoch takes longer.
        divisor = math.ceil(1.5 * expected / race.budget)
    torch.manual_seed(seed)
    Logged.log.clear()
    with stopwatch() as seconds:
        subject, steps = fit(race, train, held_out, divisor)
    result = {
        "seconds": seconds[0],
        "epochs": sum(epochs for _, epochs, _ in Logged.log),
        "steps": [
            race.step(selected(subject, step), output(subject, step, race.test.x)) for step in steps
        ],
        "notes": [],
    }
    if divisor == 1:
        return result | {"predicted": expected}
    result["notes"] = [
        f"run with every λ's epochs divided by {divisor} ({seconds[0]:.0f} s, which the score is "
        "of); the seconds are its seconds per epoch, at every number of columns left, summed over "
        "the columns and epochs of threshnet's run"
    ]
    scaled = {"bound": "≈", "seconds": predicted(Logged.log, work)}
    return result | scaled | {"epochs": sum(epochs for _, epochs in work)}


if __name__ == "__main__":
    peer.FastTensorDataLoader = CountingLoader
    main(run, "gcrnet")
