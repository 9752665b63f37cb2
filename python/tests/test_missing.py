"""Missing cells and unseen levels: what is put into them, and what is refused."""

import json
import pickle

import jsonschema
import numpy as np
import pandas as pd
import pytest
from conftest import QUICK, quick
from sklearn.impute import SimpleImputer
from test_command_line import needs_binary, threshnet_says
from test_export import DENSE, OUTCOME, Fitted, simulated
from test_model_schema import SCHEMA

import threshnet


def holed(rows=120):
    """Numbers and a text with gaps, and an outcome that follows them."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(rows, 4)), columns=list("abcd"))
    X["stage"] = rng.choice(["I", "II", "III"], rows, p=[0.5, 0.3, 0.2])
    y = 2 * X["a"] - X["b"] + (X["stage"] == "I") * 2.0
    gaps = rng.random(X.shape) < 0.15
    return X.mask(gaps), y.to_numpy()


def filled(X):
    """The same as scikit-learn fills it."""
    numbers = SimpleImputer(strategy="median").fit_transform(X[list("abcd")])
    found = pd.DataFrame(numbers, columns=list("abcd"))
    texts = SimpleImputer(strategy="most_frequent", missing_values=None)
    stage = X[["stage"]].astype(object).where(X[["stage"]].notna(), None)
    return found.assign(stage=texts.fit_transform(stage)[:, 0])


@pytest.mark.parametrize("kind", [object, "category", "string"])
def test_gaps_are_filled_as_scikit_learn_fills_them(kind):
    X, y = holed()
    X["stage"] = X["stage"].astype(kind)
    whole = {"validation": "none", "lambdas": [0.02], "ridges": [0.01]}
    model = quick(missing="impute", **whole).fit(X, y)
    by_hand = quick(**whole).fit(filled(X), y)
    np.testing.assert_array_equal(model.predict(X), by_hand.predict(filled(X)))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    model.effects(X), model.interactions(X)


def test_gaps_are_refused_unless_something_is_said():
    X, y = holed()
    with pytest.raises(ValueError, match='missing="impute"'):
        quick().fit(X, y)
    with pytest.raises(ValueError, match="missing: .*none of error, impute, drop"):
        quick(missing="guess").fit(X, y)
    with pytest.raises(ValueError, match="nothing is imputed"):
        quick(missing="drop", missing_indicators=True).fit(X, y)
    model = quick().fit(filled(X), y)
    with pytest.raises(ValueError, match="missing"):
        model.predict(X)
    infinite = X.assign(a=np.inf)
    with pytest.raises(ValueError, match="infinity in column 'a', row 0"):
        quick(missing="impute").fit(infinite, y)
    assert quick(missing="impute").__sklearn_tags__().input_tags.allow_nan
    assert not quick().__sklearn_tags__().input_tags.allow_nan


def test_rows_with_gaps_are_left_out():
    X, y = holed()
    complete = X.notna().all(axis=1).to_numpy()
    model = quick(missing="drop").fit(X, y)
    same = quick().fit(X[complete], y[complete])
    np.testing.assert_array_equal(model.norms_, same.norms_)
    np.testing.assert_array_equal(
        model.training_rows_, np.flatnonzero(complete)[same.training_rows_]
    )
    assert any(note["kind"] == "dropped" for note in json.loads(model._report)["notes"])


def test_what_nothing_can_fill_is_refused():
    X, y = holed()
    X.loc[::2, "a"] = np.nan
    X.loc[1::2, "b"] = np.nan
    with pytest.raises(ValueError, match="every row has a missing cell, so that none is left"):
        quick(missing="drop").fit(X, y)
    with pytest.raises(ValueError, match="column 'a'|\"a\" is missing in every row"):
        quick(missing="impute").fit(X.assign(a=np.nan), y)


def test_indicators_see_that_a_cell_is_missing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    gone = rng.random(150) < 0.3
    y = 3.0 * gone + 0.1 * rng.normal(size=150)
    X[gone, 1] = np.nan
    scores = {}
    for indicators in (False, True):
        model = quick(missing="impute", missing_indicators=indicators, lambdas=[0.01])
        scores[indicators] = model.fit(X, y).score(X, y)
    assert scores[True] > 0.9 > scores[False]
    assert model.get_support().tolist()[1] and len(model.norms_) == 3


def test_unseen_levels():
    X, y = holed()
    X = filled(X)
    strict = quick(lambdas=[0.01]).fit(X, y)
    lenient = quick(lambdas=[0.01], unseen="zero").fit(X, y)
    new = X.assign(stage="IV")
    with pytest.raises(ValueError, match="none of the levels"):
        strict.predict(new)
    assert np.isfinite(lenient.predict(new)).all()
    np.testing.assert_array_equal(strict.predict(X), lenient.predict(X))


@needs_binary
def test_the_command_line_makes_the_same_model(tmp_path):
    X, y = holed()
    X.assign(y=y).to_csv(tmp_path / "d.csv", index=False)
    model = threshnet.ThreshNetRegressor(
        **QUICK, missing="impute", missing_indicators=True, unseen="zero"
    ).fit(X, pd.Series(y, name="y"))
    names = [name for name in QUICK if name != "random_state"]
    flags = [
        f"--{name.replace('_', '-')}="
        + (",".join(map(str, QUICK[name])) if isinstance(QUICK[name], list) else str(QUICK[name]))
        for name in names
    ]
    gaps = ["--missing=impute", "--missing-indicators=yes", "--unseen=zero"]
    run = [
        "fit",
        tmp_path / "d.csv",
        "--target=y",
        "--seed=0",
        "--quiet",
        "--out",
        tmp_path / "fit",
    ]
    threshnet_says(*run, *flags, *gaps)
    assert (tmp_path / "fit/model.json").read_text() == model._model.to_json()


def test_draws_pool_over_imputations(tmp_path):
    X, y = holed()
    settings = {"validation": "draws:4", "missing": "multiple:3", "linear": "leave"}
    model = quick(**settings).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    saved = json.loads(model._model.to_json())
    assert [chain["number"] for chain in saved["imputation"]["chains"]] == [0, 1, 2]
    assert {network["chain"] for network in saved["networks"]} == {0, 1, 2}
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert list(validator.iter_errors(saved)) == []
    with pytest.raises(ValueError, match="validate by them, such as draws:12, or impute once"):
        quick(missing="multiple:3").fit(X, y)
    for wrong, said in [("multiple:1", "chains from 2 to 1000"), ("multiple:ten", "multiple:10")]:
        with pytest.raises(ValueError, match=said):
            quick(missing=wrong).fit(X, y)


# (columns that are to stay are in the graph, whatever the draws think of them)
MULTIPLE = ["--missing=multiple:3", "--validation=draws:4", "--keep=x1,x2,x4"]


@needs_binary
@pytest.mark.parametrize(
    "flags",
    [
        ["--missing=impute"],
        ["--missing=impute", "--missing-indicators=yes"],
        MULTIPLE,
        [*MULTIPLE, "--missing-indicators=yes"],
    ],
    ids=["plain", "indicators", "multiple", "multiple, indicators"],
)
def test_the_graph_imputes_as_the_model_does(tmp_path, flags):
    data = simulated("regression")
    rng = np.random.default_rng(2)
    data["x4"] = np.where(data["x4"] > 0, "up", "down")
    for name in ("x1", "x2"):
        data.loc[rng.random(len(data)) < 0.2, name] = np.nan
    data.loc[rng.random(len(data)) < 0.2, "x4"] = ""
    one = [flag for flag in DENSE if flag.split("=")[0] not in " ".join(flags)]
    fitted = Fitted(tmp_path, data, OUTCOME["regression"], *one, *flags)
    expected, session = fitted.predicted()["prediction"], fitted.session()
    inputs = {given.name for given in session.get_inputs()}
    assert {"x1", "x2", "x4"} <= inputs
    raw = {name: data[[name]].to_numpy(object if name == "x4" else float) for name in inputs}
    (found,) = session.run(["prediction"], raw)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-6)


@needs_binary
def test_the_graph_takes_new_levels_as_predict_does(tmp_path):
    data = simulated("regression")
    data["x4"] = np.where(data["x4"] > 0, "up", "down")
    for unseen in ("zero", "error"):
        folder = tmp_path / unseen
        folder.mkdir()
        flags = [*DENSE, f"--unseen={unseen}"]
        fitted = Fitted(folder, data, OUTCOME["regression"], *flags)
        fitted.agrees()
        new = data.assign(x4=["sideways"] + ["up"] * (len(data) - 1))
        session = fitted.session()
        raw = {
            given.name: new[[given.name]].to_numpy(object if given.name == "x4" else float)
            for given in session.get_inputs()
        }
        if unseen == "error":
            with pytest.raises(Exception, match="out of (data )?bounds"):
                session.run(["prediction"], raw)
            continue
        new.to_csv(folder / "new.csv", index=False)
        said = threshnet_says("predict", folder / "fit", folder / "new.csv")
        expected = [float(line) for line in said.splitlines()[1:]]
        (found,) = session.run(["prediction"], raw)
        np.testing.assert_allclose(found[:, 0], expected, rtol=1e-9)
