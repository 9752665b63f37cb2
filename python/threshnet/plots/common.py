"""What the pictures share: colours, axes, names."""

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .._inputs import names as named

# Colours of Okabe and Ito, which the colour-blind can tell apart.
BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, ORANGE, SKY = "#CC79A7", "#E69F00", "#56B4E9"
PALETTE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
GREY, DARK = "#BBBBBB", "#555555"

# Longer names lose their middle.
LONGEST = 28

# Text that comes from the data: `$` and `_` are no mathematics.
PLAIN = {"parse_math": False, "usetex": False}


def pyplot():
    """matplotlib's pyplot, which is imported only when something is drawn."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from error
    return matplotlib.pyplot


def unwrapped(estimator, X=None):
    """The estimator at the end of a pipeline, and X as it gets it; others as they are."""
    if not isinstance(estimator, Pipeline):
        return estimator, X
    check_is_fitted(estimator)
    if X is not None and len(estimator) > 1:
        X = estimator[:-1].transform(X)
    return estimator[-1], X


def new_axes(ax, size=(6.4, 4.2)):
    """The Axes given, or those of a new figure, without a box around them."""
    if ax is None:
        ax = pyplot().subplots(figsize=size, layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def lambda_axis(ax, lambdas):
    """A logarithmic axis of λ, which has a place for 0 if need be."""
    if np.min(lambdas) > 0:
        ax.set_xscale("log")
    else:
        smallest = np.min(lambdas[lambdas > 0])
        ax.set_xscale("symlog", linthresh=smallest, linscale=0.5)
    ax.set_xlabel("penalty λ")


def legend(ax, handles, labels, **place):
    """A legend whose labels are shown as they are, even if they begin with `_`."""
    drawn = ax.legend(handles, ["?"] * len(handles), frameon=False, fontsize="small", **place)
    for text, label in zip(drawn.get_texts(), labels, strict=True):
        text.set(text=label, **PLAIN)
    return drawn


def names(estimator):
    """The names of the columns."""
    return named(estimator, estimator.n_features_in_)


def short(name):
    """A name that leaves room for the picture."""
    if len(name) <= LONGEST:
        return name
    half = (LONGEST - 1) // 2
    return f"{name[:half]}…{name[-half:]}"
