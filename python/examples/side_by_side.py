# %% [markdown]
# # gcrnet, LassoNet and threshnet on the same rows
#
# Cells as in a notebook: run it whole (`python side_by_side.py`) or cell by cell in an editor that
# knows `# %%`. It needs `gcrnet`, `lassonet` and `threshnet` in one environment, which
# `make bench-python` sets up. Everybody gets the same training rows, the same test rows, seed 0 and
# one thread.

# %% The data: 300 training rows, 20 columns of which five matter, 1000 test rows
import contextlib
import io
import random
import time

import gcrnet.gcrnet as gcrnet
import numpy as np
import torch
from lassonet import LassoNetRegressorCV
from sklearn.datasets import make_friedman1
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split

from threshnet import ThreshNetRegressor

torch.set_num_threads(1)
SEED, TRUE = 0, {0, 1, 2, 3, 4}
X, y = make_friedman1(1300, n_features=20, noise=1.0, random_state=SEED)
X, X_test, y, y_test = train_test_split(X, y, train_size=300, random_state=SEED)

# Networks want standardised numbers. threshnet does that itself; the others are helped.
center, scale = X.mean(axis=0), X.std(axis=0)
Z, Z_test = (X - center) / scale, (X_test - center) / scale
y_center, y_scale = y.mean(), y.std()
target = (y - y_center) / y_scale

LAMBDAS = np.geomspace(1e-3, 0.5, 50)
RIDGES = [1e-3, 1e-2, 1e-1]
found = []


def note(name, seconds, columns, predicted):
    """A line of the table."""
    columns = {int(column) for column in columns}
    score = r2_score(y_test, predicted)
    found.append((name, seconds, len(columns & TRUE), len(columns - TRUE), score))


# %% gcrnet: its own tuning, 50 λs by 3 ridges, the paper's epochs
# It has no seed: the three generators it draws from are seeded by hand.
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)
model = gcrnet.GCRNet(
    device=torch.device("cpu"),
    input_dim=Z.shape[1],
    hidden_dims=[10, 5],
    penalty="MCP",
    lam=list(LAMBDAS),
    batch_size=len(Z),
    task_type="regression",
    drop_input=True,
)
start = time.perf_counter()
best = model.fit_and_validate(
    Z, target, {"alpha": RIDGES}, init_num_epochs=2000, num_epochs=200, verbose=False
)
seconds = time.perf_counter() - start
columns = best._index_path[best.best_lam_ind]
best._model = best.best_model
predicted = best.predict(Z_test[:, columns], key="pred", best=False).ravel()
note("gcrnet", seconds, columns, y_center + y_scale * predicted)

# %% LassoNet: its own cross-validation, five folds
model = LassoNetRegressorCV(
    hidden_dims=(10, 5), cv=5, random_state=SEED, torch_seed=SEED, verbose=0, device="cpu"
)
start = time.perf_counter()
with contextlib.redirect_stderr(io.StringIO()):
    model.fit(Z, target)
seconds = time.perf_counter() - start
columns = np.flatnonzero(model.best_selected_.numpy())
note("LassoNet", seconds, columns, y_center + y_scale * model.predict(Z_test).ravel())

# %% threshnet by the paper's protocol, on gcrnet's grid
model = ThreshNetRegressor(protocol="paper", lambdas=LAMBDAS, ridges=RIDGES, random_state=SEED)
start = time.perf_counter()
model.fit(X, y)
seconds = time.perf_counter() - start
note("threshnet, paper's", seconds, model.get_support(indices=True), model.predict(X_test))

# %% threshnet as it comes
model = ThreshNetRegressor(random_state=SEED)
start = time.perf_counter()
model.fit(X, y)
seconds = time.perf_counter() - start
note("threshnet", seconds, model.get_support(indices=True), model.predict(X_test))

# %% What came out
print("| package | seconds | found of 5 | false of 15 | test R² |")
print("| --- | --: | --: | --: | --: |")
for name, seconds, hits, false, score in found:
    print(f"| {name} | {seconds:.1f} | {hits} | {false} | {score:.3f} |")
