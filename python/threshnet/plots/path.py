"""The solution path."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._inputs import positions
from .common import DARK, GREY, PALETTE, lambda_axis, legend, names, new_axes, short, unwrapped

# Most columns that get a name: every colour with a solid line, then with a dashed one.
NAMED = 2 * len(PALETTE)
# Most lines of each grey.
UNNAMED = 100
# Columns that are gone by this step of the path are not drawn.
EARLY = 3


def plot_path(estimator, *, ax=None, highlight=None):
    """Draws the group norm of every column along the path of λ.

    Columns of the model are coloured, up to 12 of them, those that stay longest first. A dashed
    line marks `best_lambda_`. Columns that leave within the first three λs are not drawn, and
    of the others outside the model only the 100 strongest. After repeated fits the path is
    that of the first.

    Parameters
    ----------
    estimator : fitted estimator, or a pipeline that ends with one
        Its `lambdas_`, `norms_path_` and `best_lambda_` are drawn.
    ax : matplotlib Axes, default=None
        Where to draw; a new figure if None.
    highlight : sequence of str or int, default=None
        Names or positions of the columns to colour in place of the model's.

    Returns
    -------
    matplotlib Axes
    """
    estimator, _ = unwrapped(estimator)
    check_is_fitted(estimator)
    norms, lambdas = estimator.norms_path_, estimator.lambdas_
    if len(lambdas) < 2:
        raise ValueError(
            "the path has a single λ, as it has after stability, fdr or a single `lambdas`: "
            "draw the estimator of threshnet_path(X, y) in its place"
        )
    chosen = estimator.get_support(indices=True) if highlight is None else highlight
    coloured = longest_first(norms, positions(estimator, chosen))
    named, more = coloured[:NAMED], coloured[NAMED:]

    place = {"loc": "upper left", "bbox_to_anchor": (1, 1)} if ax is None else {"loc": "best"}
    ax = new_axes(ax)
    lambda_axis(ax, lambdas)
    late = np.flatnonzero((norms[:, EARLY:] != 0).any(axis=1))
    unnamed(ax, lambdas, norms, np.setdiff1d(late, coloured), GREY)
    rest = unnamed(ax, lambdas, norms, more, DARK)
    known, handles, labels = names(estimator), [], []
    for order, column in enumerate(named):
        style = "-" if order < len(PALETTE) else (0, (4, 1.5))
        colour = PALETTE[order % len(PALETTE)]
        handles += ax.plot(
            lambdas, norms[column], color=colour, linestyle=style, label=known[column]
        )
        labels.append(short(known[column]))
    if rest:
        handles.append(rest[0])
        labels.append(f"{len(more)} more")
    handles.append(ax.axvline(estimator.best_lambda_, color=DARK, linestyle="--", linewidth=1))
    labels.append(f"λ of the model = {estimator.best_lambda_:.3g}")
    legend(ax, handles, labels, **place)
    draws = len(estimator.chosen_) > 1
    ax.set_ylabel("group norm of the column" + (", first fit" if draws else ""))
    ax.set_ylim(bottom=0)
    return ax


def longest_first(norms, columns):
    """These columns, those first that are selected at most λs, then the strongest."""
    kept = norms[columns]
    return columns[np.lexsort((-kept.max(axis=1), -(kept != 0).sum(axis=1)))]


def unnamed(ax, lambdas, norms, columns, colour):
    """Thin lines of the strongest of these columns."""
    strongest = columns[np.argsort(-norms[columns].max(axis=1), kind="stable")][:UNNAMED]
    if strongest.size == 0:
        return []
    return ax.plot(lambdas, norms[strongest].T, color=colour, linewidth=0.6, zorder=1)
