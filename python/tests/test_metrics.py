"""Figures of predictions, two models side by side, and scorers."""

import json

import numpy as np
import pytest
from conftest import quick
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, f1_score, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sksurv.metrics import concordance_index_ipcw, cumulative_dynamic_auc, integrated_brier_score

import threshnet
from threshnet import compare, evaluate, metrics, scorer


def near(value):
    return pytest.approx(value, abs=1e-10)


def test_classes_are_scored_as_scikit_learn_does(data):
    model = quick("classification").fit(data.X[:80], data.classification[:80])
    X, y = data.X[80:], data.classification[80:]
    found = evaluate(model, X, y, samples=100, thresholds=[0.3], curves=True)
    p = model.predict_proba(X)[:, 1]
    assert found["auc"] == near(roc_auc_score(y, p))
    assert found["brier"] == near(brier_score_loss(y, p))
    assert found["confusion"]["macro"]["f1"] == near(f1_score(y, p > 0.5, average="macro"))
    interval = found["intervals"]["figures"]["auc"]
    assert interval["low"] <= found["auc"] <= interval["high"] and interval["method"] == "delong"
    assert found["intervals"]["figures"]["brier"]["method"] == "bca"
    assert found["thresholds"]["at"][0]["sensitivity"] == near((p[y == 1] >= 0.3).mean())
    assert len(found["decision_curve"]["net_benefit"]) == 99
    assert len(found["calibration"]["curve"]["at"]) == len(np.unique(p))
    # the same of any program's predictions
    given = metrics(y, probability=p, samples=100, thresholds=[0.3], curves=True)
    assert given["auc"] == found["auc"]
    assert given["intervals"]["figures"]["auc"] == found["intervals"]["figures"]["auc"]
    three = quick("classification").fit(data.X, data.three)
    several = evaluate(three, data.X, data.three, samples=0)
    assert "intervals" not in several and len(several["calibration"]) == 3
    by_class = metrics(data.three, probability=three.predict_proba(data.X), samples=0)
    assert by_class["confusion"]["micro"] == several["confusion"]["micro"]


def test_weights_and_clusters_are_heard(data):
    model = quick().fit(data.X, data.y)
    weights = np.arange(len(data.y)) % 3
    found = evaluate(model, data.X, data.y, sample_weight=weights, samples=0)
    assert found["r2"] == near(r2_score(data.y, model.predict(data.X), sample_weight=weights))
    visits = np.arange(len(data.y)) // 4
    drawn = evaluate(model, data.X, data.y, clusters=visits, samples=100)
    assert drawn["intervals"]["drawn"] == "clusters"
    assert (
        drawn["intervals"]
        == evaluate(model, data.X, data.y, clusters=visits, samples=100)["intervals"]
    )


def test_survival_is_scored_as_scikit_survival_does(data):
    train, y = data.survival[:80], data.survival[80:]
    model = quick("survival").fit(data.X[:80], train)
    X = data.X[80:]
    last = train["time"].max()
    y = y.copy()
    y["event"] &= y["time"] < last
    times = np.quantile(y["time"][y["event"]], [0.3, 0.6])
    tau = float(times[1])
    found = evaluate(model, X, y, train=train, times=times, tau=tau, samples=100)
    risk = model.predict(X)
    assert found["uno_c"] == near(concordance_index_ipcw(train, y, risk, tau=tau)[0])
    tauc, mean = cumulative_dynamic_auc(train, y, risk, times)
    np.testing.assert_allclose(found["tauc"], tauc, atol=1e-10)
    assert found["tauc_mean"] == near(mean)
    curves = np.array([curve(times) for curve in model.predict_survival_function(X)])
    assert found["ibs"] == near(integrated_brier_score(train, y, curves, times))
    assert 0 <= found["d_calibration"]["p"] <= 1
    given = metrics(y, risk=risk, survival=curves, train=train, times=times, tau=tau, samples=100)
    assert given["ibs"] == found["ibs"] and "d_calibration" not in given


