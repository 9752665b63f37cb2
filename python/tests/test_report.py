"""What is told of a fit: figures on rows that were held out, a page, effects."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import quick
from sklearn.metrics import log_loss, r2_score, roc_auc_score

from threshnet import ThreshNetClassifier, ThreshNetRegressor, ThreshNetSurvival, load

SMALL = {
    "hidden": (4,),
    "lambdas": [0.02, 0.1],
    "ridges": [0.01],
    "learning_rate": 0.02,
    "validation": "draws:4",
    "epochs": 30,
    "first_epochs": 100,
    "random_state": 0,
}


def test_held_out_figures_are_those_of_the_predictions(data):
    model = ThreshNetRegressor(**SMALL).fit(data.X, data.y)
    found = model.held_out_
    assert sorted(found["rows"]) == list(range(len(data.y)))
    assert found["kind"] == "unseen_folds" and set(found["folds"]) == {0, 1, 2, 3}
    metric = found["metrics"]["r2"]
    assert metric["value"] == pytest.approx(r2_score(data.y[found["rows"]], found["prediction"]))
    low, high = metric["interval"]
    assert low < metric["value"] < high
    # rows that networks did not see are harder than those they did
    assert metric["value"] < model.score(data.X, data.y)


def test_classes_and_risks_are_held_out_too(data):
    labels = data.y > np.median(data.y)
    classes = ThreshNetClassifier(**SMALL).fit(data.X, labels).held_out_
    truth = labels[classes["rows"]]
    values = {name: metric["value"] for name, metric in classes["metrics"].items()}
    assert values["auc"] == pytest.approx(roc_auc_score(truth, classes["prediction"][:, 1]))
    assert values["log_loss"] == pytest.approx(log_loss(truth, classes["prediction"]))
    risk = ThreshNetSurvival(**SMALL).fit(data.X, data.survival).held_out_
    assert risk["prediction"].shape == (len(data.y),)
    assert 0.5 < risk["metrics"]["c_index"]["value"] <= 1


def test_without_validation_there_is_nothing_to_tell(data):
    settings = SMALL | {"validation": "none", "lambdas": 0.1}
    model = ThreshNetRegressor(**settings).fit(data.X, data.y)
    assert model.held_out_ is None and np.isnan(model.validation_).all()


def test_a_report_is_one_page_that_names_what_was_found(data, tmp_path):
    model = quick(hidden=(4, 3)).fit(data.X, data.y)
    page = tmp_path / "fit.html"
    model.report(page)
    text = page.read_text(encoding="utf-8")
    assert text.lstrip().startswith("<!DOCTYPE html>")
    for name in model.get_feature_names_out():
        assert name in text
    assert json.loads(model._report)["settings"]["hidden"] == [4, 3]


def test_only_a_fit_has_a_report(data, tmp_path):
    model = quick().fit(data.X, data.y)
    model.save(tmp_path)
    for other in (load(tmp_path), model.at(lambda_=model.lambdas_[0])):
        with pytest.raises(AttributeError, match="a report tells of a fit"):
            other.report(tmp_path / "fit.html")


def test_effects_and_interactions_are_of_selected_columns(data):
    model = quick().fit(data.X, data.y)
    assert 2 <= model.get_support().sum() < 6
    effects = model.effects(data.X)
    assert [effect["feature"] for effect in effects] == model.get_support(indices=True).tolist()
    assert all(effect["partial"].shape == (1, len(effect["at"])) for effect in effects)
    strengths = [pair["strength"] for pair in model.interactions(data.X)]
    assert strengths and strengths == sorted(strengths, reverse=True)
    left_out = int(np.flatnonzero(~model.get_support())[0])
    with pytest.raises(ValueError, match="does not select"):
        model.effects(data.X, [left_out])
    nothing = quick(lambdas=[5.0, 6.0]).fit(data.X, data.y)
    assert nothing.effects(data.X) == nothing.interactions(data.X) == []


def test_the_model_names_its_outcome(data):
    frame = pd.DataFrame({"years": data.survival["time"], "died": data.survival["event"]})
    model = ThreshNetSurvival(time="years", event="died", **SMALL).fit(data.X, frame)
    assert json.loads(model._model.to_json())["outcome"] == ["years", "died"]
