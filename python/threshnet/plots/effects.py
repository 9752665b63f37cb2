"""What the model makes of each column."""

import math

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._inputs import features_of, positions
from .common import BLUE, DARK, PLAIN, names, new_axes, pyplot, short, unwrapped

# Panels that nobody asked for by name, and marks of a rug.
PANELS, RUG = 20, 200
# A column with so few values is drawn with a point at each of them.
FEW = 10
# Panels side by side.
ACROSS = 3


def plot_effects(estimator, X, *, columns=None, target=None, ax=None):
    """Draws the effect of columns on the prediction: partial dependence.

    A curve is the mean prediction of rows of X when all get the same value of one column, at
    quantiles of the column (see the estimator's `effects`). A rug shows values of these rows. A
    text has a point for each of its levels. Classifiers show the probability of a class, survival
    models the log risk.

    Parameters
    ----------
    estimator : fitted estimator, or a pipeline that ends with one
        The model to draw.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Rows to average over.
    columns : sequence of str or int, default=None
        Names or positions of selected columns; all of them if None, strongest first, at most 20.
    target : default=None
        The class whose probability is shown; the last of `classes_` if None.
    ax : matplotlib Axes, default=None
        Where to draw a single column; a new figure if None.

    Returns
    -------
    matplotlib Axes, or with several columns an array of them
    """
    estimator, X = unwrapped(estimator, X)
    check_is_fitted(estimator)
    output = output_of(estimator, target)
    shown = strongest(estimator) if columns is None else positions(estimator, columns)
    if shown.size == 0:
        raise ValueError("there is no column to draw: the model selects none, or `columns` is ()")
    if ax is not None and len(shown) > 1:
        raise ValueError(
            f"ax holds one column, these are {len(shown)}: give one by `columns`, or no ax"
        )
    effects = estimator.effects(X, shown)
    selected = estimator._model.selected
    rows = features_of(estimator, X, selected)
    rugs = {j: rows.numbers(place) for place, j in enumerate(selected) if j not in texts(estimator)}
    panels = [new_axes(ax, size=(4.2, 3.2))] if len(shown) == 1 else grid(len(shown))
    for each, effect in zip(panels, effects, strict=True):
        panel(each, estimator, means_of(effect["partial"], output), effect, rugs)
    if len(shown) == 1:
        panels[0].set_ylabel(predicted(estimator, output), **PLAIN)
        return panels[0]
    figure = panels[0].figure
    figure.supylabel(predicted(estimator, output), fontsize="medium", **PLAIN)
    if columns is None and len(shown) < len(selected):
        figure.suptitle(f"the strongest {len(shown)} of {len(selected)} columns", fontsize="medium")
    return panels


def strongest(estimator):
    """The columns of the model, those with the largest norms first."""
    selected = estimator._model.selected
    return selected[np.argsort(-estimator.norms_[selected], kind="stable")][:PANELS]


def texts(estimator):
    """The levels of every feature that is a text."""
    return estimator._model.texts


def means_of(curves, output):
    """The curve of an output; of two classes there is that of the last alone."""
    if len(curves) == 1:
        return 1 - curves[0] if output == 0 else curves[0]
    return curves[output]


def output_of(estimator, target):
    """Which of the classes is shown."""
    if target is None:
        return -1
    known = list(getattr(estimator, "classes_", []))
    if target not in known:
        raise ValueError(f"target: {target!r} is none of the classes {known}")
    return known.index(target)


def predicted(estimator, output):
    """What the curves are values of."""
    if estimator._model.task == "cox":
        return "log risk"
    if hasattr(estimator, "classes_"):
        return f"probability of class {estimator.classes_[output]}"
    outcome = estimator._model.outcome
    return f"prediction of {outcome[0]}" if outcome else "prediction"


def grid(count):
    """So many panels of a new figure, all with the same vertical axis."""
    across = 2 if count == 4 else min(ACROSS, count)
    down = math.ceil(count / across)
    _, panels = pyplot().subplots(
        down,
        across,
        figsize=(0.5 + 2.4 * across, 0.2 + 2.1 * down),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for unused in panels.flat[count:]:
        unused.remove()
    return np.array([new_axes(each) for each in panels.ravel()[:count]])


def panel(ax, estimator, means, effect, rugs):
    """One column: the curve of a number and a rug, or the levels of a text."""
    column = effect["feature"]
    levels = texts(estimator).get(column)
    if levels is not None:
        points(ax, means, [levels[int(level)] for level in effect["at"]])
    else:
        curve(ax, effect["at"], means, rugs[column])
    ax.set_xlabel(short(names(estimator)[column]), **PLAIN)


def points(ax, means, levels):
    """A text: a point for each of its levels, which have no order."""
    places = np.arange(len(levels))
    ax.plot(places, means, "o", color=BLUE)
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if len(levels) > 3 else {}
    ax.set_xticks(places, labels=[short(level) for level in levels], **PLAIN, **turned)
    ax.set_xlim(-0.5, len(levels) - 0.5)


def curve(ax, values, means, rug):
    """A number: its curve, and a rug of its values."""
    ax.plot(values, means, color=BLUE, marker="o" if len(values) <= FEW else None)
    rug = rug[:: max(1, len(rug) // RUG)]
    bottom = ax.get_xaxis_transform()
    heights = np.zeros(len(rug))
    ax.plot(rug, heights, "|", color=DARK, alpha=0.4, transform=bottom, markersize=8)
    if len(values) == 2:
        ax.set_xticks(values)
