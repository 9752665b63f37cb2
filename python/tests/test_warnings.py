"""What went wrong, or may be chance, is said."""

import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import quick
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import threshnet
from threshnet import plots


def linear(task="regression", **settings):
    return quick(task, hidden=(), learning_rate=None, epochs=None, first_epochs=None, **settings)


def test_few_rows_and_rare_classes_are_named(data):
    with pytest.warns(UserWarning, match="^8 rows are few"):
        linear(validation="cv:2").fit(data.X[:8], data.y[:8])
    labels = np.zeros(120, dtype=int)
    labels[[3, 70]] = 1
    with pytest.warns(UserWarning, match="^class '1' has 2 rows"):
        linear("classification", validation="cv:2").fit(data.X, labels)
    event = np.zeros(120, dtype=bool)
    event[::20] = True
    y = threshnet.survival(data.survival["time"], event)
    with pytest.warns(UserWarning, match="^6 events are few"):
        linear("survival", validation="cv:2").fit(data.X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linear().fit(data.X, data.y)


def test_an_empty_selection_under_fdr_is_said(data):
    rng = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="^nothing is selected: a rate of 0.1 takes at least 10"):
        linear(fdr=0.1).fit(data.X, rng.normal(size=120))


def test_a_limit_of_epochs_that_was_given_is_said(data):
    with pytest.warns(ConvergenceWarning, match="allow more `epochs`"):
        quick(solver="proximal", learning_rate=None, epochs=2, first_epochs=2).fit(data.X, data.y)


def test_durations_are_refused_with_what_to_do(data):
    days = pd.Series(pd.to_timedelta(np.arange(1, 121), unit="D"), name="follow-up")
    with pytest.raises(ValueError, match="^time holds durations .*divide them"):
        threshnet.survival(days, np.ones(120, dtype=bool))
    with pytest.raises(ValueError, match="^follow-up holds durations"):
        linear().fit(data.X, days)
    frame = pd.DataFrame({"os": days, "dead": True})
    with pytest.raises(ValueError, match="^os holds durations"):
        linear("survival", time="os", event="dead").fit(data.X, frame)
    structured = np.empty(120, dtype=[("dead", bool), ("os", "m8[D]")])
    with pytest.raises(ValueError, match="^os holds durations"):
        linear("survival").fit(data.X, structured)


def test_medians_and_survival_at_times(data):
    model = quick("survival").fit(data.X, data.survival)
    times = model.unique_times_
    at = np.array([times[3], times[10]])
    said = model.predict_survival_function(data.X[:9], times=at)
    curves = model.predict_survival_function(data.X[:9], return_array=True)
    assert np.array_equal(said, curves[:, [3, 10]])
    medians = model.predict_median(data.X)
    assert np.isinf(medians).any() and np.isfinite(medians).any()
    for row, median in enumerate(medians):
        curve = model.predict_survival_function(data.X[[row]])[0]
        if np.isfinite(median):
            assert curve(median) <= 0.5 < curve(np.nextafter(median, 0))
        else:
            assert curve(times[-1]) > 0.5
    with pytest.raises(ValueError, match="times: -1.0 in row 0"):
        model.predict_survival_function(data.X, times=[-1.0])


def test_pictures_take_pipelines(data):
    pytest.importorskip("matplotlib").use("agg")
    model = make_pipeline(StandardScaler(), quick("survival")).fit(data.X, data.survival)
    plots.plot_survival(model, data.X, data.survival)
    plots.plot_path(model)
    plots.plot_validation(model)
    plots.plot_effects(model, data.X)
    drawn = make_pipeline(StandardScaler(), quick(validation="draws:3")).fit(data.X, data.y)
    plots.plot_frequencies(drawn)
