"""The pictures show the estimators' numbers."""

import sys
from types import SimpleNamespace

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from sklearn.exceptions import NotFittedError
from sksurv.nonparametric import kaplan_meier_estimator

from threshnet import (
    ThreshNetClassifier,
    ThreshNetRegressor,
    ThreshNetSurvival,
    load,
    survival,
    threshnet_path,
)
from threshnet._core import kaplan_meier
from threshnet.plots import (
    plot_effects,
    plot_frequencies,
    plot_path,
    plot_survival,
    plot_validation,
)
from threshnet.plots.common import BLUE, GREY
from threshnet.plots.path import UNNAMED
from threshnet.plots.survival import groups_of
from threshnet.plots.validation import most_frequent

SMALL = {
    "lambdas": "0.01:1:10",
    "ridges": [0.001, 0.01],
    "validation": "holdout:0.3",
    "first_epochs": 200,
    "epochs": 50,
    "learning_rate": 0.02,
    "linear": "leave",
    "random_state": 0,
}
# A Cox network overfits so few rows unless it is small.
COX = {"hidden": (4,), "ridges": [0.05], "learning_rate": 0.002}
# Names that mathematics, or matplotlib's legends, would take for something else.
NAMES = ["_price_$", "a^2_$b$", "flag", *(f"n{number}" for number in range(9))]


