"""What the model makes of each column."""

import math

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._inputs import features_of
from .common import BLUE, DARK, PLAIN, names, new_axes, positions, pyplot, short

# Most rows to average over, points of a curve, and panels that nobody asked for by name.
ROWS, POINTS, PANELS = 200, 40, 20
# A column with so few values is drawn at each of them.
FEW = 10
# The curve ends at these quantiles.
ENDS = (0.02, 0.98)
# Panels side by side.
ACROSS = 3


def plot_effects(estimator, X, *, columns=None, target=None, ax=None):
    """Draws the effect of columns on the prediction: partial dependence.

    A curve is the mean prediction of up to 200 rows of X when all get the same value of one
    column, from its 2 % to its 98 % quantile; at each value if it has no more than 10. A rug
    shows the values of these rows. A text has a point for each of its levels. Classifiers show
    the probability of a class, survival models the log risk.

    Parameters
    ----------
    estimator : fitted estimator
        The model to draw.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Rows to average over.
    columns : sequence of str or int, default=None
        Names or positions of columns; those of the model if None, strongest first, at most 20.
    target : default=None
        The class whose probability is shown; the last of `classes_` if None.
    ax : matplotlib Axes, default=None
        Where to draw a single column; a new figure if None.

    Returns
    -------
    matplotlib Axes, or with several columns an array of them
    """
    check_is_fitted(estimator)
    X = features_of(estimator, X, np.arange(estimator.n_features_in_))
    output = output_of(estimator, target)
    shown = strongest(estimator) if columns is None else positions(estimator, columns)
    if shown.size == 0:
        raise ValueError("there is no column to draw: the model selects none, or `columns` is ()")
    if ax is not None and len(shown) > 1:
        raise ValueError(
            f"ax holds one column, these are {len(shown)}: give one by `columns`, or no ax"
        )
    rows, count = X, len(X.x)
    if count > ROWS:
        rows = X.rows(np.sort(np.random.default_rng(0).choice(count, ROWS, replace=False)))
    if len(shown) == 1:
        ax = new_axes(ax, size=(4.2, 3.2))
        ax.set_ylabel(predicted(estimator, output), **PLAIN)
        panel(ax, (estimator, output), X, rows, shown[0])
        return ax

    panels = grid(len(shown))
    for each, column in zip(panels, shown, strict=True):
        panel(new_axes(each), (estimator, output), X, rows, column)
    figure = panels[0].figure
    figure.supylabel(predicted(estimator, output), fontsize="medium", **PLAIN)
    total = len(estimator._model.selected)
    if columns is None and len(shown) < total:
        figure.suptitle(f"the strongest {len(shown)} of {total} columns", fontsize="medium")
    return panels


def strongest(estimator):
    """The columns of the model, those with the largest norms first."""
    selected = estimator._model.selected
    return selected[np.argsort(-estimator.norms_[selected], kind="stable")][:PANELS]


def output_of(estimator, target):
    """Which of the model's outputs is shown."""
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
    outcome = estimator._outcome_names
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
    return panels.ravel()[:count]


def panel(ax, shown, X, rows, column):
    """One column. `shown` is the estimator and its output."""
    levels = shown[0]._model.texts.get(column)
    if levels is not None:
        points(ax, effect(*shown, rows, column, levels), levels)
    else:
        curve(ax, shown, X.numbers(column), rows, column)
    ax.set_xlabel(short(names(shown[0])[column]), **PLAIN)


def points(ax, means, levels):
    """A text: a point for each of its levels, which have no order."""
    places = np.arange(len(levels))
    ax.plot(places, means, "o", color=BLUE)
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if len(levels) > 3 else {}
    ax.set_xticks(places, labels=[short(level) for level in levels], **PLAIN, **turned)
    ax.set_xlim(-0.5, len(levels) - 0.5)


def curve(ax, shown, values, rows, column):
    """A number: its curve, and a rug of its values."""
    values = values_of(values)
    marker = "o" if len(values) <= FEW else None
    ax.plot(values, effect(*shown, rows, column, values), color=BLUE, marker=marker)
    rug = rows.numbers(column)
    rug = rug[(rug >= values[0]) & (rug <= values[-1])]
    heights = np.zeros(len(rug))
    bottom = ax.get_xaxis_transform()
    ax.plot(rug, heights, "|", color=DARK, alpha=0.4, transform=bottom, markersize=8)
    if len(values) == 2:
        ax.set_xticks(values)


def values_of(column):
    """The values at which a curve is drawn."""
    distinct = np.unique(column)
    if len(distinct) <= FEW:
        return distinct
    return np.linspace(*np.quantile(column, ENDS), POINTS)


def effect(estimator, output, rows, column, values):
    """The mean prediction of these rows if all had each of these values in this column."""
    model = estimator._model
    kept = rows.of(model.selected)

    def mean(rows):
        return model.predict(*rows)[:, output].mean()

    if column not in model.selected:
        return np.full(len(values), mean(kept))
    place = int(np.searchsorted(model.selected, column))
    return np.array([mean(kept.constant(place, value)) for value in values])
