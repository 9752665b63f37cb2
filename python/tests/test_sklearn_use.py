"""Together with the rest of scikit-learn."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from conftest import quick
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LinearRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def named(X):
    return pd.DataFrame(X, columns=[f"gene{number}" for number in range(X.shape[1])])


def test_a_clone_has_the_settings_and_nothing_fitted(fitted):
    twin = clone(fitted)
    assert twin.get_params() == fitted.get_params()
    with pytest.raises(AttributeError):
        _ = twin.norms_


def test_a_clone_fits_the_same_model(data, fitted, outcome):
    assert clone(fitted).fit(data.X, outcome)._model.to_json() == fitted._model.to_json()


def test_it_is_the_last_step_of_a_pipeline(data):
    pipe = make_pipeline(StandardScaler(), quick()).fit(data.X, data.y)
    assert pipe.score(data.X, data.y) > 0.9


def test_it_selects_columns_within_a_pipeline(data):
    pipe = make_pipeline(quick(), LinearRegression()).fit(data.X, data.y)
    assert pipe[-1].n_features_in_ == pipe[0].get_support().sum() < data.X.shape[1]


def test_a_grid_search_tries_settings(data):
    search = GridSearchCV(
        quick(learning_rate=None), {"hidden": [(4,), ()], "penalty": ["mcp", "lasso"]}, cv=2
    )
    search.fit(data.X, data.y)
    assert len(search.cv_results_["params"]) == 4
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.hidden == search.best_params_["hidden"]


def test_cross_validation_scores_every_fold(data, task, outcome):
    scores = cross_val_score(quick(task), data.X, outcome, cv=3)
    assert scores.shape == (3,)
    assert scores.mean() > 0.65


def test_select_from_model_takes_the_importances(data, fitted):
    selector = SelectFromModel(fitted, prefit=True, threshold=1e-12)
    np.testing.assert_array_equal(selector.transform(data.X), fitted.transform(data.X))


def test_permutation_importance_is_zero_for_columns_left_out(data, fitted, outcome):
    found = permutation_importance(fitted, data.X, outcome, n_repeats=2, random_state=0)
    assert (found.importances_mean[~fitted.get_support()] == 0).all()
    assert found.importances_mean[0] > 0.05


def test_probabilities_can_be_calibrated(data):
    model = CalibratedClassifierCV(quick("classification"), cv=2)
    model.fit(data.X, data.classification)
    assert roc_auc_score(data.classification, model.predict_proba(data.X)[:, 1]) > 0.9


def test_transform_gives_data_frames_where_asked(data, task, outcome):
    X = named(data.X)
    model = quick(task).set_output(transform="pandas").fit(X, outcome)
    expected = X.loc[:, model.get_support()]
    pd.testing.assert_frame_equal(model.transform(X), expected)
    assert list(model.get_feature_names_out()) == list(expected.columns)


def test_names_are_made_up_where_there_are_none(fitted):
    chosen = fitted.get_support(indices=True)
    assert list(fitted.get_feature_names_out()) == [f"x{number}" for number in chosen]


def test_partial_dependence_follows_a_column_that_matters(data):
    model = quick().fit(data.X, data.y)
    curve = partial_dependence(model, data.X, [0], grid_resolution=5)["average"][0]
    assert (np.diff(curve) > 0).all()
    left_out = int(np.flatnonzero(~model.get_support())[0])
    assert np.ptp(partial_dependence(model, data.X, [left_out])["average"][0]) < 1e-12


@pytest.mark.parametrize("way", ["pickle", "joblib"])
def test_a_stored_estimator_is_the_same(way, data, fitted, tmp_path):
    if way == "pickle":
        twin = pickle.loads(pickle.dumps(fitted))
    else:
        joblib.dump(fitted, tmp_path / "model.joblib")
        twin = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(twin.predict(data.X), fitted.predict(data.X))
    np.testing.assert_array_equal(twin.norms_path_, fitted.norms_path_)
    sparse = [model.at(n_features=2).predict(data.X) for model in (fitted, twin)]
    np.testing.assert_array_equal(*sparse)
    assert twin._model.to_json() == fitted._model.to_json()


def test_importances_sum_to_one(fitted):
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    np.testing.assert_array_equal(fitted.feature_importances_ > 0, fitted.get_support())


def test_importances_are_zero_where_nothing_is_selected(data):
    model = quick(lambdas=[5.0, 10.0]).fit(data.X, data.y)
    assert not model.get_support().any()
    assert (model.feature_importances_ == 0).all()
    assert np.ptp(model.predict(data.X)) == 0


def test_several_classes_have_a_probability_each(data):
    labels = np.array(["low", "middle", "high"])[data.three]
    model = quick("classification").fit(data.X, labels)
    probabilities = model.predict_proba(data.X)
    assert list(model.classes_) == ["high", "low", "middle"]
    assert probabilities.shape == (len(labels), 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(model.predict_log_proba(data.X), np.log(probabilities))
    np.testing.assert_array_equal(
        model.predict(data.X), model.classes_[probabilities.argmax(axis=1)]
    )
    assert model.score(data.X, labels) > 0.8


def test_a_fit_that_fails_leaves_no_model_of_other_data(data):
    model = quick("classification").fit(data.X, data.classification)
    with pytest.raises(ValueError, match="validation"):
        model.set_params(validation="cv:999").fit(data.X, np.array(["a", "b"])[data.classification])
    with pytest.raises(NotFittedError):
        model.predict(data.X)


def test_a_network_to_start_from_survives_cloning_if_it_is_frozen(data):
    first = quick().fit(data.X, data.y)
    twin = clone(quick(init=FrozenEstimator(first))).fit(data.X, data.y)
    assert twin._model.to_json() == quick(init=first).fit(data.X, data.y)._model.to_json()
    with pytest.raises(ValueError, match="init: .*FrozenEstimator"):
        clone(quick(init=first)).fit(data.X, data.y)
    with pytest.raises(ValueError, match="init: 5 is neither"):
        quick(init=5).fit(data.X, data.y)
