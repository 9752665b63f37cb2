"""Rows in clusters: no split divides one."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from threshnet import ThreshNetRegressor


@pytest.fixture(scope="module")
def visits():
    """Twenty-four patients of five visits each; columns tell patients apart, and nothing else."""
    rng = np.random.default_rng(5)
    patient = np.repeat(np.arange(24), 5)
    order = rng.permutation(120)
    X = rng.normal(size=(24, 20))[patient] + 0.05 * rng.normal(size=(120, 20))
    y = rng.normal(size=24)[patient] + 0.05 * rng.normal(size=120)
    return X[order], y[order], np.array([f"patient {p}" for p in patient])[order]


SETTINGS = {"hidden": (), "penalty": "lasso", "random_state": 0}


@pytest.mark.parametrize("validation", ["draws:4", "cv:4", "holdout:0.25"])
def test_no_patient_is_held_out_and_learned_from(visits, validation):
    X, y, patient = visits
    model = ThreshNetRegressor(**SETTINGS, validation=validation)
    model.fit(X, y, fold_by=patient)
    held_out = model.held_out_
    for fold in np.unique(held_out["folds"]):
        rows = held_out["rows"][held_out["folds"] == fold]
        others = np.setdiff1d(np.arange(120), rows)
        assert not set(patient[rows]) & set(patient[others])
    if validation[0] == "h":
        assert not set(patient[model.training_rows_]) & set(patient[held_out["rows"]])


def test_the_held_out_loss_is_honest(visits):
    X, y, patient = visits
    r2 = {}
    for name, clusters in (("rows", None), ("patients", patient)):
        model = ThreshNetRegressor(**SETTINGS, validation="cv:4").fit(X, y, fold_by=clusters)
        r2[name] = model.held_out_["metrics"]["r2"]["value"]
    assert r2["rows"] > 0.4 and r2["patients"] < 0.1


def test_control_and_given_folds(visits):
    X, y, patient = visits
    quick = {"lambdas": [0.05, 0.2], "ridges": [0.01]}
    ThreshNetRegressor(**SETTINGS, **quick, stability=3, max_false=6).fit(X, y, fold_by=patient)
    folds = np.zeros(120, dtype=int)
    for number, (_, rows) in enumerate(GroupKFold(3).split(X, y, patient)):
        folds[rows] = number
    ThreshNetRegressor(**SETTINGS, **quick).fit(X, y, folds=folds, fold_by=patient)
    with pytest.raises(ValueError, match="both sides of a split"):
        ThreshNetRegressor(**SETTINGS, **quick).fit(X, y, folds=np.arange(120) % 3, fold_by=patient)


@pytest.mark.parametrize(
    ("fold_by", "says"),
    [
        (np.zeros(120), "fold_by: all rows are in one"),
        (np.arange(60), "X has 120 rows, fold_by has 60"),
        (np.arange(120) % 3, "4 folds of 3 clusters"),
        (np.where(np.arange(120) < 70, 0, np.arange(120)), "a cluster has 70 of 120 rows"),
    ],
)
def test_what_cannot_be_is_refused(visits, fold_by, says):
    X, y, _ = visits
    with pytest.raises(ValueError, match=says):
        ThreshNetRegressor(**SETTINGS, validation="cv:4").fit(X, y, fold_by=fold_by)
