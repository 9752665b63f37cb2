"""Stochastic gates (Yamada et al. 2020), learning rate and λ searched by Optuna as in the paper."""

import collections
import collections.abc

import numpy as np
import optuna
import torch

from .failure import Failure
from .fitted import Fitted

# STG 0.1.2 takes these from where they were before Python 3.10, and fails without them.
for name in ("Iterable", "Mapping", "Sequence", "Set"):
    setattr(collections, name, getattr(collections.abc, name))
from stg import STG  # noqa: E402

HIDDEN = [10, 5]
EPOCHS = 2000
VALIDATION_SHARE = 0.1
LEARNING_RATES = (1e-4, 0.1)
PENALTIES = (1e-3, 10)
PENALTIES_IF_WIDE = (1e-2, 100)


def fit(arrays, trials, epochs=EPOCHS):
    """The trial with the lowest validation loss, as it was fitted: without its validation rows."""
    if arrays.task == "cox":
        raise Failure(
            "stg does not run on survival outcomes: its Cox loss ignores λ, and the paper leaves "
            "it out; take lassonet or rsf"
        )
    arrays, scale, back = arrays.scaled()
    learning, validation = arrays.split(VALIDATION_SHARE)
    penalties = PENALTIES_IF_WIDE if arrays.wide else PENALTIES
    best_loss, best_model, best_penalty = np.inf, None, None

    def trial_loss(trial):
        nonlocal best_loss, best_model, best_penalty
        rate = trial.suggest_float("learning_rate", *LEARNING_RATES, log=True)
        penalty = trial.suggest_float("lam", *penalties, log=True)
        model = train(arrays.task, learning, rate, penalty, epochs)
        loss = validation_loss(arrays.task, output(model, validation.x), validation.y)
        if loss < best_loss:
            best_loss, best_model, best_penalty = loss, model, penalty
        return loss

    torch.manual_seed(arrays.seed)
    # Optuna reports every trial, and warns of those that diverge: these count, and lose.
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=arrays.seed)
    optuna.create_study(sampler=sampler).optimize(trial_loss, n_trials=trials)
    if best_model is None:
        raise Failure(f"stg: all {trials} trials diverged; raise --trials")

    return Fitted(
        lambda x: back(output(best_model, scale(x))),
        np.flatnonzero(best_model.get_gates("prob") > 0),
        best_penalty,
    )


def train(task, rows, rate, penalty, epochs):
    """One fit of the package, all rows in one batch."""
    binary = task == "binary"
    model = STG(
        task_type="classification" if binary else "regression",
        input_dim=rows.x.shape[1],
        output_dim=2 if binary else 1,
        hidden_dims=HIDDEN,
        activation="relu",
        optimizer="Adam",
        learning_rate=rate,
        lam=penalty,
        batch_size=len(rows),
        device="cpu",
    )
    # A flat outcome would be broadcast against the network's output of one column.
    model.fit(rows.x, rows.y if binary else rows.y[:, None], nr_epochs=epochs, verbose=False)
    return model


def output(model, x):
    """Predicted numbers or log odds; the package's own `predict` gives no log odds."""
    network = model._model.eval()
    with torch.no_grad():
        result = network({"input": torch.from_numpy(x).float()})
    if "logits" in result:
        logits = result["logits"].numpy().astype(float)
        return logits[:, 1] - logits[:, 0]
    return result["pred"].numpy().astype(float).ravel()


def validation_loss(task, predicted, y):
    """Mean squared error or cross-entropy; NaN if the network diverged."""
    if not np.isfinite(predicted).all():
        return float("nan")
    if task == "binary":
        return float(np.mean(np.logaddexp(0, np.where(y == 1, -predicted, predicted))))
    return float(np.mean((y - predicted) ** 2))
