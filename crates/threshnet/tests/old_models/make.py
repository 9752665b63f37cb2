"""Models as this version writes them, with predictions that NumPy makes of the files alone.

    cargo build --release && python make.py target/release/threshnet

writes a folder named after the version. A folder that is there stays as it is: what was written
once must be read for ever. `tests/all/old_models.rs` reads them all. Needs NumPy.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
ROWS = 5

TARGET = ["--target", "y"]
SURVIVAL = ["--time", "time", "--event", "event"]
ONE = ["--validation=none", "--lambdas=0.02", "--ridges=0.01", "--first-epochs=200"]
ONE += ["--learning-rate=0.03", "--linear=leave"]
DRAWS = ["--validation=draws:3", "--lambdas=0.02,0.1", "--ridges=0.01", "--epochs=20"]
DRAWS += ["--first-epochs=200", "--linear=leave", "--learning-rate=0.03", "--frequency=0.4"]
# Weaker penalties and more epochs, by which survival outcomes of few rows keep columns.
WEAK = ["--validation=none", "--lambdas=0.001", "--ridges=0.0001", "--first-epochs=2000"]
WEAK += ["--learning-rate=0.03", "--linear=leave"]
WEAK_DRAWS = ["--validation=draws:3", "--lambdas=0.001,0.002", "--ridges=0.001", "--linear=leave"]
WEAK_DRAWS += ["--first-epochs=2000", "--learning-rate=0.03", "--frequency=0.4"]
# name: design, outcome, flags
CASES = {
    "regression": ("regression", TARGET, [*ONE, "--hidden=6,4"]),
    "regression-draws": ("regression", TARGET, [*DRAWS, "--hidden=3"]),
    "regression-sigmoid": ("regression", TARGET, [*ONE, "--hidden=3", "--activation=sigmoid"]),
    "regression-shortcut": ("regression", TARGET, [*ONE, "--hidden=3", "--shortcut=yes"]),
    "regression-null": ("regression", TARGET, [*ONE[:1], "--lambdas=50", *ONE[2:], "--hidden=3"]),
    "binary": ("classification", TARGET, [*ONE, "--hidden=3", "--activation=tanh"]),
    "binary-draws": ("classification", TARGET, [*DRAWS, "--hidden=2"]),
    "binary-linear": ("classification", TARGET, [*ONE, "--hidden=none"]),
    "multiclass": ("classes", TARGET, [*ONE, "--hidden=3", "--activation=softplus"]),
    "multiclass-draws": ("classes", TARGET, [*DRAWS, "--hidden=2", "--activation=selu"]),
    "survival": ("survival", SURVIVAL, [*WEAK, "--hidden=3,2", "--activation=gelu"]),
    "survival-draws": ("survival", SURVIVAL, [*WEAK_DRAWS, "--hidden=none"]),
}

ACTIVATIONS = {
    "relu": lambda z: np.maximum(z, 0),
    "softplus": lambda z: np.logaddexp(0, z),
    "gelu": lambda z: z * (1 + np.vectorize(math.erf)(z / math.sqrt(2))) / 2,
    "tanh": np.tanh,
    "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
    "selu": lambda z: 1.0507009873554805 * np.where(z > 0, z, 1.6732632423543772 * np.expm1(z)),
}


def outputs(model, network, X):
    """One network, as docs/files.md describes it."""
    scale = model["standardisation"]
    inputs = ((X - scale["center"]) / scale["scale"])[:, network["inputs"]]
    a = inputs
    for number, layer in enumerate(network["layers"], 1):
        weight = np.array(layer["weight"]).reshape(len(layer["bias"]), a.shape[1])
        a = a @ weight.T + layer["bias"]
        if number < len(network["layers"]):
            a = ACTIVATIONS[model["activation"]](a)
    if "shortcut" in network:
        a = a + inputs @ np.array(network["shortcut"]).T
    return a


def response(task, eta):
    if task == "binary":
        return 1 / (1 + np.exp(-eta))
    if task == "multiclass":
        share = np.exp(eta - eta.max(axis=1, keepdims=True))
        return share / share.sum(axis=1, keepdims=True)
    return eta


def predictions(model, X):
    """A column per output: numbers, risks, probabilities (of two classes that of the last)."""
    each = [response(model["task"], outputs(model, net, X)) for net in model["networks"]]
    mean = np.mean(each, axis=0)
    if model["task"] == "regression":
        mean = model["target"]["center"] + model["target"]["scale"] * mean
    return mean


def survival(model, risk, times):
    baseline = model["baseline"]
    steps = np.searchsorted(baseline["time"], times, side="right")
    hazard = np.append(-np.inf, baseline["log_cumulative_hazard"])[steps]
    return np.exp(-np.exp(hazard + risk))


def simulated(binary, design):
    """(header, rows) of a few rows and columns; three classes are made of a number."""
    command = [binary, "simulate", {"classes": "regression"}.get(design, design)]
    text = subprocess.check_output([*command, "-n", "80", "-d", "4", "--seed", "2"], text=True)
    header, *rows = (line.split(",") for line in text.splitlines())
    if design == "classes":
        low, high = np.quantile([float(row[-1]) for row in rows], [1 / 3, 2 / 3])
        for row in rows:
            y = float(row[-1])
            row[-1] = "high" if y > high else "low" if y < low else "middle"
    return header, rows


def record(binary, case, folder):
    design, outcome, flags = CASES[case]
    header, rows = simulated(binary, design)
    with tempfile.TemporaryDirectory() as home:
        data = Path(home) / "data.csv"
        data.write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n")
        run = [binary, "fit", data, *outcome, *flags, "--quiet", "--out", Path(home) / "fit"]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        text = (Path(home) / "fit/model.json").read_text()
    model = json.loads(text)
    X = np.array([row[:4] for row in rows[:ROWS]], dtype=float)
    expected = {"columns": X.T.tolist(), "predictions": predictions(model, X).T.tolist()}
    assert np.ptp(expected["predictions"][0]) > 0.1 or case.endswith("null"), f"{case}: constant"
    if model["task"] == "cox":
        times = [0.0, 0.1, 0.7, 1e6]
        curves = survival(model, np.transpose(expected["predictions"]), times)
        expected["survival"] = {"times": times, "values": curves.T.tolist()}
    (folder / f"{case}.json").write_text(text)
    (folder / f"{case}.expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def main(binary):
    version = subprocess.check_output([binary, "--version"], text=True).split()[1]
    folder = HERE / version
    folder.mkdir()
    for case in CASES:
        record(binary, case, folder)


if __name__ == "__main__":
    main(sys.argv[1])
