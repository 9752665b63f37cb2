"""Nested validation from Python: the engine's runs, and pipelines whose every step is repeated."""

import numpy as np
import pandas as pd
import pytest
from conftest import quick
from joblib import parallel_config
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import threshnet
from threshnet import validate


def linear(task="regression", **settings):
    return quick(task, hidden=(), learning_rate=None, epochs=None, first_epochs=None, **settings)


def test_every_task_is_validated_and_threads_do_not_matter(data, task, outcome):
    model = linear(task)
    found = validate(model, data.X, outcome, outer="cv:4")
    assert not hasattr(model, "_model")
    assert found["outer"] == "cv:4" and found["rows"] == len(data.X) and len(found["runs"]) == 4
    main = {"regression": "r2", "classification": "auc", "survival": "c_index"}[task]
    metric = found["metrics"][main]
    low, high = metric["interval"]
    assert low < metric["value"] < high and metric["value"] > 0.6
    assert {of["index"] for of in found["selected"][:2]} == {0, 1}
    with parallel_config(backend="threading"):
        assert validate(model, data.X, outcome, outer="cv:4", n_jobs=2) == found


def test_the_estimator_keeps_it_and_its_report_tells(data, tmp_path):
    model = linear(outer="cv:3").fit(data.X, data.y)
    assert model.nested_ == validate(linear(), data.X, data.y, outer="cv:3")
    model.report(tmp_path / "fit.html")
    assert "Nested validation" in (tmp_path / "fit.html").read_text(encoding="utf-8")
    assert linear().fit(data.X, data.y).nested_ is None
    # the model is the same
    plain = linear().fit(data.X, data.y)
    assert np.array_equal(plain.predict(data.X), model.predict(data.X))


def test_a_bootstrap_corrects_the_figure_of_the_rows_themselves(data):
    found = validate(linear(), data.X, data.y, outer="boot:15")["metrics"]["r2"]
    corrected = found["bootstrap"]
    model = linear().fit(data.X, data.y)
    assert corrected["apparent"] == pytest.approx(r2_score(data.y, model.predict(data.X)))
    assert corrected["out_of_bag"] < found["value"] < corrected["apparent"]
    kept = linear(outer="boot:15").fit(data.X, data.y).nested_["metrics"]["r2"]
    assert kept == found


def test_a_stopped_validation_goes_on(data, tmp_path, monkeypatch):
    found = validate(linear(), data.X, data.y, outer="cv:3", memory=str(tmp_path))

    def none(*_):
        raise AssertionError("every run is kept")

    monkeypatch.setattr(threshnet._core, "make_outer", none)
    assert validate(linear(), data.X, data.y, outer="cv:3", memory=str(tmp_path)) == found
    with pytest.raises(AssertionError, match="every run is kept"):
        validate(linear(), data.X, data.y, outer="cv:4", memory=str(tmp_path))


def test_a_pipeline_is_repeated_whole(data, task, outcome):
    X = pd.DataFrame(data.X, columns=[f"gene {j}" for j in range(data.X.shape[1])])
    scaled = make_pipeline(StandardScaler(), linear(task))
    found = validate(scaled, X, outcome, outer="cv:4")
    bare = validate(linear(task), X, outcome, outer="cv:4")
    # the engine standardises by itself, so that a scaler before it changes nothing but rounding
    for name, metric in found["metrics"].items():
        assert metric["value"] == pytest.approx(bare["metrics"][name]["value"], abs=1e-3)
    assert {of["name"] for of in found["selected"][:2]} == {"gene 0", "gene 1"}
    corrected = validate(scaled, X, outcome, outer="boot:10")["metrics"]
    assert all("bootstrap" in metric for metric in corrected.values())


def test_a_transformation_learned_on_all_rows_is_caught_inside():
    """Columns chosen by the outcome of all rows seem to predict it; chosen in every split, they do
    not."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 500)), rng.integers(0, 2, size=60)
    model = linear("classification", lambdas=[0.001, 0.03], validation="cv:3")
    choose = SelectKBest(k=10)
    leaked = validate(model, choose.fit_transform(X, y), y, outer="cv:5x2")["metrics"]["auc"]
    caught = validate(make_pipeline(choose, model), X, y, outer="cv:5x2")["metrics"]["auc"]
    assert leaked["value"] > 0.75
    assert caught["value"] < 0.65 and caught["interval"][0] <= 0.5


def test_clusters_are_not_divided_and_weights_count(data):
    clusters = np.repeat(np.arange(40), 3)
    weights = np.where(np.arange(120) % 2 == 0, 2.0, 1.0)
    plain = validate(linear(), data.X, data.y, outer="cv:4")
    clustered = validate(linear(), data.X, data.y, outer="cv:4", fold_by=clusters)
    weighted = validate(linear(), data.X, data.y, outer="cv:4", sample_weight=weights)
    figures = [found["metrics"]["r2"]["value"] for found in (plain, clustered, weighted)]
    assert len(set(figures)) == 3


def test_what_cannot_be_validated_is_refused(data):
    with pytest.raises(TypeError, match="not GridSearchCV"):
        validate(GridSearchCV(linear(), {}), data.X, data.y)
    with pytest.raises(ValueError, match="outer: give `cv:FOLDS`"):
        validate(linear(), data.X, data.y, outer="five")
    with pytest.raises(ValueError, match="outer: 500 folds of 120 rows"):
        validate(linear(), data.X, data.y, outer="cv:500")
