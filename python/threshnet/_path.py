"""Solution paths without a choice."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._base import ThreshNetBase, threads
from ._classifier import ThreshNetClassifier
from ._progress import progress
from ._regressor import ThreshNetRegressor
from ._survival import ThreshNetSurvival

BY_NAME = {
    "regression": ThreshNetRegressor,
    "classification": ThreshNetClassifier,
    "survival": ThreshNetSurvival,
}

# Settings by which something is chosen from a path.
CHOOSING = (
    "fdr",
    "frequency",
    "importance",
    "linear",
    "look_again",
    "max_false",
    "outer",
    "refit",
    "rule",
    "stability",
    "validation",
)


class SolutionPath(NamedTuple):
    """Solutions from dense to sparse.

    `norms` has a row per column of X and a column per λ; `estimator` is fitted at the smallest λ,
    and its `at` makes an estimator of any other point.
    """

    lambdas: np.ndarray
    norms: np.ndarray
    estimator: ThreshNetBase


def threshnet_path(
    X: ArrayLike,
    y,
    *,
    task: str = "regression",
    ridge: float = 0.01,
    sample_weight: ArrayLike | None = None,
    **settings,
) -> SolutionPath:
    """Traces the solutions of one ridge over all rows, without choosing one.

    Parameters
    ----------
    X, y, sample_weight
        As for `fit` of the estimator.
    task : {"regression", "classification", "survival"}, default="regression"
        Which estimator's loss.
    ridge : float, default=0.01
        The ridge penalty.
    **settings
        Of that estimator: `penalty`, `lambdas`, `hidden`, `random_state` and so on.

    Returns
    -------
    SolutionPath
        `lambdas, norms, estimator`.
    """
    if task not in BY_NAME:
        raise ValueError(f"task: {task!r} is none of {', '.join(BY_NAME)}")
    for name in settings:
        if name in CHOOSING:
            raise ValueError(f"{name}: a path chooses nothing; leave it out, or use an estimator")
    if "ridges" in settings:
        raise ValueError("ridges: a path has one; give it as `ridge`")
    estimator = BY_NAME[task](**settings, ridges=[ridge])
    table, options = estimator._table(X, y, sample_weight), estimator._options()
    with progress(estimator.verbose) as bar:
        jobs = threads(estimator.n_jobs)
        found = _core.path(table, options, jobs=jobs, progress=bar)
    estimator._keep(found)
    return SolutionPath(estimator.lambdas_, estimator.norms_path_, estimator)
