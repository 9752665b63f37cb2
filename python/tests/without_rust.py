"""Run with the wheel alone and an empty environment: no Rust, nothing but what it depends on."""

import shutil

import numpy as np

from threshnet import ThreshNetRegressor

if shutil.which("cargo") or shutil.which("rustc"):
    raise SystemExit("there is Rust here: this proves nothing")
X = np.random.default_rng(0).normal(size=(80, 6))
model = ThreshNetRegressor(protocol="paper", random_state=0).fit(X, 3 * X[:, 2])
assert model.get_support(indices=True).tolist() == [2], model.get_support()
print("the wheel works without Rust")