def test_scorers_work_where_scikit_learn_takes_them(data):
    times = list(np.quantile(data.survival["time"], [0.3, 0.5]))
    found = cross_validate(
        quick("survival"),
        data.X,
        data.survival,
        scoring={
            "uno": scorer("uno_c", tau=times[1]),
            "ibs": scorer("ibs", times=times),
            "c": scorer("c_index"),
        },
        cv=3,
        error_score="raise",
    )
    assert found["test_uno"].mean() > 0.6 and (found["test_ibs"] < 0).all()
    assert found["test_c"].mean() > 0.6
    pipeline = make_pipeline(StandardScaler(), quick("survival"))
    search = GridSearchCV(
        pipeline,
        {"threshnetsurvival__ridges": [[0.001], [0.1]]},
        scoring=scorer("ibs", times=times),
        cv=2,
        error_score="raise",
    )
    assert search.fit(data.X, data.survival).best_score_ < 0
    classes = cross_validate(
        LogisticRegression(),
        data.X,
        data.classification,
        scoring={
            name: scorer(name, thresholds=[0.3])
            for name in ("auc", "calibration.observed_expected", "thresholds[0.3].net_benefit")
        },
        error_score="raise",
    )
    assert (classes["test_calibration.observed_expected"] <= 0).all()
    assert (classes["test_auc"] > 0.8).all()
    assert repr(scorer("ibs", times=[1.0])) == "scorer('ibs', times=[1.0])"
    with pytest.raises(ValueError, match="there is no figure 'aucc'"):
        scorer("aucc")(
            LogisticRegression().fit(data.X, data.classification), data.X, data.classification
        )
    with pytest.raises(ValueError, match="not curves"):
        scorer("auc", curves=True)


def test_models_are_compared_on_the_same_rows(data):
    good = quick("classification").fit(data.X, data.classification)
    poor = make_pipeline(StandardScaler(), LogisticRegression()).fit(
        data.X[:, [2, 3]], data.classification
    )
    with pytest.raises(ValueError, match="features"):
        compare(good, poor, data.X, data.classification)
    poor = quick("classification", keep=[3], lambdas=[0.5]).fit(data.X, data.classification)
    found = compare(good, poor, data.X, data.classification, samples=200)
    auc = found["figures"]["auc"]
    assert auc["difference"] == near(auc["a"] - auc["b"]) and auc["difference"] > 0
    assert auc["p"] < 0.05 and auc["interval"]["low"] > 0
    number = quick().fit(data.X, data.y)
    with pytest.raises(ValueError, match="different outcomes"):
        compare(number, good, data.X, data.classification)


def test_a_recalibrated_model_is_another_one(data, tmp_path):
    model = quick("classification", validation="cv:3").fit(data.X, data.classification)
    before = model.predict_proba(data.X)
    for how in ("logistic", "isotonic"):
        other = model.recalibrated(how)
        assert not np.array_equal(other.predict_proba(data.X), before)
        assert np.array_equal(model.predict_proba(data.X), before)
        other.save(tmp_path)
        again = threshnet.load(tmp_path)
        assert np.array_equal(again.predict_proba(data.X), other.predict_proba(data.X))
        assert json.loads((tmp_path / "model.json").read_text())["recalibrated"] == how
    with pytest.raises(ValueError, match="baseline does not correct"):
        model.recalibrated("baseline")
    with pytest.raises(ValueError, match="none of logistic"):
        model.recalibrated("platt")
    survival = quick("survival", validation="cv:3").fit(data.X, data.survival)
    other = survival.recalibrated("baseline")
    ranks = np.argsort(other.predict(data.X))
    assert np.array_equal(ranks, np.argsort(survival.predict(data.X)))
    assert (other.predict_survival_function(data.X, return_array=True) <= 1).all()


def test_what_cannot_be_scored_is_refused(data):
    model = quick("classification").fit(data.X, data.classification)
    with pytest.warns(UndefinedMetricWarning, match="auc is undefined"):
        found = evaluate(model, data.X[:5], np.ones(5, dtype=int), samples=0)
    assert found["auc"] is None and found["brier"] is not None
    y = data.classification
    for asked, problem in [
        ({"samples": 5}, "100 or more"),
        ({"interval": "normal"}, "'normal' is none of"),
        ({"random_state": -1}, "whole number"),
        ({"clusters": [1, 2]}, "clusters has 2"),
        ({"sample_weight": [1.0]}, "sample_weight"),
        ({"thresholds": [1.5], "samples": 0}, None),
    ]:
        if problem is None:
            with pytest.warns(UndefinedMetricWarning, match="threshold 1.5"):
                evaluate(model, data.X, y, **asked)
            continue
        with pytest.raises(ValueError, match=problem):
            evaluate(model, data.X, y, **asked)
    with pytest.raises(ValueError, match="2 is no class of the model"):
        evaluate(model, data.X, data.three)
    with pytest.raises(ValueError, match="one of prediction, probability and risk"):
        metrics(y)
    with pytest.raises(ValueError, match="rows"):
        metrics(y, probability=np.full(3, 0.5))
    with pytest.raises(ValueError, match="those of 3"):
        metrics(y, probability=np.full((len(y), 3), 1 / 3))
