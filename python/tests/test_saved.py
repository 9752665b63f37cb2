"""Models that were saved and loaded again."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import quick

import threshnet


def reloaded(model, folder):
    model.save(folder / "model.json")
    return threshnet.load(folder / "model.json")


def test_a_loaded_model_predicts_the_same(data, fitted, outcome, tmp_path):
    twin = reloaded(fitted, tmp_path)
    assert type(twin) is type(fitted)
    np.testing.assert_array_equal(twin.predict(data.X), fitted.predict(data.X))
    np.testing.assert_array_equal(twin.norms_, fitted.norms_)
    np.testing.assert_array_equal(twin.get_support(), fitted.get_support())
    np.testing.assert_array_equal(twin.transform(data.X), fitted.transform(data.X))
    assert twin.score(data.X, outcome) == fitted.score(data.X, outcome)


def test_a_loaded_model_saves_the_same_file(fitted, tmp_path):
    twin = reloaded(fitted, tmp_path)
    twin.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


def test_loaded_curves_are_the_same(data, tmp_path):
    model = quick("survival").fit(data.X, data.survival)
    twin = reloaded(model, tmp_path)
    np.testing.assert_array_equal(twin.unique_times_, model.unique_times_)
    for what in ("predict_survival_function", "predict_cumulative_hazard_function"):
        curves = [getattr(of, what)(data.X, return_array=True) for of in (model, twin)]
        np.testing.assert_array_equal(*curves)


CLASSES = {
    "whole numbers": [3, 7],
    "many whole numbers": [2, 10, 100],
    "negative numbers": [-1, 1],
    "text": ["ill", "well"],
    "text of several classes": ["a", "b", "c"],
    "truth": [False, True],
}


@pytest.mark.parametrize("kind", CLASSES)
def test_classes_come_back_as_what_they_were(kind, data, tmp_path):
    classes = np.array(CLASSES[kind])
    y = classes[data.three % len(classes)]
    model = quick("classification").fit(data.X, y)
    twin = reloaded(model, tmp_path)
    assert twin.classes_.tolist() == classes.tolist()
    assert twin.classes_.dtype.kind == classes.dtype.kind
    np.testing.assert_array_equal(twin.predict(data.X), model.predict(data.X))
    assert twin.score(data.X, y) == model.score(data.X, y)


def test_names_come_back(data, tmp_path):
    X = pd.DataFrame(data.X, columns=list("abcdef"))
    twin = reloaded(quick().fit(X, pd.Series(data.y, name="height")), tmp_path)
    assert list(twin.feature_names_in_) == list("abcdef")
    assert json.loads((tmp_path / "model.json").read_text())["outcome"] == ["height"]


def test_no_names_stay_no_names(data, tmp_path):
    twin = reloaded(quick().fit(data.X, data.y), tmp_path)
    assert not hasattr(twin, "feature_names_in_")
    assert twin.n_features_in_ == data.X.shape[1]


def test_a_folder_gets_and_gives_a_model(data, tmp_path):
    model = quick().fit(data.X, data.y)
    model.save(tmp_path)
    assert (tmp_path / "model.json").is_file()
    np.testing.assert_array_equal(threshnet.load(tmp_path).predict(data.X), model.predict(data.X))


def test_a_loaded_model_says_that_it_has_no_path(data, tmp_path):
    twin = reloaded(quick().fit(data.X, data.y), tmp_path)
    with pytest.raises(AttributeError, match="fit again"):
        _ = twin.norms_path_
    with pytest.raises(AttributeError, match="fit again"):
        twin.at(n_features=1)


def test_a_loaded_model_can_be_fitted_again(data, tmp_path):
    twin = reloaded(quick().fit(data.X, data.y), tmp_path).set_params(**quick().get_params())
    expected = quick().fit(data.X, data.y)._model.to_json()
    assert twin.fit(data.X, data.y)._model.to_json() == expected


def test_a_file_that_is_no_model_is_named(tmp_path):
    (tmp_path / "other.json").write_text('{"schema": 1}')
    with pytest.raises(ValueError, match="other.json: "):
        threshnet.load(tmp_path / "other.json")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.json"):
        threshnet.load(tmp_path / "nothing.json")


@pytest.mark.parametrize("names", [("0", "1"), ("10", "2"), ("01", "1"), ("False", "True")])
def test_text_stays_text_whatever_it_looks_like(names, data, tmp_path):
    y = np.array(names)[data.classification]
    twin = reloaded(quick("classification").fit(data.X, y), tmp_path)
    assert twin.classes_.tolist() == sorted(names)
    assert twin.score(data.X, y) > 0.8


def test_a_loaded_model_knows_its_network(data, tmp_path):
    model = quick(hidden=(4,), activation="tanh", shortcut=True).fit(data.X, data.y)
    known = reloaded(model, tmp_path).get_params()
    assert (known["hidden"], known["activation"], known["shortcut"]) == ((4,), "tanh", True)
