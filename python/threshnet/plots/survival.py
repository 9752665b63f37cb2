"""Survival curves by risk."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._survival import ThreshNetSurvival, times_and_events
from .common import BLUE, DARK, GREEN, ORANGE, PLAIN, SKY, VERMILLION, legend, new_axes, unwrapped

# From low to high risk, for so many groups.
COLOURS = {
    1: (BLUE,),
    2: (BLUE, VERMILLION),
    3: (BLUE, ORANGE, VERMILLION),
    4: (BLUE, SKY, ORANGE, VERMILLION),
    5: (BLUE, SKY, GREEN, ORANGE, VERMILLION),
}
DASHES = (0, (3, 1.5))


def plot_survival(estimator, X, y=None, *, groups=3, ax=None):
    """Draws predicted survival by groups of risk, and what happened beside it.

    Rows are cut into groups at quantiles of the predicted risk; rows of equal risk stay together.
    A solid line is the mean of the predicted curves of a group, a dashed one its Kaplan–Meier
    curve.

    Parameters
    ----------
    estimator : fitted ThreshNetSurvival, or a pipeline that ends with one
        The model to draw.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Rows to predict; better not those of the fit.
    y : structured array or data frame, default=None
        Their times and events as for `fit`; no Kaplan–Meier curves if None.
    groups : int, default=3
        How many groups, from 1 to 5.
    ax : matplotlib Axes, default=None
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes
    """
    estimator, X = unwrapped(estimator, X)
    if not isinstance(estimator, ThreshNetSurvival):
        raise TypeError(
            f"{type(estimator).__name__} predicts no survival: give a fitted ThreshNetSurvival"
        )
    check_is_fitted(estimator)
    if groups not in COLOURS:
        raise ValueError(f"groups: {groups!r} is none of 1 to {max(COLOURS)}")
    risk, curves = estimator.predict(X), estimator.predict_survival_function(X, return_array=True)
    if y is not None:
        time, event, _ = times_and_events(y, estimator.time, estimator.event)
        if len(time) != len(risk):
            raise ValueError(f"X has {len(risk)} rows, y has {len(time)}")

    ax = new_axes(ax)
    handles, labels = [], []
    group = groups_of(risk, groups)
    for number, colour in enumerate(COLOURS[groups]):
        members = group == number
        if not members.any():
            continue
        mean = curves[members].mean(axis=0)
        handles += steps(ax, estimator.unique_times_, mean, color=colour)
        labels.append(f"{risk_name(number, groups)}: n = {members.sum()}")
        if y is not None:
            labels[-1] += f", {event[members].sum()} events"
            observed = _core.kaplan_meier(time[members], event[members])
            steps(ax, *observed, color=colour, linestyle=DASHES, linewidth=1.2)
    if y is not None:
        handles += [*ax.plot([], [], color=DARK), *ax.plot([], [], color=DARK, linestyle=DASHES)]
        labels += ["predicted", "Kaplan–Meier"]
    outcome = estimator._model.outcome
    ax.set_xlabel(outcome[0] if outcome else "time", **PLAIN)
    ax.set_ylabel("probability of survival")
    ax.set_xlim(left=0)
    ax.set_ylim(0, 1.02)
    legend(ax, handles, labels, loc="best")
    return ax


def groups_of(risk, count):
    """The group of every row, from 0 for the lowest risks."""
    inner = np.quantile(risk, np.arange(1, count) / count)
    return np.searchsorted(inner, risk, side="left")


def risk_name(number, count):
    """What a group is called."""
    if count == 1:
        return "all rows"
    if number in (0, count - 1):
        return "lowest risk" if number == 0 else "highest risk"
    return "middle risk" if count == 3 else f"risk group {number + 1}"


def steps(ax, times, values, **style):
    """A curve that is 1 at time 0 and steps to each of these values."""
    times, values = np.concatenate([[0.0], times]), np.concatenate([[1.0], values])
    return ax.plot(times, values, drawstyle="steps-post", **style)
