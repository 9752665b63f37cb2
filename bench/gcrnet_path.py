"""The peer's side of run.py: one path of PyPI's gcrnet, timed, on one thread.

    gcrnet_path.py FOLDER SPEC REPEATS     prints JSON

FOLDER holds train.bin and test.bin as `bench_path simulate` writes them; SPEC is the JSON that
`bench_path run` printed, from which λs, ridge and epochs are taken. gcrnet runs at its best:
full batch, pruned columns dropped, nothing printed. Repetition r draws its weights under torch
seed r. The clock covers the constructor and `fit`.
"""

import contextlib
import json
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

import gcrnet.gcrnet as peer
import numpy as np
import pandas as pd
import torch
from lifelines.utils import concordance_index
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error, r2_score

TASKS = {"regression": "regression", "classification": "classification", "survival": "cox"}


class CountingLoader(peer.FastTensorDataLoader):
    """Counts epochs: the peer begins one iteration over its loader in each."""

    epochs = 0

    def __iter__(self):
        CountingLoader.epochs += 1
        return super().__iter__()


def read(path):
    """Design, features (n × d) and outcome of a file, as gcrnet takes them."""
    with open(path, "rb") as file:
        design, n, d = file.readline().decode().split()
        columns = np.frombuffer(file.read(), "<f8").reshape(-1, int(n))
    x = np.ascontiguousarray(columns[: int(d)].T)
    if design == "survival":
        return design, x, pd.DataFrame({"T": columns[-2], "E": columns[-1]})
    return design, x, columns[-1].astype(int) if design == "classification" else columns[-1].copy()


def fit(design, x, y, spec):
    """The timed part: a whole path."""
    model = peer.GCRNet(
        device=torch.device("cpu"),
        input_dim=x.shape[1],
        hidden_dims=[10, 5],
        penalty="MCP",
        lam=spec["lambdas"],
        alpha=spec["ridge"],
        learning_rate=0.001,
        gamma=1,
        batch_size=len(x),
        task_type=TASKS[design],
        drop_input=True,
    )
    model.fit(x, y, init_num_epochs=spec["first_epochs"], num_epochs=spec["epochs"], verbose=False)
    return model


def output(model, step, x):
    """The network's output at a step of the path."""
    model._model = model._model_path[step]
    key = "pred" if model.task_type == "regression" else "logits"
    columns = model._index_path[step]
    return model.predict(x[:, columns], key=key, best=False).ravel().astype(float)


def loss(design, eta, y):
    """The mean loss, in 64 bit."""
    if design == "regression":
        return mean_squared_error(y, eta)
    if design == "classification":
        return log_loss(y, np.exp(-np.logaddexp(0, -eta)))
    order = np.argsort(-y["T"].to_numpy())
    eta, event = eta[order], y["E"].to_numpy()[order]
    return float(np.sum(event * (np.logaddexp.accumulate(eta) - eta)) / event.sum())


def score(design, eta, y):
    """R², accuracy or C-index."""
    if design == "regression":
        return r2_score(y, eta)
    if design == "classification":
        return accuracy_score(y, eta > 0)
    return concordance_index(y["T"], -eta, y["E"])


def selected(model, step):
    """The columns in use at a step of the path."""
    model.best_lam_ind = step
    return np.flatnonzero(model.get_selection()[0]).tolist()


def timed(train, test, spec, seed):
    """Fits one path and describes it."""
    design, x, y = train
    torch.manual_seed(seed)
    CountingLoader.epochs = 0
    # gcrnet reports failures by printing them; standard output is for JSON.
    with contextlib.redirect_stdout(sys.stderr):
        start = time.perf_counter()
        model = fit(design, x, y, spec)
        seconds = time.perf_counter() - start
    epochs = CountingLoader.epochs
    steps = [
        {
            "selected": selected(model, step),
            "train_loss": loss(design, output(model, step, x), y),
            "test_score": score(design, output(model, step, test[1]), test[2]),
        }
        for step in range(len(spec["lambdas"]))
    ]
    return {"seconds": seconds, "epochs": epochs, "steps": steps}


def main():
    folder, spec, repeats = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(1)
    peer.FastTensorDataLoader = CountingLoader
    spec = json.loads(spec.read_text())
    train, test = read(folder / "train.bin"), read(folder / "test.bin")
    paths = [timed(train, test, spec, seed) for seed in range(repeats)]
    versions = {"python": platform.python_version()}
    versions |= {name: version(name) for name in ("gcrnet", "torch", "numpy")}
    print(json.dumps({"versions": versions, "paths": paths}))


if __name__ == "__main__":
    main()
