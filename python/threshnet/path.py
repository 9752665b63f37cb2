"""Solution paths without a choice."""

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike

from . import _core
from ._base import ThreshNetBase
from ._progress import progress
from .classifier import ThreshNetClassifier
from .regressor import ThreshNetRegressor
from .survival import ThreshNetSurvival

ESTIMATORS = {
    "regression": ThreshNetRegressor,
    "classification": ThreshNetClassifier,
    "survival": ThreshNetSurvival,
}


class SolutionPath(NamedTuple):
    """Solutions from dense to sparse.

    `norms` has a row per column of X and a column per λ; `estimator` is fitted at the smallest λ,
    and its `at` makes an estimator of any other point.
    """

    lambdas: np.ndarray
    norms: np.ndarray
    estimator: ThreshNetBase


def threshnet_path(
    X: ArrayLike, y, *, task: str = "regression", ridge: float = 0.01, **settings
) -> SolutionPath:
    """Traces the solutions of one ridge over all rows, without choosing one.

    Parameters
    ----------
    X, y
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
    if task not in ESTIMATORS:
        raise ValueError(f"task: {task!r} is none of {', '.join(ESTIMATORS)}")
    estimator = ESTIMATORS[task](**settings, ridges=[ridge])
    table, options = estimator._table(X, y), estimator._options()
    with progress(estimator.verbose) as bar:
        jobs = effective_n_jobs(estimator.n_jobs)
        found = _core.path(table, options, jobs=jobs, progress=bar)
    estimator._keep(found)
    return SolutionPath(estimator.lambdas_, estimator.norms_path_, estimator)
