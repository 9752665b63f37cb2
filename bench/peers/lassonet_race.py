"""LassoNet's side of the race: its `path()` with its defaults, hidden layers as in the race.

Its λs begin where it says and grow by 2 % until no column is left. `path` leaves its validation
to it (10 % of the rows for early stopping; none for Cox). `tuned` gives it the held-out rows to
stop by and takes the λ with the lowest loss on them: it has no ridge to tune. Over the budget, it
is stopped after the λ it is at, and its seconds are a lower bound.
"""

import time

import numpy as np
import torch
from common import HIDDEN, main, stopwatch
from lassonet import LassoNetClassifier, LassoNetCoxRegressor, LassoNetRegressor


class OutOfBudget(Exception):
    pass


def model(design, seed):
    settings = {"hidden_dims": HIDDEN, "torch_seed": seed, "random_state": seed, "verbose": 0}
    if design == "regression":
        return LassoNetRegressor(**settings)
    if design == "classification":
        return LassoNetClassifier(**settings)
    # It refuses its own default for ties, None.
    return LassoNetCoxRegressor(tie_approximation="breslow", **settings)


def path(subject, race, seed):
    """The timed part: the steps of the path, and whether it came to its end."""
    deadline = time.perf_counter() + race.budget
    steps = []

    def watch(_, history):
        steps.append(history[-1])
        if time.perf_counter() > deadline:
            raise OutOfBudget

    train, held_out = race.split(seed)
    validation = {"X_val": held_out.x, "y_val": held_out.y} if race.kind == "tuned" else {}
    try:
        subject.path(train.x, train.y, return_state_dicts=True, callback=watch, **validation)
    except OutOfBudget:
        return steps, False
    return steps, True


def output(subject, step, x):
    """The network's output at a step of the path; for classes, the log odds."""
    subject.load(step)
    with torch.no_grad():
        eta = subject.model(torch.from_numpy(x).float()).numpy()
    return eta[:, 1] - eta[:, 0] if eta.shape[1] == 2 else eta.ravel()


def run(race, seed):
    subject = model(race.design, seed)
    with stopwatch() as seconds:
        steps, ended = path(subject, race, seed)
        if race.kind == "tuned":
            chosen = [steps[np.nanargmin([step.val_loss for step in steps])]]
    result = {
        "seconds": seconds[0],
        "epochs": sum(step.n_iters for step in steps),
        "steps": [
            race.step(step.selected.numpy(), output(subject, step, race.test.x))
            for step in (chosen if race.kind == "tuned" else steps)
        ],
        "notes": [],
    }
    if ended:
        return result
    left = int(steps[-1].selected.sum())
    note = f"stopped when the budget was out, after {len(steps)} λ with {left} columns left"
    return result | {"bound": "≥", "notes": [note]}


if __name__ == "__main__":
    main(run, "lassonet")
