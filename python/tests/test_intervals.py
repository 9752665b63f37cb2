"""Intervals, sets, lower bounds; coefficients of linear models; importance."""

import numpy as np
import pandas as pd
import pytest
from conftest import quick, simulated


def linear(task="regression", **settings):
    return quick(task, hidden=(), learning_rate=None, epochs=None, first_epochs=None, **settings)


def test_intervals_cover_new_rows():
    old, new = simulated(300), simulated(1200)
    model = quick("regression", validation="cv:5").fit(old.X, old.y)
    new.X, new.y = new.X[300:], new.y[300:]
    for coverage in (0.5, 0.9):
        interval = model.predict_interval(new.X, coverage)
        lower, upper = interval.T
        inside = (lower <= new.y) & (new.y <= upper)
        assert abs(inside.mean() - coverage) < 0.08
        assert np.allclose((lower + upper) / 2, model.predict(new.X))


def test_sets_are_of_plausible_classes(data):
    model = linear("classification", validation="cv:5").fit(data.X, data.three)
    few, many = (model.predict_set(data.X, coverage) for coverage in (0.5, 0.95))
    assert few.dtype == bool and few.shape == (len(data.X), 3)
    assert (few <= many).all() and many.sum() > few.sum()
    truth = np.arange(len(data.X)), data.three
    assert many[truth].mean() > 0.9


def test_lower_bounds_are_early_enough(data):
    model = linear("survival", validation="cv:5").fit(data.X, data.survival)
    early, late = (model.predict_lower_bound(data.X, coverage) for coverage in (0.9, 0.6))
    assert (early <= late).all() and (early < late).any()
    time, event = data.survival["time"], data.survival["event"]
    # of what is seen to happen, few before the bound
    assert (event & (time < early)).mean() < 0.15


def test_what_cannot_be_promised_is_refused(data):
    model = linear(validation="cv:5").fit(data.X, data.y)
    with pytest.raises(ValueError, match="^coverage: 1 is no coverage"):
        model.predict_interval(data.X, 1)
    with pytest.raises(ValueError, match="at least 999 held-out rows"):
        model.predict_interval(data.X, 0.999)
    with pytest.raises(ValueError, match="no held-out rows"):
        model.at(n_features=2).predict_interval(data.X)


def test_coefficients_are_on_the_raw_scale(data, task, outcome, tmp_path):
    X = data.X * 5 + 3
    model = linear(task).fit(X, outcome)
    sums = X @ model.coef_.ravel() + model.intercept_
    if task == "classification":
        assert model.coef_.shape == (1, X.shape[1])
        p = model.predict_proba(X)
        assert np.allclose(sums, np.log(p[:, 1] / p[:, 0]))
    else:
        assert np.allclose(sums, model.predict(X))
    table = pd.DataFrame(model.coefficients_)
    assert np.allclose(table["sd"], X.std(axis=0)[table["index"]])
    assert np.allclose(table["coefficient"], model.coef_.ravel()[table["index"]])
    assert not hasattr(quick(task).fit(X, outcome), "coef_")


def test_importance_is_asked_for(data):
    model = linear(importance=True).fit(data.X, data.y)
    columns = model.importance_["columns"]
    assert {of["index"] for of in columns[:2]} == {0, 1}
    low, high = columns[0]["dropped"]["interval"]
    assert 0 < low < columns[0]["dropped"]["value"] < high
    assert linear().fit(data.X, data.y).importance_ is None
