"""An exported model predicts in onnxruntime what `threshnet predict` predicts."""

import contextlib
import io
import json
import os
import re

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from test_command_line import BINARY, REPOSITORY, needs_binary, table, threshnet_says

import threshnet

pytestmark = needs_binary

OUTCOME = {
    "regression": ["--target", "y"],
    "binary": ["--target", "y"],
    "multiclass": ["--target", "y"],
    "survival": ["--time", "time", "--event", "event"],
}
DESIGN = {"multiclass": "regression", "binary": "classification"}
# One network, in a moment.
SHORT = ["--lambdas=0.02,0.1", "--ridges=0.01", "--epochs=30", "--first-epochs=200"]
PAPER = [*SHORT, "--protocol=paper", "--learning-rate=0.01"]
# The same with no choice left: all columns that a weak penalty leaves.
DENSE = ["--validation=none", "--lambdas=0.001", "--ridges=0.001", "--first-epochs=500"]
DENSE += ["--learning-rate=0.03", "--linear=leave"]
# Of the largest prediction; a tenth of what is promised.
TOLERANCE = 1e-6


def simulated(task, rename=None):
    """Data of a task; columns far from 0 and of unlike scales, as raw columns are."""
    design = DESIGN.get(task, task)
    data = table(threshnet_says("simulate", design, "-n", 150, "-d", 6, "--seed", 1))
    data["x1"], data["x3"] = 2000 + data["x1"] / 10, 1000 * data["x3"]
    if task == "regression":
        data["y"] = 50 + 20 * data["y"]
    if task == "binary":
        data["y"] = np.where(data["y"] == 1, "well", "ill")
    if task == "multiclass":
        data["y"] = pd.qcut(data["y"], 3, labels=["low", "mid, or so", "high"]).astype(str)
    return data.rename(columns=rename or {})


class Fitted:
    """A fit of the command line, its predictions, and those of its export."""

    def __init__(self, folder, data, outcome, *flags):
        self.folder, self.data = folder, data
        data.to_csv(folder / "data.csv", index=False)
        run = ["fit", folder / "data.csv", *outcome, "--quiet", "--out", folder / "fit"]
        threshnet_says(*run, *flags)
        self.model = json.loads((folder / "fit/model.json").read_text())
        self.times = ["--times", "0,0.2,1.5"] if "baseline" in self.model else []

    @property
    def used(self):
        inputs = {j for network in self.model["networks"] for j in network["inputs"]}
        levels = {text["feature"]: len(text["levels"]) for text in self.model.get("texts", [])}
        features = enumerate(self.model["features"])
        of_column = [name for number, name in features for _ in range(levels.get(number, 1))]
        return list(dict.fromkeys(of_column[j] for j in sorted(inputs)))

    def predicted(self):
        said = threshnet_says("predict", self.folder / "fit", self.folder / "data.csv", *self.times)
        return table(said)

    def session(self):
        file = self.folder / "model.onnx"
        threshnet_says("export", self.folder / "fit", "--onnx", file, *self.times)
        onnx.checker.check_model(file, full_check=True)
        return onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])

    def exported(self, rows=slice(None)):
        """What onnxruntime makes of raw columns, by the graph's own names."""
        session = self.session()
        names = [given.name for given in session.get_inputs()]
        assert names == (self.used or self.model["features"][:1])
        raw = {name: raw_column(self.data[[name]])[rows] for name in names}
        outputs = [output.name for output in session.get_outputs()]
        found = session.run(outputs, raw)
        assert all(values.shape[1:] == (1,) for values in found)
        return {name: values[:, 0] for name, values in zip(outputs, found, strict=True)}

    def agrees(self):
        """Compares all rows, and tells how many columns and networks took part."""
        expected, found = self.predicted(), self.exported()
        assert list(found) == list(expected.columns)
        for name, values in found.items():
            if name == "label":
                assert list(values) == list(expected["label"].astype(str))
                continue
            assert values.dtype == np.float64
            size = np.abs(expected[name]).max()
            np.testing.assert_allclose(
                values, expected[name], rtol=0, atol=TOLERANCE * max(size, 1.0)
            )
        return len(self.used), len(self.model["networks"])


