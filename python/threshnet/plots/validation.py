"""The held-out loss over the grid."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .common import BLUE, DARK, GREY, VERMILLION, lambda_axis, legend, new_axes, unwrapped

LOSSES = {
    "regression": "mean squared error",
    "binary": "log loss",
    "multiclass": "log loss",
    "cox": "negative log partial likelihood",
}

# Most ticks of the upper axis.
TICKS = 8


def plot_validation(estimator, *, ax=None):
    """Draws the validation loss against λ.

    The chosen ridge has a band of a standard error to either side; after repeated fits it is the
    ridge that most of them chose, and every fit's choice is a faint point. Other ridges are grey.
    The upper axis counts the columns, on average over splits. A dashed line marks `best_lambda_`.

    Parameters
    ----------
    estimator : fitted estimator, or a pipeline that ends with one
        Its `path_`, `chosen_` and `best_lambda_` are drawn.
    ax : matplotlib Axes, default=None
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes
    """
    estimator, _ = unwrapped(estimator)
    check_is_fitted(estimator)
    grid, chosen = grid_of(estimator), estimator.chosen_
    main = most_frequent(grid["ridge"][chosen])
    ax = new_axes(ax)
    lambda_axis(ax, grid["lambda"])
    handles, labels = [], []
    others = estimator.ridges_[estimator.ridges_ != main]
    for ridge in others:
        at = grid["ridge"] == ridge
        handles = ax.plot(
            grid["lambda"][at], grid["validation_loss"][at], color=GREY, linewidth=0.8, zorder=1
        )
        labels = [f"ridge {ridge:.3g}" if len(others) == 1 else "other ridges"]

    at = grid["ridge"] == main
    lambdas, loss, error = (grid[key][at] for key in ("lambda", "validation_loss", "validation_se"))
    ax.fill_between(lambdas, loss - error, loss + error, color=BLUE, alpha=0.15, linewidth=0)
    handles += ax.plot(lambdas, loss, color=BLUE)
    labels.append(f"ridge {main:.3g} ± standard error")
    draws = len(chosen) > 1
    handles += ax.plot(
        grid["lambda"][chosen],
        grid["validation_loss"][chosen],
        "o",
        color=VERMILLION,
        alpha=0.35 if draws else 1,
        markeredgewidth=0,
        zorder=3,
    )
    labels.append("choice of a fit" if draws else "chosen")
    handles.append(ax.axvline(estimator.best_lambda_, color=DARK, linestyle="--", linewidth=1))
    labels.append(f"λ of the model = {estimator.best_lambda_:.3g}")
    ax.set_ylabel(f"validation loss: {LOSSES[estimator._model.task]}")
    legend(ax, handles, labels, loc="best")
    count_columns(ax, lambdas, grid["size"][at])
    return ax


def grid_of(estimator):
    """The grid, if losses on held-out rows are in it for several λs."""
    estimator._traced()
    grid = estimator.path_
    if not np.isfinite(grid["validation_loss"]).any():
        raise ValueError(
            "no rows were held out, so there is no validation loss: fit with "
            'validation="holdout:0.2", "cv:5" or "draws:12"'
        )
    if len(np.unique(grid["lambda"])) < 2:
        raise ValueError(
            "there is a single λ, as there is after stability, fdr or a single `lambdas`: fit "
            "without these to compare λs"
        )
    return grid


def most_frequent(values):
    """The value that occurs most often."""
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[counts.argmax()]


def count_columns(ax, lambdas, sizes):
    """An upper axis with the numbers of columns at some of the λs."""
    top = ax.twiny()
    top.spines["right"].set_visible(False)
    lambda_axis(top, lambdas)
    top.set_xlim(ax.get_xlim())
    ax.callbacks.connect("xlim_changed", lambda changed: top.set_xlim(changed.get_xlim()))
    place = ax.transData.transform(np.column_stack([lambdas, np.zeros_like(lambdas)]))[:, 0]
    wanted = np.linspace(place.min(), place.max(), TICKS)
    ticks = np.unique(np.abs(place[:, None] - wanted).argmin(axis=0))
    top.set_xticks(lambdas[ticks], labels=[count(size) for size in sizes[ticks]])
    top.minorticks_off()
    top.set_xlabel("number of columns")


def count(size):
    """A mean number of columns, with a decimal where it matters."""
    return f"{size:.0f}" if size >= 10 or size == int(size) else f"{size:.1f}"
