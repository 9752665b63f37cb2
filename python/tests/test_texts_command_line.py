"""The same table with texts, in a file and in memory: the same model to the last byte."""

import json
import re
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sksurv.datasets import load_breast_cancer
from test_command_line import BINARY, flag, needs_binary, shown, table, threshnet_says

import threshnet

pytestmark = needs_binary

SHORT = {
    "lambdas": "0.005:0.1:6",
    "ridges": "0.001,0.01",
    "epochs": 50,
    "first_epochs": 300,
    "validation": "holdout:0.25",
}

# Levels whose order depends on who sorts, and that a file has to quote.
STAGES = ["b", "B", "ä", "a, early", 'the "late" one']

TASKS = {
    "regression": (threshnet.ThreshNetRegressor, ["--target", "y"]),
    "binary": (threshnet.ThreshNetClassifier, ["--target", "y"]),
    "survival": (threshnet.ThreshNetSurvival, ["--time", "time", "--event", "event"]),
}


def features():
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "x0": rng.normal(size=150),
            "x1": np.array(STAGES, dtype=object)[rng.integers(5, size=150)],
            "x2": rng.integers(4, size=150),
            "x3": np.array(["no", "yes"], dtype=object)[rng.integers(2, size=150)],
            "x4": rng.normal(size=150),
        }
    )


class Case:
    """A table with an outcome, and the same fit on both sides."""

    def __init__(self, task, X, outcome, folder):
        self.estimator, self.flags = TASKS[task]
        self.task, self.folder, self.file = task, folder, folder / "data.csv"
        self.X, self.outcome = X, outcome
        pd.concat([X, outcome], axis=1).to_csv(self.file, index=False)

    def command_line(self, **settings):
        """The folder of the command line's fit."""
        out = self.folder / f"fit{len(list(self.folder.iterdir()))}"
        flags = [f"{flag(name)}={shown(value)}" for name, value in (SHORT | settings).items()]
        threshnet_says("fit", self.file, *self.flags, "--seed", 3, "--quiet", "--out", out, *flags)
        return out

    def python(self, X, **settings):
        """The estimator, fitted."""
        y, named = self.outcome, {}
        if self.task == "survival":
            named = dict(zip(("time", "event"), y.columns, strict=True))
        else:
            y = y["y"]
        return self.estimator(**(SHORT | settings | named), random_state=3).fit(X, y)


def bytes_of(model):
    """The file, without the note that only Python makes in it: a file of text has no types."""
    return re.sub(r'\s*"class_type": ?"\w+",', "", model._model.to_json()).encode()


@pytest.fixture(scope="module", params=TASKS)
def case(request, tmp_path_factory):
    X = features()
    effect = dict(zip(STAGES, [2.0, -2.0, 0.5, -1.0, 1.5], strict=True))
    rng = np.random.default_rng(4)
    signal = X["x1"].map(effect) + X["x0"] + (X["x3"] == "yes") + 0.2 * rng.normal(size=150)
    outcome = {
        "regression": pd.DataFrame({"y": signal}),
        "binary": pd.DataFrame({"y": np.where(signal > signal.median(), "high", "low")}),
        "survival": pd.DataFrame(
            {"time": np.exp(-signal), "event": (np.arange(150) % 4 > 0).astype(int)}
        ),
    }[request.param]
    return Case(request.param, X, outcome, tmp_path_factory.mktemp("texts"))


@pytest.fixture(scope="module")
def theirs(case):
    return case.command_line()


SOURCES = {
    "pandas": lambda X: X,
    "pandas categories": lambda X: X.astype({"x1": "category", "x3": "category"}),
    "pandas strings": lambda X: X.astype({"x1": "string"}),
    "polars": pl.from_pandas,
    "polars categories": lambda X: pl.from_pandas(X).with_columns(
        pl.col("x1").cast(pl.Categorical)
    ),
    "pyarrow": pa.Table.from_pandas,
    "pyarrow dictionaries": lambda X: pa.Table.from_pandas(X.astype({"x1": "category"})),
    "numpy": lambda X: X.to_numpy(dtype=object),
}


@pytest.mark.parametrize("source", SOURCES)
def test_the_same_table_gives_the_same_file(source, case, theirs):
    model = case.python(SOURCES[source](case.X))
    assert bytes_of(model) == (theirs / "model.json").read_bytes()
    assert 1 in model.get_support(indices=True)


