"""What each row counts: `sample_weight` and `class_weight`."""

import numpy as np
import pytest
from conftest import quick
from sklearn.datasets import make_classification, make_regression
from sklearn.metrics import accuracy_score, r2_score

from threshnet import ThreshNetClassifier, ThreshNetRegressor, ThreshNetSurvival, survival

# One solution that the data decide, and nothing drawn.
CONVERGED = {
    "hidden": (),
    "penalty": "lasso",
    "lambdas": [0.02],
    "ridges": [0.01],
    "validation": "none",
}


def outcomes():
    X, y = make_regression(60, 5, n_informative=3, noise=5, random_state=0)
    yield ThreshNetRegressor(**CONVERGED), X, y
    X, y = make_classification(60, 5, random_state=0)
    yield ThreshNetClassifier(**CONVERGED), X, y
    time = np.exp(X[:, 0] + np.random.default_rng(0).normal(size=60))
    yield ThreshNetSurvival(**CONVERGED), X, survival(time, np.arange(60) % 4 > 0)


@pytest.mark.parametrize("model, X, y", outcomes(), ids=["numbers", "classes", "survival"])
def test_weights_are_repeated_rows_in_fit_and_score(model, X, y):
    counts = np.arange(len(X)) * 7 % 4
    rows = np.repeat(np.arange(len(X)), counts)
    model.fit(X, y, sample_weight=counts)
    of_few, few = model.predict(X), model.score(X, y, sample_weight=counts)
    model.fit(X[rows], y[rows])
    np.testing.assert_allclose(of_few, model.predict(X), atol=1e-5)
    assert few == pytest.approx(model.score(X[rows], y[rows]), abs=1e-5)


def test_a_class_weight_is_a_weight_of_its_rows():
    X, y = make_classification(80, 5, weights=[0.8], random_state=1)
    label = np.array(["no", "yes"])[y]
    weights = np.where(label == "yes", 4.0, 1.0)
    of_rows = ThreshNetClassifier(**CONVERGED).fit(X, label, sample_weight=weights)
    model = ThreshNetClassifier(**CONVERGED, class_weight={"yes": 4}).fit(X, label)
    np.testing.assert_array_equal(model.predict_proba(X), of_rows.predict_proba(X))
    # both: their product
    twice = ThreshNetClassifier(**CONVERGED, class_weight={"yes": 2})
    twice.fit(X, label, sample_weight=np.where(label == "yes", 2.0, 1.0))
    np.testing.assert_array_equal(twice.predict_proba(X), of_rows.predict_proba(X))


def test_balanced_classes_count_the_same():
    X, y = make_classification(80, 5, weights=[0.8], random_state=1)
    model = ThreshNetClassifier(**CONVERGED, class_weight="balanced").fit(X, y)
    shares = np.bincount(y) / len(y)
    of_rows = ThreshNetClassifier(**CONVERGED)
    of_rows.fit(X, y, sample_weight=0.5 / shares[y])
    np.testing.assert_allclose(model.predict_proba(X), of_rows.predict_proba(X), atol=1e-6)
    assert model.predict(X).mean() > y.mean()


def test_a_class_whose_rows_do_not_count_is_not_balanced():
    X, y = make_classification(90, 5, n_classes=3, n_informative=3, random_state=1)
    model = ThreshNetClassifier(**CONVERGED, class_weight="balanced")
    found = model.fit(X, y, sample_weight=(y != 2).astype(float)).predict_proba(X)
    assert np.isfinite(found).all()


def test_held_out_figures_count_rows_by_their_weights(data):
    weights = np.linspace(0.1, 3, len(data.X))
    model = quick(validation="cv:4").fit(data.X, data.y, sample_weight=weights)
    rows, said = model.held_out_["rows"], model.held_out_["prediction"].ravel()
    expected = r2_score(data.y[rows], said, sample_weight=weights[rows])
    assert model.held_out_["metrics"]["r2"]["value"] == pytest.approx(expected, abs=1e-10)
    plain = r2_score(data.y[rows], said)
    assert abs(expected - plain) > 1e-6


def test_scikit_learn_scores_by_weights_too(data):
    classes = data.y > np.median(data.y)
    weights = np.linspace(0.1, 3, len(data.X))
    model = ThreshNetClassifier(**CONVERGED).fit(data.X, classes)
    expected = accuracy_score(classes, model.predict(data.X), sample_weight=weights)
    assert model.score(data.X, classes, sample_weight=weights) == expected


@pytest.mark.parametrize(
    "weights, said",
    [
        ([1.0, 2.0], "sample_weight.shape"),
        (np.r_[np.ones(59), -1], "[Nn]egative"),
        (np.r_[np.ones(59), np.nan], "NaN"),
        (np.zeros(60), "sum to nothing|zero"),
    ],
)
def test_what_is_no_weight_is_refused(weights, said):
    model, X, y = next(outcomes())
    with pytest.raises(ValueError, match=said):
        model.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    "class_weight, said",
    [
        ({"maybe": 2}, "'maybe' is no class of y"),
        ("equal", "neither a dict by class"),
        ({0: -1}, "weight"),
    ],
)
def test_what_is_no_class_weight_is_refused(class_weight, said):
    X, y = make_classification(60, 5, random_state=0)
    with pytest.raises(ValueError, match=said):
        ThreshNetClassifier(**CONVERGED, class_weight=class_weight).fit(X, y)
