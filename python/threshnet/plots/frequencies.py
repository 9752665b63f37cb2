"""How often columns are selected."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .common import BLUE, DARK, GREY, PLAIN, legend, names, new_axes, short, unwrapped


def plot_frequencies(estimator, *, ax=None, top=20):
    """Draws how often the most frequent columns were selected.

    Columns of the model are coloured. A dashed line marks the share from which on they are
    selected.

    Parameters
    ----------
    estimator : fitted estimator, or a pipeline that ends with one
        Its `frequencies_` are drawn: fit it several times (the default) or with `stability`.
    ax : matplotlib Axes, default=None
        Where to draw; a new figure if None.
    top : int, default=20
        Most columns to draw. Columns that were never selected are left out.

    Returns
    -------
    matplotlib Axes
    """
    estimator, _ = unwrapped(estimator)
    check_is_fitted(estimator)
    frequencies = getattr(estimator, "frequencies_", None)
    if frequencies is None:
        raise ValueError(
            'this estimator counted no selections: fit it with validation="draws:12" or with '
            "stability=50"
        )
    if top < 1:
        raise ValueError(f"top: {top} is below 1")
    shown = np.argsort(-frequencies, kind="stable")[:top]
    shown = shown[: max(1, np.count_nonzero(frequencies[shown]))]
    selected, known = estimator.get_support(), names(estimator)

    ax = new_axes(ax, size=(5.6, 1.3 + 0.22 * len(shown)))
    places = np.arange(len(shown))
    colours = [BLUE if selected[column] else GREY for column in shown]
    bars = ax.barh(places, frequencies[shown], color=colours, height=0.7)
    handles, labels = [], []
    for kind, label in ((True, "in the model"), (False, "not in the model")):
        of_kind = [bar for bar, column in zip(bars, shown, strict=True) if selected[column] == kind]
        handles += of_kind[:1]
        labels += [label] * len(of_kind[:1])
    threshold = estimator.threshold_
    if threshold is not None:
        handles.append(ax.axvline(threshold, color=DARK, linestyle="--", linewidth=1))
        labels.append(f"threshold {threshold:.3g}")
    ax.set_yticks(places, labels=[short(known[column]) for column in shown], **PLAIN)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    runs = "half-samples" if estimator.selection_ is not None else "fits"
    ax.set_xlabel(f"share of {runs} that select the column")
    legend(ax, handles, labels, loc="lower right", bbox_to_anchor=(1, 1), ncols=3)
    return ax