SETTINGS = {
    "draws": {"validation": "draws:3", "frequency": 0.5, "linear": "choose"},
    "stability": {"stability": 5},
    "screened": {"screen": 3, "validation": "cv:3"},
    "lasso": {"penalty": "lasso", "protocol": "paper"},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_same_settings_give_the_same_file(name, case):
    theirs = case.command_line(**SETTINGS[name])
    assert bytes_of(case.python(case.X, **SETTINGS[name])) == (theirs / "model.json").read_bytes()


def predictions(case, out):
    """What the command line predicts of the table, the first column of it."""
    return table(threshnet_says("predict", out, case.file)).iloc[:, 0]


def numbers(case, model):
    """What the estimator predicts, as a number."""
    # (a loaded model takes names like x0 for none at all)
    X = case.X if hasattr(model, "feature_names_in_") else case.X.to_numpy(dtype=object)
    return model.predict_proba(X)[:, 1] if case.task == "binary" else model.predict(X)


def test_the_package_loads_what_the_command_line_fitted(case, theirs):
    model = threshnet.load(theirs)
    assert type(model) is case.estimator
    assert model.n_features_in_ == 5
    np.testing.assert_allclose(numbers(case, model), predictions(case, theirs), rtol=1e-14)
    np.testing.assert_array_equal(numbers(case, model), numbers(case, case.python(case.X)))


def test_the_command_line_reads_what_the_package_saved(case, tmp_path):
    model = case.python(case.X)
    model.save(tmp_path)
    np.testing.assert_allclose(numbers(case, model), predictions(case, tmp_path), rtol=1e-14)
    scores = json.loads(threshnet_says("evaluate", tmp_path, case.file))
    metric = {"regression": "r2", "survival": "c_index"}.get(case.task, "accuracy")
    y = case.outcome if case.task == "survival" else case.outcome["y"]
    assert scores[metric] == pytest.approx(model.score(case.X, y), abs=1e-12)


def test_the_norms_of_the_path_are_the_same(case):
    theirs = table((case.command_line(validation="cv:3") / "norms.csv").read_text())
    model = case.python(case.X, validation="cv:3")
    np.testing.assert_array_equal(theirs["lambda"], model.lambdas_)
    for name in theirs.columns[1:]:
        np.testing.assert_array_equal(theirs[name], model.norms_path_[int(name[1:])])


# Cells of which it takes a rule to say what they are.
CELLS = {
    "numbers": ["1", "2.5", "-3e2"],
    "numbers with blanks": [" 1", "2 ", " 3 "],
    "numbers and text": ["1", "2", "three"],
    "text that begins like numbers": ["1a", "2b", "3c"],
    "missing": ["a", "b", "NA"],
    "missing among numbers": ["1", "2", "."],
    "infinite": ["1", "2", "inf"],
    "no infinity": ["finite", "in", "info"],
    "decimal commas": ["1,5", "2,5", "3"],
    "nearly truth": ["True", "False", "true"],
    "dates": ["2020-01-01", "2020-02-01", "2020-03-01"],
    "signs": ["+1", "-1", "+0"],
    "underscores": ["1_000", "2_000", "3_000"],
    "blanks within": ["a b", "a  b", "ab"],
    "one": ["same", "same", "same"],
    "hexadecimal": ["0x10", "0x11", "0x12"],
}


@pytest.mark.parametrize("kind", CELLS)
def test_cells_mean_the_same_in_memory_as_in_a_file(kind, tmp_path):
    X = features().assign(x4=np.resize(np.array(CELLS[kind], dtype=object), 150))
    outcome = pd.DataFrame({"y": X["x0"] + X["x2"]})
    case = Case("regression", X, outcome, tmp_path)
    out = tmp_path / "fit"
    settings = [f"{flag(name)}={shown(value)}" for name, value in SHORT.items()]
    command = [BINARY, "fit", case.file, *case.flags, "--seed", "3", "--quiet", "--out", out]
    done = subprocess.run([*command, *settings], capture_output=True, text=True)
    if done.returncode == 0:
        assert bytes_of(case.python(X)) == (out / "model.json").read_bytes()
        return
    with pytest.raises(ValueError) as refused:
        case.python(X)
    place, said = str(refused.value).split(": ", 1)
    assert place.startswith("column 'x4', row")
    assert 'column "x4": ' in done.stderr
    if "missing" not in said:
        assert said.split(";")[0] in done.stderr


def test_identifiers_are_refused_on_both_sides(tmp_path):
    X = features().assign(x4=[f"patient {row}" for row in range(150)])
    case = Case("regression", X, pd.DataFrame({"y": X["x0"]}), tmp_path)
    command = [BINARY, "fit", case.file, *case.flags, "--out", tmp_path / "fit"]
    done = subprocess.run(command, capture_output=True, text=True)
    said = "150 different texts in 150 rows look like identifiers; leave the column out"
    assert done.returncode != 0 and said in done.stderr
    with pytest.raises(ValueError, match=f"column 'x4': {said}"):
        case.python(X)


def test_real_data_as_they_come(tmp_path):
    X, y = load_breast_cancer()
    assert [name for name in X if X[name].dtype == "category"] == ["er", "grade"]
    outcome = pd.DataFrame({"t.tdm": y["t.tdm"], "e.tdm": y["e.tdm"].astype(int)})
    case = Case("survival", X, outcome, tmp_path)
    case.flags = ["--time", "t.tdm", "--event", "e.tdm"]
    theirs = case.command_line()
    model = threshnet.ThreshNetSurvival(**SHORT, random_state=3)
    model.fit(X, y).save(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == (theirs / "model.json").read_bytes()
    assert model.n_features_in_ == 80
    twin = threshnet.load(tmp_path / "model.json")
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    np.testing.assert_allclose(model.predict(X), predictions(case, theirs), rtol=1e-14)
    assert {"er", "grade"} & set(model.get_feature_names_out())
    assert model.score(X, y) > 0.6