@pytest.fixture(scope="module")
def made():
    """Data of which the first three columns matter, and a fit of each kind."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, len(NAMES)))
    X[:, 2] = X[:, 2] > 0
    signal = 2 * X[:, 0] + 2 * np.maximum(X[:, 1], 0) + 2 * X[:, 2]
    y = signal + 0.2 * rng.normal(size=len(X))
    frame = pd.DataFrame(X, columns=NAMES)
    time, end = rng.exponential(np.exp(-signal)), rng.exponential(0.5, size=len(X))
    # Rounded, so that there are ties.
    outcome = survival(np.round(np.minimum(time, end), 2) + 0.01, time <= end)
    return SimpleNamespace(
        X=X,
        frame=frame,
        y=y,
        outcome=outcome,
        model=ThreshNetRegressor(**SMALL).fit(frame, y),
        plain=ThreshNetRegressor(**SMALL).fit(X, y),
        drawn=ThreshNetRegressor(**(SMALL | {"validation": "draws:5"})).fit(frame, y),
        stable=ThreshNetRegressor(**SMALL, stability=4).fit(frame, y),
        classes=ThreshNetClassifier(**SMALL).fit(frame, np.where(y > 1, "yes", "no")),
        risk=ThreshNetSurvival(**(SMALL | COX)).fit(frame, outcome),
    )


@pytest.fixture(autouse=True)
def closed():
    """Leaves neither figures nor settings behind."""
    before = dict(matplotlib.rcParams)
    yield
    plt.close("all")
    assert dict(matplotlib.rcParams) == before


def line(ax, label):
    """The line with this label."""
    (found,) = [each for each in ax.lines if each.get_label() == label]
    return found


def vertical(ax):
    """Where the dashed vertical line is."""
    (found,) = [each for each in ax.lines if each.get_linestyle() == "--"]
    return np.unique(found.get_xdata()).item()


def legend(ax):
    """The labels of the legend, after a look whether they can be drawn."""
    ax.figure.canvas.draw()
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_path_is_that_of_the_estimator(made):
    ax = plot_path(made.model)
    assert isinstance(ax, Axes) and ax.get_xscale() == "log"
    selected = made.model.get_support(indices=True)
    assert 1 <= len(selected) < len(NAMES)
    for column in selected:
        drawn = line(ax, NAMES[column])
        np.testing.assert_array_equal(drawn.get_xdata(), made.model.lambdas_)
        np.testing.assert_array_equal(drawn.get_ydata(), made.model.norms_path_[column])
        assert to_hex(drawn.get_color()) != GREY.lower()
    assert vertical(ax) == made.model.best_lambda_
    assert set(legend(ax)[:-1]) == {NAMES[column] for column in selected}


def test_the_path_leaves_out_what_leaves_early(made):
    ax = plot_path(made.model, highlight=NAMES[0])
    grey = [each for each in ax.lines if each.get_color() == GREY]
    norms = made.model.norms_path_[1:]
    late = (norms[:, 3:] != 0).any(axis=1)
    assert 0 < late.sum() < len(norms)
    drawn = {tuple(each.get_ydata()) for each in grey}
    assert drawn == {tuple(row) for row in norms[late]}


def test_the_path_highlights_what_is_asked_for(made):
    ax = plot_path(made.model, highlight=["n3", 4])
    assert set(legend(ax)[:-1]) == {"n3", "n1"}
    np.testing.assert_array_equal(line(ax, "n3").get_ydata(), made.model.norms_path_[6])
    for wrong in ("n10", 12, -1, 1.5, True, np.True_):
        with pytest.raises(ValueError, match="there is no column"):
            plot_path(made.model, highlight=[wrong])


def test_the_path_draws_but_some_of_many_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 400))
    path = threshnet_path(X, X[:, 0], lambdas=[0.001, 0.002], first_epochs=5, epochs=2)
    assert path.estimator.get_support().sum() > 12 + UNNAMED
    ax = plot_path(path.estimator)
    assert len(ax.lines) == 12 + UNNAMED + 1
    left = path.estimator.get_support().sum() - 12
    assert len(legend(ax)) == 14 and legend(ax)[12] == f"{left} more"


def test_names_are_text(made):
    shown = plot_path(made.model, highlight=NAMES[:2]).get_legend().get_texts()
    assert {text.get_text() for text in shown[:2]} == set(NAMES[:2])
    panels = plot_effects(made.model, made.frame, columns=NAMES[:2])
    ticks = plot_frequencies(made.drawn).get_yticklabels()
    assert {NAMES[0], NAMES[1]} <= {text.get_text() for text in ticks}
    for text in [*shown[:2], *ticks, *(each.xaxis.label for each in panels)]:
        assert not text.get_parse_math()
        text.figure.canvas.draw()


def test_columns_without_names_are_numbered(made):
    column = made.plain.get_support(indices=True)[0]
    assert f"x{column}" in legend(plot_path(made.plain))


def test_long_names_are_shortened(made):
    names = [f"the concentration of substance {number} in mg" for number in range(len(NAMES))]
    model = ThreshNetRegressor(**SMALL).fit(pd.DataFrame(made.X, columns=names), made.y)
    first = legend(plot_path(model, highlight=names[4]))[0]
    assert first == "the concentra…tance 4 in mg"


def test_validation_is_that_of_the_grid(made):
    ax = plot_validation(made.model)
    grid, (chosen,) = made.model.path_, made.model.chosen_
    assert isinstance(ax, Axes) and ax.get_xscale() == "log"
    for ridge in made.model.ridges_:
        at = grid["ridge"] == ridge
        colour = BLUE if ridge == grid["ridge"][chosen] else GREY
        (drawn,) = [each for each in ax.lines if each.get_color() == colour]
        np.testing.assert_array_equal(drawn.get_xdata(), grid["lambda"][at])
        np.testing.assert_array_equal(drawn.get_ydata(), grid["validation_loss"][at])
    (mark,) = [each for each in ax.lines if each.get_marker() == "o"]
    assert mark.get_xydata().tolist() == [[grid["lambda"][chosen], grid["validation_loss"][chosen]]]
    assert vertical(ax) == made.model.best_lambda_ == grid["lambda"][chosen]


def test_validation_has_a_band_of_a_standard_error(made):
    grid = made.model.path_
    at = grid["ridge"] == grid["ridge"][made.model.chosen_[0]]
    (band,) = plot_validation(made.model).collections
    edge = {tuple(point) for point in band.get_paths()[0].vertices}
    for sign in (-1, 1):
        side = grid["validation_loss"][at] + sign * grid["validation_se"][at]
        assert set(zip(grid["lambda"][at], side, strict=True)) <= edge


def test_validation_counts_columns_above(made):
    ax = plot_validation(made.model)
    (top,) = [each for each in ax.figure.axes if each is not ax]
    grid = made.model.path_
    at = grid["ridge"] == grid["ridge"][made.model.chosen_[0]]
    sizes = dict(zip(grid["lambda"][at], grid["size"][at], strict=True))
    labels = [text.get_text() for text in top.get_xticklabels()]
    assert labels == [f"{sizes[place]:.0f}" for place in top.get_xticks()] and len(labels) > 3
    ax.set_xlim(0.02, 0.5)
    assert top.get_xlim() == (0.02, 0.5)


def test_validation_marks_the_choice_of_every_draw(made):
    ax = plot_validation(made.drawn)
    grid, chosen = made.drawn.path_, made.drawn.chosen_
    (marks,) = [each for each in ax.lines if each.get_marker() == "o"]
    np.testing.assert_array_equal(marks.get_xdata(), grid["lambda"][chosen])
    np.testing.assert_array_equal(marks.get_ydata(), grid["validation_loss"][chosen])
    assert len(chosen) == 5 and marks.get_alpha() < 1
    assert most_frequent(np.array([0.1, 0.01, 0.1, 1.0])) == 0.1
    assert vertical(ax) == made.drawn.best_lambda_


def test_a_penalty_of_zero_has_a_place(made):
    settings = SMALL | {"lambdas": [0.0, 0.02, 0.1, 0.3]}
    model = ThreshNetRegressor(**settings).fit(made.frame, made.y)
    for picture in (plot_path, plot_validation):
        ax = picture(model)
        ax.figure.canvas.draw()
        assert ax.get_xlim()[0] <= 0 < ax.transData.transform((0, 0))[0]


@pytest.mark.parametrize("kind", ["drawn", "stable"])
def test_frequencies_are_bars(made, kind):
    model = getattr(made, kind)
    ax = plot_frequencies(model, top=4)
    assert isinstance(ax, Axes)
    shown = [text.get_text() for text in ax.get_yticklabels()]
    assert len(shown) == 4
    assert [bar.get_width() for bar in ax.patches] == sorted(model.frequencies_)[:-5:-1]
    for name, bar in zip(shown, ax.patches, strict=True):
        column = NAMES.index(name)
        assert bar.get_width() == model.frequencies_[column]
        wanted = BLUE if model.get_support()[column] else GREY
        assert to_hex(bar.get_facecolor()) == wanted.lower()
    if kind == "stable":
        assert vertical(ax) == model.selection_["threshold"]
        assert "half-samples" in ax.get_xlabel()
    else:
        assert vertical(ax) == model.threshold_
        assert "fits" in ax.get_xlabel()


def test_frequencies_show_a_given_threshold_and_no_zeros(made):
    settings = SMALL | {"validation": "draws:3", "frequency": 0.7}
    model = ThreshNetRegressor(**settings).fit(made.frame, made.y)
    ax = plot_frequencies(model, top=100)
    assert vertical(ax) == 0.7
    assert len(ax.patches) == np.count_nonzero(model.frequencies_)


def test_frequencies_must_have_been_counted(made, tmp_path):
    made.model.save(tmp_path)
    for model in (made.model, load(tmp_path)):
        with pytest.raises(ValueError, match="draws:12.*stability=50"):
            plot_frequencies(model)
    with pytest.raises(ValueError, match="top: 0"):
        plot_frequencies(made.drawn, top=0)


def mean_prediction(model, frame, name, value):
    """The effect of a value, the long way."""
    changed = frame.copy()
    changed[name] = value
    if isinstance(model, ThreshNetClassifier):
        return model.predict_proba(changed)[:, -1].mean()
    return model.predict(changed).mean()


@pytest.mark.parametrize("kind", ["model", "drawn", "classes", "risk"])
def test_effects_are_mean_predictions(made, kind):
    model = getattr(made, kind)
    values = made.frame["_price_$"]
    ax = plot_effects(model, made.frame, columns="_price_$")
    x, y = ax.lines[0].get_data()
    assert x[0] == values.min() and x[-1] == values.max() and (np.diff(x) > 0).all()
    brute = [mean_prediction(model, made.frame, "_price_$", value) for value in x]
    np.testing.assert_allclose(y, brute, rtol=1e-6)
    assert np.ptp(y) > 0.1
    labels = {"classes": "probability of class yes", "risk": "log risk"}
    assert ax.get_ylabel() == labels.get(kind, "prediction")


def test_effects_are_of_the_class_asked_for(made):
    column = made.classes.get_support(indices=True)[0]
    drawn = [
        plot_effects(made.classes, made.frame, columns=[column], target=target)
        for target in ("no", "yes", None)
    ]
    no, yes, last = (ax.lines[0].get_ydata() for ax in drawn)
    np.testing.assert_allclose(no, 1 - yes)
    np.testing.assert_array_equal(yes, last)
    assert drawn[0].get_ylabel() == "probability of class no"
    with pytest.raises(ValueError, match="target: 'maybe' is none of the classes"):
        plot_effects(made.classes, made.frame, target="maybe")


def test_effects_have_a_panel_per_column_strongest_first(made):
    panels = plot_effects(made.model, made.frame)
    selected = made.model.get_support(indices=True)
    order = selected[np.argsort(-made.model.norms_[selected])]
    assert [each.get_xlabel() for each in panels] == [NAMES[column] for column in order]
    assert all(isinstance(each, Axes) for each in panels)
    assert len({each.get_ylim() for each in panels}) == 1


def test_effects_of_few_values_are_at_these_values(made):
    ax = plot_effects(made.model, made.frame, columns=["flag"])
    assert ax.lines[0].get_xdata().tolist() == [0, 1] == ax.get_xticks().tolist()


def test_effects_take_a_sample_of_many_rows(made):
    many = pd.concat([made.frame] * 3, ignore_index=True)
    curve, rug = plot_effects(made.model, many, columns="_price_$").lines
    x, y = curve.get_data()
    assert 150 < len(rug.get_xdata()) <= 400
    assert set(rug.get_xdata()) <= set(made.frame["_price_$"])
    whole = [mean_prediction(made.model, made.frame, "_price_$", value) for value in x]
    assert np.abs(y - whole).max() < 0.5


def test_effects_refuse_what_they_cannot_draw(made):
    _, ax = plt.subplots()
    assert plot_effects(made.model, made.frame, columns="_price_$", ax=ax) is ax
    with pytest.raises(ValueError, match="ax holds one column, these are 2"):
        plot_effects(made.model, made.frame, columns=["n1", "n2"], ax=ax)
    with pytest.raises(ValueError, match="no column to draw"):
        plot_effects(made.model.at(lambda_=1), made.frame)
    with pytest.raises(ValueError, match="there is no column 'other'"):
        plot_effects(made.model, made.frame, columns="other")
    left_out = int(np.flatnonzero(~made.model.get_support())[0])
    with pytest.raises(ValueError, match=f"does not select '{NAMES[left_out]}'"):
        plot_effects(made.model, made.frame, columns=left_out)


def test_kaplan_meier_is_that_of_scikit_survival(made):
    time, event = (np.ascontiguousarray(made.outcome[name]) for name in ("time", "event"))
    assert len(np.unique(time)) < len(time) and 0 < event.sum() < len(event)
    # (theirs has all times, ours those at which it steps)
    wanted = dict(zip(*kaplan_meier_estimator(event, time), strict=True))
    times, survival = kaplan_meier(time, event)
    assert set(time[event]) <= set(times)
    np.testing.assert_allclose(survival, [wanted[t] for t in times], atol=1e-12)


def test_survival_is_the_mean_of_each_group(made):
    ax = plot_survival(made.risk, made.frame, made.outcome)
    assert isinstance(ax, Axes)
    risk = made.risk.predict(made.frame)
    group = np.digitize(risk, np.quantile(risk, [1 / 3, 2 / 3]), right=True)
    curves = made.risk.predict_survival_function(made.frame, return_array=True)
    labels = legend(ax)
    assert len(labels) == 5
    for number in range(3):
        members = group == number
        predicted, observed = ax.lines[2 * number : 2 * number + 2]
        np.testing.assert_array_equal(predicted.get_xdata()[1:], made.risk.unique_times_)
        np.testing.assert_allclose(predicted.get_ydata()[1:], curves[members].mean(axis=0))
        times, values = kaplan_meier(made.outcome["time"][members], made.outcome["event"][members])
        np.testing.assert_array_equal(observed.get_xdata()[1:], times)
        np.testing.assert_array_equal(observed.get_ydata()[1:], values)
        for each in (predicted, observed):
            assert each.get_drawstyle() == "steps-post" and each.get_xydata()[0].tolist() == [0, 1]
        events = made.outcome["event"][members].sum()
        assert labels[number].endswith(f"n = {members.sum()}, {events} events")
    means = [ax.lines[2 * number].get_ydata()[1:].mean() for number in range(3)]
    assert means == sorted(means, reverse=True)


def test_survival_without_an_outcome_is_the_prediction_alone(made):
    ax = plot_survival(made.risk, made.frame, groups=2)
    assert len(ax.lines) == 2
    assert legend(ax) == ["lowest risk: n = 80", "highest risk: n = 80"]


def test_rows_of_equal_risk_are_one_group(made):
    assert groups_of(np.array([0.0, 0.0, 0.0, 1.0]), 2).tolist() == [0, 0, 0, 1]
    ax = plot_survival(made.risk.at(lambda_=1), made.frame)
    assert len(ax.lines) == 1


def test_survival_takes_a_frame_as_outcome_and_its_name(made):
    y = pd.DataFrame({"months_$": made.outcome["time"], "died": made.outcome["event"]})
    model = ThreshNetSurvival(**SMALL, time="months_$", event="died").fit(made.frame, y)
    ax = plot_survival(model, made.frame, y)
    assert ax.get_xlabel() == "months_$" and not ax.xaxis.label.get_parse_math()
    ax.figure.canvas.draw()


def test_survival_refuses_what_it_cannot_draw(made):
    with pytest.raises(TypeError, match="ThreshNetRegressor predicts no survival"):
        plot_survival(made.model, made.frame)
    with pytest.raises(ValueError, match="groups: 6"):
        plot_survival(made.risk, made.frame, groups=6)
    with pytest.raises(ValueError, match="X has 160 rows, y has 10"):
        plot_survival(made.risk, made.frame, made.outcome[:10])


def test_a_path_needs_several_penalties(made):
    for picture in (plot_path, plot_validation):
        with pytest.raises(ValueError, match="single λ"):
            picture(made.stable)


def test_validation_needs_rows_held_out(made):
    path = threshnet_path(made.frame, made.y, lambdas=[0.1, 0.2], first_epochs=5, epochs=2)
    with pytest.raises(ValueError, match="no rows were held out"):
        plot_validation(path.estimator)


def test_a_loaded_model_has_effects_but_no_path(made, tmp_path):
    made.model.save(tmp_path)
    model = load(tmp_path)
    for picture in (plot_path, plot_validation):
        with pytest.raises(AttributeError, match="fit again"):
            picture(model)
    again = plot_effects(model, made.frame, columns="_price_$").lines[0].get_ydata()
    first = plot_effects(made.model, made.frame, columns="_price_$").lines[0].get_ydata()
    np.testing.assert_array_equal(again, first)


def test_all_pictures_draw_where_they_are_told(made):
    pictures = (
        lambda ax: plot_path(made.model, ax=ax),
        lambda ax: plot_validation(made.model, ax=ax),
        lambda ax: plot_frequencies(made.drawn, ax=ax),
        lambda ax: plot_effects(made.model, made.frame, columns=0, ax=ax),
        lambda ax: plot_survival(made.risk, made.frame, ax=ax),
    )
    _, axes = plt.subplots(1, len(pictures))
    for picture, ax in zip(pictures, axes, strict=True):
        assert picture(ax) is ax and ax.lines + list(ax.patches)
    assert len(plt.get_fignums()) == 1


def test_all_pictures_need_a_fit(made):
    for picture in (plot_path, plot_validation, plot_frequencies):
        with pytest.raises(NotFittedError):
            picture(ThreshNetRegressor())
    with pytest.raises(NotFittedError):
        plot_effects(ThreshNetRegressor(), made.frame)
    with pytest.raises(NotFittedError):
        plot_survival(ThreshNetSurvival(), made.frame)


def test_without_matplotlib_it_says_what_to_install(made, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot_path(made.model)
