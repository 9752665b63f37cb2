"""STG's side of the race: one fit at one λ is its unit, for it has no path.

Settings are those of its README and example notebooks for each task, with hidden layers as in the
race and full batch; only the learning rate of the regression is 0.01 in place of 0.1, with which it
does not fit an outcome of this variance. `tuned` fits ten λ around its examples' and takes the one
with the lowest loss on the held-out rows; if the budget runs out, the seconds of those done are
scaled to ten, for each does the same epochs.
"""

import collections
import collections.abc
import time
import warnings

import numpy as np
import torch
from common import HIDDEN, loss, main, stopwatch

# STG 0.1.2 takes these from where they were before Python 3.10, and fails without them.
for name in ("Iterable", "Mapping", "Sequence", "Set"):
    setattr(collections, name, getattr(collections.abc, name))
from stg import STG  # noqa: E402

TASKS = {"regression": "regression", "classification": "classification", "survival": "cox"}
SETTINGS = {
    "regression": {"activation": "tanh", "optimizer": "SGD", "learning_rate": 0.01, "lam": 0.1},
    "classification": {"activation": "tanh", "optimizer": "SGD", "learning_rate": 0.1, "lam": 0.5},
    "survival": {"activation": "selu", "optimizer": "Adam", "learning_rate": 0.0005, "lam": 0.004},
}
EPOCHS = {"regression": 3000, "classification": 5000, "survival": 600}
GRID = {
    "regression": np.geomspace(0.01, 10, 10),
    "classification": np.geomspace(0.01, 10, 10),
    # Its Cox model leaves λ out of the loss: there is nothing to tune.
    "survival": [0.004],
}


def outcome(design, sample):
    """Features and outcome as STG takes them."""
    if design == "regression":
        # A flat y would be broadcast against its output of one column.
        return sample.x, sample.y[:, None]
    if design == "classification":
        return sample.x, sample.y
    order = np.argsort(-sample.y[:, 0])  # its partial likelihood wants descending times
    times, events = sample.y[order].T
    return sample.x[order], {"T": times, "E": events}


def fit(design, sample, **changes):
    """One fit; changes are to the settings."""
    x, y = outcome(design, sample)
    model = STG(
        task_type=TASKS[design],
        input_dim=x.shape[1],
        output_dim=2 if design == "classification" else 1,
        hidden_dims=list(HIDDEN),
        batch_size=len(x),
        feature_selection=True,
        sigma=0.5,
        device="cpu",
        **SETTINGS[design] | changes,
    )
    model.fit(x, y, nr_epochs=EPOCHS[design], verbose=False)
    return model


def output(model, x):
    """The network's output; its own `predict` gives classes only and fails for Cox."""
    model._model.eval()
    x = torch.from_numpy(x).float()
    with torch.no_grad():
        result = model._model({"input": x, "X": x})
    eta = result.get("logits", result.get("pred")).numpy()
    return eta[:, 1] - eta[:, 0] if eta.shape[1] == 2 else eta.ravel()


def tuned(race, seed):
    """The best model by held-out loss, and how many λ were fitted within the budget."""
    deadline = time.perf_counter() + race.budget
    train, held_out = race.split(seed)
    fitted = []
    for lam in GRID[race.design]:
        model = fit(race.design, train, lam=lam)
        fitted.append((loss(race.design, output(model, held_out.x), held_out.y), model))
        if time.perf_counter() > deadline:
            break
    return fitted[np.nanargmin([validation for validation, _ in fitted])][1], len(fitted)


def run(race, seed):
    torch.manual_seed(seed)
    wanted = count = 1
    with stopwatch() as seconds:
        if race.kind == "path":
            model = fit(race.design, race.train)
        else:
            model, count = tuned(race, seed)
            wanted = len(GRID[race.design])
    fits = f"one fit at λ = {SETTINGS[race.design]['lam']:g}" if wanted == 1 else f"{wanted} λ"
    if race.design == "survival":
        fits = "one fit; its Cox loss leaves λ out"
    result = {
        "seconds": seconds[0],
        "epochs": count * EPOCHS[race.design],
        "steps": [race.step(model.get_gates("prob") > 0, output(model, race.test.x))],
        "notes": [f"{fits}; it has no path"],
    }
    if count == wanted:
        return result
    scale = wanted / count
    return result | {
        "bound": "≈",
        "seconds": scale * seconds[0],
        "epochs": wanted * EPOCHS[race.design],
        "notes": [f"{count} of {wanted} λ in {seconds[0]:.0f} s, scaled to all; it has no path"],
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(run, "stg")
