"""Columns that stay, penalty factors and groups."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from threshnet import ThreshNetRegressor, threshnet_path

QUICK = {
    "hidden": (),
    "validation": "draws:2",
    "lambdas": [0.02, 0.1, 2.0],
    "random_state": 1,
}
NAMES = [f"x{j}" for j in range(8)]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 8))
    return X, 2 * X[:, 4] + 0.3 * rng.normal(size=80)


@pytest.mark.parametrize(
    "given",
    [
        {"keep": ["x0", "x7"]},
        {"keep": [0, 7]},
        {"keep": "x[07]"},
        {"penalty_factors": {"x0": 0, "x7": 0.0}},
        {"penalty_factors": [0, 1, 1, 1, 1, 1, 1, 0]},
        {"penalty_factors": pd.Series([0.0, 0.0], index=["x0", "x7"])},
        {"keep": 0, "penalty_factors": {7: 0}},
    ],
)
def test_every_way_to_keep_columns(data, given):
    X, y = data
    X = pd.DataFrame(X, columns=NAMES)
    model = ThreshNetRegressor(**QUICK, **given)
    found = clone(model).fit(X, y)
    assert set(found.get_support(indices=True)) >= {0, 4, 7}
    same = ThreshNetRegressor(**QUICK, keep=["x0", "x7"]).fit(X, y)
    np.testing.assert_array_equal(found.predict(X), same.predict(X))
    assert np.all(found.norms_path_[[0, 7]] > 0)


def test_what_is_dropped_never_enters_and_predictions_take_the_same_columns(data):
    X, y = data
    found = ThreshNetRegressor(**QUICK, penalty_factors={4: np.inf}).fit(X, y)
    assert not found.get_support()[4]
    assert np.all(found.norms_path_[4] == 0)
    assert found.predict(X).shape == (80,)


@pytest.mark.parametrize(
    "groups",
    [
        {"x4": "a", "x1": "a", "x6": "b", "x7": "b"},
        pd.Series(["a", "a", "b", "b"], index=["x1", "x4", "x6", "x7"]),
        [None, "a", None, None, "a", np.nan, "b", "b"],
    ],
)
def test_columns_of_a_group_enter_together(data, groups):
    X, y = data
    path = threshnet_path(pd.DataFrame(X, columns=NAMES), y, groups=groups, hidden=(), ridge=0.001)
    for pair in ([1, 4], [6, 7]):
        there = path.norms[pair] != 0
        assert np.array_equal(there[0], there[1])
        assert there.any()


def test_error_control_leaves_kept_columns_alone(data):
    X, y = data
    quick = QUICK | {"validation": None}
    for control in ({"stability": 3, "max_false": 2}, {"fdr": 0.5}):
        found = ThreshNetRegressor(**quick, **control, keep=[0]).fit(X, y)
        assert found.get_support()[0]
        assert 0 in found.selection_["selected"]


def test_a_saved_model_and_its_report_know_them(data, tmp_path):
    X, y = data
    found = ThreshNetRegressor(**QUICK, keep=[0], groups={1: "a", 4: "a"}).fit(X, y)
    found.save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    assert '"penalty_factors"' in text and '"groups"' in text
    found.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "x0 (kept)" in page and "x4 (group a)" in page


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"keep": "age"}, "keep: no column matches 'age'"),
        ({"keep": [9]}, "keep: there is no column 9"),
        ({"keep": 3}, "is to stay but has one value"),
        ({"keep": 0, "penalty_factors": {0: 2}}, "has the penalty factor 2.0, too"),
        ({"penalty_factors": {0: -1}}, "is -1: give 0 to keep it"),
        ({"penalty_factors": {0: np.nan}}, "is NaN"),
        ({"penalty_factors": {0: "two"}}, "not a number"),
        ({"penalty_factors": [1, 2]}, "2 values for 8 columns"),
        ({"groups": {"age": "a"}}, "groups: there is no column 'age'"),
        ({"groups": pd.Series(["a", "b"], index=[0, 0])}, "is there twice"),
        ({"groups": {0: "a", 1: "a"}, "keep": 0}, "a group has one"),
        ({"groups": {0: "a", 1: "a"}, "fdr": 0.5}, "groups"),
    ],
)
def test_what_cannot_be_is_refused(data, given, says):
    X, y = data
    X = X.copy()
    X[:, 3] = 1.0
    with pytest.raises(ValueError, match=says):
        ThreshNetRegressor(**(QUICK | {"validation": None}), **given).fit(X, y)
