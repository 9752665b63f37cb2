"""Freezes what the paper's own package does, for the Adam solver to be compared with.

    pip install gcrnet==1.1.0 torch numpy
    python adam.py

writes adam.json next to this file: for each outcome and penalty a small data set, a start, and
the weights after a number of epochs at one lambda. Layers are [weight, bias], weight as rows per
output unit; a Cox network has no output bias. Inputs are multiples of 1/1024.

120 epochs, because by 150 a row of the Cox SCAD case crosses the kink of a ReLU, where the
package's single precision falls on another side than 64 bit does and weights part by 6e-4.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from gcrnet.gcrnet import GCRNet

ROWS, COLUMNS, HIDDEN, EPOCHS = 50, 5, [4, 3], 120
LAMBDA, RIDGE = 0.03, 0.01


def layers(model):
    """All parameters, from the inputs up, a missing bias as an empty list."""
    linear = [m for m in model.modules() if isinstance(m, torch.nn.Linear)]
    return [
        [m.weight.detach().double().tolist(), [] if m.bias is None else m.bias.detach().tolist()]
        for m in linear
    ]


def run(task, penalty, x, outcome):
    """One solve; what it started from and where it ended."""
    net = GCRNet(
        device=torch.device("cpu"),
        input_dim=COLUMNS,
        hidden_dims=HIDDEN,
        penalty=penalty,
        lam=[LAMBDA],
        alpha=RIDGE,
        batch_size=ROWS,
        task_type=task,
    )
    start = layers(net._model)
    net._init_nn = lambda: net  # `fit` would draw another start
    net.fit(x, outcome, init_num_epochs=EPOCHS, verbose=False)
    return start, layers(net._model)


def main():
    random = np.random.default_rng(1)
    torch.manual_seed(1)
    x = np.round(random.normal(size=(ROWS, COLUMNS)) * 1024) / 1024
    signal = x[:, 0] * x[:, 1] + x[:, 2]
    y = np.round((signal + 0.3 * random.normal(size=ROWS)) * 1024) / 1024
    labels = (random.uniform(size=ROWS) < 1 / (1 + np.exp(-2 * signal))).astype(int)
    time = np.argsort(np.argsort(np.exp(-signal) * random.exponential(size=ROWS))) + 1.0
    event = (random.uniform(size=ROWS) < 0.7).astype(int)
    outcomes = {
        "regression": (y, {"y": y.tolist()}),
        "classification": (labels, {"labels": labels.tolist()}),
        "cox": (
            pd.DataFrame({"E": event, "T": time}),
            {"time": time.tolist(), "event": event.astype(bool).tolist()},
        ),
    }
    cases = []
    for task, (outcome, written) in outcomes.items():
        for penalty in ("LASSO", "MCP", "SCAD"):
            start, end = run(task, penalty, x, outcome)
            case = {"task": task, "penalty": penalty.lower(), **written, "start": start, "end": end}
            cases.append(case)
    settings = {"lambda": LAMBDA, "ridge": RIDGE, "epochs": EPOCHS, "x": x.T.tolist()}
    versions = {"gcrnet": "1.1.0", "torch": torch.__version__, "numpy": np.__version__}
    text = json.dumps({"versions": versions, **settings, "cases": cases})
    Path(__file__).with_name("adam.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
