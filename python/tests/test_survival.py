"""Times to an event: what is taken as outcome, and the curves that come back."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import nameless, quick
from sksurv.metrics import concordance_index_censored
from sksurv.util import Surv

from threshnet import StepFunction, survival


@pytest.fixture(scope="module")
def model(data):
    return quick("survival").fit(data.X, data.survival)


def frame(data):
    return pd.DataFrame({"months": data.survival["time"], "died": data.survival["event"]})


def times_first(y):
    swapped = np.empty(len(y), dtype=[("months", np.float64), ("died", bool)])
    swapped["months"], swapped["died"] = y["time"], y["event"]
    return swapped


OUTCOMES = {
    "times first": lambda data: times_first(data.survival),
    "scikit-survival": lambda data: Surv.from_arrays(data.survival["event"], data.survival["time"]),
    "scikit-survival, other names": lambda data: Surv.from_dataframe("died", "months", frame(data)),
    "events as 0 and 1": lambda data: survival(
        data.survival["time"].tolist(), data.survival["event"].astype(int)
    ),
    "a view": lambda data: np.repeat(data.survival, 2)[::2],
}


@pytest.mark.parametrize("kind", OUTCOMES)
def test_structured_arrays_are_taken_whatever_their_fields(kind, data, model):
    y = OUTCOMES[kind](data)
    twin = quick("survival").fit(data.X, y)
    assert nameless(twin) == nameless(model)
    assert twin.score(data.X, y) == model.score(data.X, data.survival)


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.DataFrame, pa.Table.from_pandas])
@pytest.mark.parametrize("dtype", [bool, int, float])
def test_data_frames_are_taken_by_the_names_of_their_columns(convert, dtype, data, model):
    y = convert(frame(data).astype({"died": dtype}))
    twin = quick("survival", time="months", event="died").fit(data.X, y)
    assert nameless(twin) == nameless(model)
    assert twin.score(data.X, y) == model.score(data.X, data.survival)


def test_whole_numbers_are_times_too(data):
    days = np.ceil(data.survival["time"] * 100)
    whole = np.empty(len(days), dtype=[("event", bool), ("time", np.int64)])
    whole["event"], whole["time"] = data.survival["event"], days
    expected = quick("survival").fit(data.X, survival(days, data.survival["event"]))
    assert quick("survival").fit(data.X, whole)._model.to_json() == expected._model.to_json()


REFUSED = {
    "plain numbers": (lambda data: data.y, "y must be a structured array"),
    "a list": (lambda data: data.y.tolist(), "y must be a structured array"),
    "a frame without names": (frame, r"name its columns by ThreshNetSurvival\(time=..., event="),
    "two fields of times": (
        lambda data: data.survival.astype([("event", float), ("time", float)]),
        "one field of bool",
    ),
    "three fields": (
        lambda data: np.zeros(120, dtype=[("a", bool), ("b", float), ("c", float)]),
        "one field of bool",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("where", ["fit", "score"])
def test_what_is_no_outcome_of_times_is_refused(kind, where, data, model):
    make, words = REFUSED[kind]
    act = quick("survival").fit if where == "fit" else model.score
    with pytest.raises(ValueError, match=words):
        act(data.X, make(data))


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("died", 2, "died: 2.0 in row 5: an event is True or 1"),
        ("died", np.nan, "died: nan in row 5"),
        ("months", -1.0, "months: -1.0 in row 5"),
        ("months", np.nan, "months: nan in row 5"),
        ("months", np.inf, "months: inf in row 5"),
    ],
)
def test_a_row_that_cannot_be_is_named(column, value, words, data):
    y = frame(data).astype({"died": float})
    y.loc[5, column] = value
    with pytest.raises(ValueError, match=words):
        quick("survival", time="months", event="died").fit(data.X, y)


def test_a_time_that_cannot_be_is_named_in_an_array_too(data):
    y = data.survival.copy()
    y["time"][5] = -1
    with pytest.raises(ValueError, match="time: -1.0 in row 5"):
        quick("survival").fit(data.X, y)


def test_a_column_that_is_not_there_is_named(data):
    with pytest.raises(ValueError, match="no column 'dead', only .*'months', 'died'"):
        quick("survival", time="months", event="dead").fit(data.X, frame(data))


def test_the_helper_refuses_an_event_that_is_none():
    with pytest.raises(ValueError, match="event: 2 in row 1"):
        survival([1.0, 2.0], [1, 2])


def test_the_helper_refuses_lengths_that_differ():
    with pytest.raises(ValueError, match="same length"):
        survival([1.0, 2.0], [True])


def test_outcomes_without_events_are_refused(data):
    y = survival(data.survival["time"], np.zeros(len(data.X), dtype=bool))
    with pytest.raises(ValueError, match="event"):
        quick("survival").fit(data.X, y)


def test_curves_step_at_the_event_times_of_the_training_rows(data, model):
    train = data.survival[model.training_rows_]
    assert 0 < len(train) < len(data.X)
    np.testing.assert_array_equal(model.unique_times_, np.unique(train["time"][train["event"]]))


def test_curves_step_at_the_event_times_of_all_rows_after_a_refit(data):
    model = quick("survival", refit=True).fit(data.X, data.survival)
    times = data.survival["time"][data.survival["event"]]
    np.testing.assert_array_equal(model.unique_times_, np.unique(times))


@pytest.mark.parametrize("what", ["survival", "cumulative_hazard"])
def test_step_functions_are_the_rows_of_the_array(what, data, model):
    predict = getattr(model, f"predict_{what}_function")
    array, curves = predict(data.X, return_array=True), predict(data.X)
    assert array.shape == (len(data.X), len(model.unique_times_))
    assert curves.shape == (len(data.X),)
    for row, curve in zip(array, curves, strict=True):
        np.testing.assert_array_equal(curve.x, model.unique_times_)
        np.testing.assert_array_equal(curve(model.unique_times_), row)


def test_survival_is_what_the_cumulative_hazard_leaves(data, model):
    hazard = model.predict_cumulative_hazard_function(data.X, return_array=True)
    alive = model.predict_survival_function(data.X, return_array=True)
    np.testing.assert_allclose(alive, np.exp(-hazard), rtol=1e-12)


def test_survival_falls_with_time_and_with_risk(data, model):
    alive = model.predict_survival_function(data.X, return_array=True)
    assert (np.diff(alive, axis=1) <= 0).all()
    assert (np.diff(alive[np.argsort(model.predict(data.X))], axis=0) <= 0).all()
    assert alive[:, 0].max() <= 1
    assert np.ptp(alive[:, len(model.unique_times_) // 2]) > 0.5


def test_the_baseline_hazard_is_breslows(data, model):
    train = data.survival[model.training_rows_]
    risk = np.exp(model.predict(data.X[model.training_rows_]))
    steps = [
        train["event"][train["time"] == time].sum() / risk[train["time"] >= time].sum()
        for time in model.unique_times_
    ]
    hazard = model.predict_cumulative_hazard_function(data.X[:3], return_array=True)
    expected = np.cumsum(steps) * np.exp(model.predict(data.X[:3]))[:, None]
    np.testing.assert_allclose(hazard, expected, rtol=1e-6)


def test_step_functions_hold_their_value_until_the_next_step():
    curve = StepFunction(np.array([1.0, 3.0]), np.array([0.8, 0.5]), before=1.0)
    np.testing.assert_array_equal(curve([0, 0.9, 1, 2.9, 3, 99]), [1, 1, 0.8, 0.8, 0.5, 0.5])
    assert curve(2) == 0.8
    assert isinstance(curve(2), float)
    assert curve.domain[0] == 0


def test_the_score_is_harrells_c(data, model):
    risk = model.predict(data.X)
    expected = concordance_index_censored(data.survival["event"], data.survival["time"], risk)[0]
    assert model.score(data.X, data.survival) == pytest.approx(expected, abs=1e-12)


def test_the_score_counts_ties_as_scikit_survival_does(data, model):
    X = np.round(data.X)
    y = survival(np.ceil(data.survival["time"] * 3), data.survival["event"])
    expected = concordance_index_censored(y["event"], y["time"], model.predict(X))
    assert expected[3] > 0
    assert expected[4] > 0
    assert model.score(X, y) == pytest.approx(expected[0], abs=1e-12)


def test_efron_differs_where_events_are_tied(data):
    tied = survival(np.ceil(data.survival["time"] * 3), data.survival["event"])
    for y, differ in ((tied, True), (data.survival, False)):
        breslow, efron = (
            quick("survival", ties=ties).fit(data.X, y)._model.to_json()
            for ties in ("breslow", "efron")
        )
        assert (breslow != efron) == differ
