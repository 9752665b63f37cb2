"""The package and the command line fit the same models and read each other's."""

import io
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import threshnet

REPOSITORY = Path(__file__).parents[2]
BINARY = Path(os.environ.get("THRESHNET_BINARY", REPOSITORY / "target/release/threshnet"))

needs_binary = pytest.mark.skipif(
    # Where CI is set nobody reads what was skipped: there the tests fail without it.
    not (BINARY.is_file() or os.environ.get("CI")),
    reason=f"no binary at {BINARY}: cargo build --release, or set THRESHNET_BINARY",
)
pytestmark = needs_binary

SHORT = {"lambdas": "0.02:0.3:6", "ridges": "0.001,0.01", "epochs": 50, "first_epochs": 300}

TASKS = {
    "regression": (threshnet.ThreshNetRegressor, ["--target", "y"]),
    "classification": (threshnet.ThreshNetClassifier, ["--target", "y"]),
    "three classes": (threshnet.ThreshNetClassifier, ["--target", "y"]),
    "survival": (threshnet.ThreshNetSurvival, ["--time", "time", "--event", "event"]),
}


def threshnet_says(*arguments):
    command = [str(argument) for argument in (BINARY, *arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def table(text):
    """A CSV to the last bit."""
    return pd.read_csv(io.StringIO(text), float_precision="round_trip")


@pytest.fixture(scope="module", params=TASKS)
def case(request, tmp_path_factory):
    """A task with a file of data."""
    design = "regression" if request.param == "three classes" else request.param
    text = threshnet_says("simulate", design, "-n", 120, "-d", 8, "--seed", 1)
    if request.param == "three classes":
        data = table(text)
        data["y"] = pd.qcut(data["y"], 3, labels=["low", "middle", "high"]).astype(str)
        text = data.to_csv(index=False)
    return Case(request.param, text, tmp_path_factory.mktemp("case"))


class Case:
    """Data, and the same fit on both sides."""

    def __init__(self, task, text, folder):
        self.estimator, self.outcome = TASKS[task]
        self.task, self.folder, self.file = task, folder, folder / "data.csv"
        self.file.write_text(text)
        self.data = table(text)
        self.X = self.data.filter(regex="^x")
        self.y = self.data[["time", "event"]] if task == "survival" else self.data["y"]

    def command_line(self, **settings):
        """The folder of the command line's fit."""
        out = self.folder / f"fit{len(list(self.folder.iterdir()))}"
        flags = [f"{flag(name)}={shown(value)}" for name, value in (SHORT | settings).items()]
        run = ["fit", self.file, *self.outcome, "--seed", 3, "--quiet", "--out", out]
        threshnet_says(*run, *flags)
        return out

    def python(self, **settings):
        """The estimator, fitted."""
        named = {"time": "time", "event": "event"} if self.task == "survival" else {}
        return self.estimator(**(SHORT | settings | named), random_state=3).fit(self.X, self.y)


def flag(name):
    """A parameter as a flag."""
    return f"--{name.replace('_', '-')}"


def shown(value):
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


SETTINGS = {
    "default protocol": {},
    "paper": {"protocol": "paper"},
    "one standard error": {"validation": "cv:5", "rule": "1se"},
    "draws": {"validation": "draws:3", "frequency": 0.5, "linear": "choose"},
    "stability": {"stability": 5},
    "false discoveries": {"fdr": 0.3},
    "proximal": {"solver": "proximal", "validation": "holdout:0.2"},
    "linear": {"hidden": (), "validation": "holdout:0.25"},
    "lasso": {"penalty": "lasso", "protocol": "paper", "refit": True},
    "scad": {"penalty": "scad", "concavity": 4.5, "activation": "tanh", "hidden": (4,)},
    "forward": {"protocol": "paper", "path": "forward"},
    "screened": {"screen": 5, "validation": "cv:3", "learning_rate": 0.01},
    "around": {"shortcut": True, "validation": "cv:3"},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_same_seed_gives_the_same_model_bit_for_bit(name, case, tmp_path):
    theirs = case.command_line(**SETTINGS[name])
    case.python(**SETTINGS[name]).save(tmp_path / "model.json")
    expected = json.loads((theirs / "model.json").read_text())
    found = json.loads((tmp_path / "model.json").read_text())
    # (a file of text has no types)
    found.pop("class_type", None)
    assert found["networks"] == expected["networks"]
    assert found["standardisation"] == expected["standardisation"]
    assert found.get("baseline") == expected.get("baseline")
    assert found == expected


def test_the_settings_matter(case):
    models = {
        case.python(validation="holdout:0.2", linear="leave", **settings)._model.to_json()
        for settings in ({}, {"protocol": "paper"}, {"solver": "proximal"}, {"hidden": ()})
    }
    assert len(models) == 4


def test_the_grid_is_that_of_the_command_line(case):
    theirs = case.command_line(validation="cv:3")
    grid = table((theirs / "path.csv").read_text())
    pd.testing.assert_frame_equal(
        pd.DataFrame(case.python(validation="cv:3").path_), grid, check_dtype=False
    )


def test_the_summary_says_what_the_estimator_says(case):
    theirs = case.command_line(validation="holdout:0.2", protocol="paper")
    summary = json.loads((theirs / "summary.json").read_text())
    model = case.python(validation="holdout:0.2", protocol="paper")
    assert model.best_lambda_ == summary["lambda"]
    assert model.best_ridge_ == summary["ridge"]
    assert model.validation_ == (summary["validation"]["value"], summary["validation"]["se"])
    assert model.certificate_ == summary["certificate"]
    chosen = {entry["index"]: entry["norm"] for entry in summary["selected"]}
    np.testing.assert_array_equal(np.flatnonzero(model.norms_), sorted(chosen))
    assert {column: model.norms_[column] for column in chosen} == chosen


def predicted(case, model, out):
    """Predictions of the command line, and those of the estimator in its columns."""
    extra = ["--times", "0.2,0.9"] if case.task == "survival" else []
    theirs = table(threshnet_says("predict", out, case.file, *extra))
    if case.task == "regression":
        ours = {"prediction": model.predict(case.X)}
    elif case.task == "classification":
        ours = {"probability": model.predict_proba(case.X)[:, 1], "label": model.predict(case.X)}
    elif case.task == "three classes":
        shares = zip(model.classes_, model.predict_proba(case.X).T, strict=True)
        ours = {f"probability_{label}": share for label, share in shares}
        ours |= {"label": model.predict(case.X)}
    else:
        curves = model.predict_survival_function(case.X)
        ours = {"risk": model.predict(case.X)}
        for time in (0.2, 0.9):
            ours[f"survival_{time}"] = [curve(time) for curve in curves]
    return theirs, pd.DataFrame(ours)


def test_the_command_line_reads_what_the_package_saved(case, tmp_path):
    model = case.python()
    model.save(tmp_path)
    theirs, ours = predicted(case, model, tmp_path)
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False, rtol=1e-14)
    assert np.ptp(ours.iloc[:, 0]) > 0


def test_the_package_loads_what_the_command_line_fitted(case):
    out = case.command_line()
    model = threshnet.load(out)
    assert type(model) is case.estimator
    assert list(model.feature_names_in_) == list(case.X.columns)
    theirs, ours = predicted(case, model, out)
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False, rtol=1e-14)
    np.testing.assert_array_equal(model.predict(case.X), case.python().predict(case.X))


def test_the_command_line_evaluates_what_the_package_saved(case, tmp_path):
    model = case.python()
    model.save(tmp_path / "model.json")
    found = json.loads(threshnet_says("evaluate", tmp_path / "model.json", case.file))
    metric = {"regression": "r2", "survival": "c_index"}.get(case.task, "accuracy")
    assert found[metric] == pytest.approx(model.score(case.X, case.y), abs=1e-12)