def raw_column(frame):
    """Numbers as numbers, texts as texts."""
    kind = float if all(map(pd.api.types.is_numeric_dtype, frame.dtypes)) else object
    return frame.to_numpy(kind)


def same(found, expected):
    """Texts, or numbers up to what the order of a sum does to them."""
    if found.dtype == object:
        assert list(found) == list(expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("task", OUTCOME)
def test_one_network(task, tmp_path):
    columns, networks = Fitted(tmp_path, simulated(task), OUTCOME[task], *PAPER).agrees()
    assert columns > 0 and networks == 1


@pytest.mark.parametrize("task", OUTCOME)
def test_the_mean_of_many_networks(task, tmp_path):
    flags = [*SHORT, "--validation=draws:4", "--linear=leave", "--frequency=0.2"]
    columns, networks = Fitted(tmp_path, simulated(task), OUTCOME[task], *flags).agrees()
    assert columns > 0 and networks > 1


@pytest.mark.parametrize("activation", ["relu", "softplus", "gelu", "tanh", "sigmoid", "selu"])
@pytest.mark.parametrize("task", ["regression", "survival"])
def test_every_activation(activation, task, tmp_path):
    flags = [*DENSE, f"--activation={activation}", "--hidden=5,4"]
    fitted = Fitted(tmp_path, simulated(task), OUTCOME[task], *flags)
    columns, _ = fitted.agrees()
    assert columns > 0 and np.ptp(fitted.predicted().iloc[:, 0]) > 1


@pytest.mark.parametrize("task", OUTCOME)
@pytest.mark.parametrize(
    "flags", ["--hidden=none --solver=adam", "--shortcut=yes", "--no-standardize"]
)
def test_other_shapes(task, flags, tmp_path):
    data = simulated(task)
    if flags == "--no-standardize":
        data["x1"], data["x3"] = 10 * (data["x1"] - 2000), data["x3"] / 1000
    columns, _ = Fitted(tmp_path, data, OUTCOME[task], *DENSE, *flags.split()).agrees()
    assert columns > 0


@pytest.mark.parametrize("task", OUTCOME)
def test_a_model_without_columns_takes_the_first_for_its_rows(task, tmp_path):
    none = ["--validation=none", "--lambdas=50", "--ridges=0.01", "--linear=leave"]
    fitted = Fitted(tmp_path, simulated(task), OUTCOME[task], *none)
    columns, _ = fitted.agrees()
    assert columns == 0
    every = fitted.exported()
    for name, values in fitted.exported(slice(3)).items():
        same(values, every[name][:3])


@pytest.mark.parametrize("task", OUTCOME)
def test_one_row_and_none(task, tmp_path):
    fitted = Fitted(tmp_path, simulated(task), OUTCOME[task], *DENSE)
    every, one = fitted.exported(), fitted.exported(slice(1))
    for name, values in fitted.exported(slice(0)).items():
        assert len(values) == 0
        same(one[name], every[name][:1])


def test_column_names_of_any_kind(tmp_path):
    names = ['a, "b"', "Größe µm/l", "label", "MatMul_0", "constant_0", "IL6R|β (log₂)"]
    rename = {f"x{j + 1}": name for j, name in enumerate(names)}
    fitted = Fitted(tmp_path, simulated("regression", rename), OUTCOME["regression"], *DENSE)
    columns, _ = fitted.agrees()
    assert columns == len(names)


def test_an_output_makes_way_for_a_column_of_its_name(tmp_path):
    data = simulated("survival", {"x1": "risk", "x2": "survival_0.2"})
    fitted = Fitted(tmp_path, data, OUTCOME["survival"], *DENSE)
    expected, found = fitted.predicted(), fitted.exported()
    assert list(found) == ["risk_", "survival_0", "survival_0.2_", "survival_1.5"]
    np.testing.assert_allclose(list(found.values()), expected.to_numpy().T, atol=1e-9)


def test_a_network_without_inputs_among_others(tmp_path):
    fitted = Fitted(tmp_path, simulated("binary"), OUTCOME["binary"], *DENSE)
    network = json.loads(json.dumps(fitted.model["networks"][0]))
    network["inputs"] = []
    network["layers"][0]["weight"] = [[] for _ in network["layers"][0]["weight"]]
    half = json.loads(json.dumps(fitted.model["networks"][0]))
    half["inputs"] = half["inputs"][1::2]
    for row in half["layers"][0]["weight"]:
        row[:] = row[1::2]
    fitted.model["networks"] += [network, half]
    (tmp_path / "fit/model.json").write_text(json.dumps(fitted.model))
    assert fitted.agrees()[1] == 3


def test_the_file_says_where_it_comes_from(tmp_path):
    fitted = Fitted(tmp_path, simulated("survival"), OUTCOME["survival"], *PAPER)
    fitted.session()
    file = onnx.load(tmp_path / "model.onnx")
    assert file.producer_name == "threshnet"
    assert file.producer_version == fitted.model["version"]
    notes = {note.key: note.value for note in file.metadata_props}
    assert notes == {"task": "cox", "outcome": "time, event"}
    # what onnxruntime 1.16 reads
    assert file.ir_version == 9 and [o.version for o in file.opset_import] == [19]


def test_the_example_of_the_docs_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{BINARY.resolve().parent}{os.pathsep}{os.environ['PATH']}")
    text = (REPOSITORY / "docs/models.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", text, re.M | re.S)
    code, expected = found
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "models.md", "exec"), {})
    assert printed.getvalue() == expected


