"""One path of gcrnet: how many columns are left at every λ, and those of the chosen one.

    gcrnet_path.py DATA.csv TASK PENALTY RIDGE SEED

DATA is what `threshnet simulate` wrote. A fifth of the rows, drawn by SEED, is held out. λs, epochs
and all else are the paper's for wide data; SEED draws the weights, too. Prints JSON.
"""

import json
import sys

import numpy as np
import torch
from common import HIDDEN
from gcrnet.gcrnet import GCRNet

LAMBDAS = {"LASSO": (5e-4, 2e-3), "MCP": (1e-2, 0.5), "SCAD": (1e-2, 0.5)}
COUNT, EPOCHS = 50, 200


def path(file, task, penalty, ridge, seed):
    rows = np.loadtxt(file, delimiter=",", skiprows=1)
    x, y = rows[:, :-1], rows[:, -1]
    order = np.random.default_rng(seed).permutation(len(x))
    held_out, train = np.split(order, [len(x) // 5])
    torch.manual_seed(seed)
    model = GCRNet(
        device=torch.device("cpu"),
        input_dim=x.shape[1],
        hidden_dims=list(HIDDEN),
        penalty=penalty,
        lam=list(np.geomspace(*LAMBDAS[penalty], COUNT)),
        alpha=ridge,
        batch_size=len(train),
        task_type=task,
        drop_input=True,
    )
    model.fit(x[train], y[train], num_epochs=EPOCHS, verbose=False)
    scores = model.score(x[held_out], y[held_out])
    sizes = [int(scores[f"size{k}"]) for k in range(COUNT)]
    best = max(range(COUNT), key=lambda k: scores[f"score{k}"])
    # Once nothing is left the package keeps the columns that it had last.
    chosen = model._index_path[best].tolist() if sizes[best] else []
    return {"sizes": sizes, "chosen": chosen}


if __name__ == "__main__":
    torch.set_num_threads(1)
    file, task, penalty, ridge, seed = sys.argv[1:]
    print(json.dumps(path(file, task, penalty, float(ridge), int(seed))))