@pytest.mark.parametrize("task", OUTCOME)
@pytest.mark.parametrize("flags", [DENSE, [*SHORT, "--validation=draws:4"]], ids=["one", "draws"])
def test_texts_are_encoded_in_the_graph(tmp_path, task, flags):
    data = simulated(task)
    levels = np.array(["I", "II, late", 'the "third"', "Ü"])
    # a text that says what x4 said, and one that says nothing
    data["x4"] = levels[pd.qcut(data["x4"], 4, labels=False)]
    data["x5"] = levels[np.arange(len(data)) % 3]
    fitted = Fitted(tmp_path, data, OUTCOME[task], *flags)
    columns, _ = fitted.agrees()
    assert columns > 0
    if flags is DENSE:
        assert "x4" in fitted.used and "x5" in fitted.used


def test_a_level_that_the_fit_never_saw_is_none_of_them(tmp_path):
    data = simulated("regression")
    data["x4"] = np.where(data["x4"] > 0, "up", "down")
    fitted = Fitted(tmp_path, data, OUTCOME["regression"], *DENSE, "--unseen=zero")
    data["x4"] = "Up"
    columns = [data[name] for name in ("x1", "x2", "x3")] + [0 * data["x1"]] * 2
    columns += [data[name] for name in ("x5", "x6")]
    by_hand = forward(fitted.model, np.column_stack(columns))
    np.testing.assert_allclose(fitted.exported()["prediction"], by_hand, rtol=1e-9)
    loaded = threshnet.load(tmp_path / "fit")
    np.testing.assert_allclose(loaded.predict(data.drop(columns="y")), by_hand, rtol=1e-9)


def forward(model, columns):
    """What `docs/files.md` says of a regression with one network."""
    scale, target, (network,) = model["standardisation"], model["target"], model["networks"]
    a = ((columns - scale["center"]) / scale["scale"])[:, network["inputs"]]
    for number, layer in enumerate(network["layers"]):
        a = (np.maximum(a, 0) if number else a) @ np.transpose(layer["weight"]) + layer["bias"]
    return target["center"] + target["scale"] * a[:, 0]
