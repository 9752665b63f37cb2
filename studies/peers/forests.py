"""Random forests and random survival forests, on all columns or on the true ones."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sksurv.ensemble import RandomSurvivalForest

from .fitted import Fitted
from .scores import survival

TREES = 1000  # the paper's


def fit(arrays, trees=TREES, times=None):
    """A forest with its package's defaults but for the number of trees.

    A survival forest compares all times of the rows at every split; with `times`, so many.
    """
    settings = {"n_estimators": trees, "random_state": arrays.seed, "n_jobs": 1}
    x, y = arrays.train.x, arrays.train.y
    if arrays.task == "cox":
        y = y if times is None else on_grid(y, times)
        # Without low_memory every leaf keeps a curve over all event times. Risks are the same.
        forest = RandomSurvivalForest(low_memory=times is None, **settings).fit(x, survival(y))
        return Fitted(forest.predict, survival=None if times is None else curves(forest))
    elif arrays.task == "binary":
        forest = RandomForestClassifier(**settings).fit(x, y)
        return Fitted(
            lambda x: np.diff(forest.predict_proba(x)).ravel(),
            probability=lambda margin: (1 + margin) / 2,
        )
    elif arrays.task == "multiclass":
        return Fitted(RandomForestClassifier(**settings).fit(x, y).predict_proba)
    else:
        forest = RandomForestRegressor(**settings).fit(x, y)
    return Fitted(forest.predict)


def curves(forest):
    """A survival forest's own curves, at any times."""

    def at(x, times):
        steps = forest.predict_survival_function(x, return_array=True)
        whole = np.column_stack([np.ones(len(x)), steps])
        return whole[:, np.searchsorted(forest.unique_times_, times, side="right")]

    return at


def fit_oracle(arrays, **settings):
    """A forest that is told the true columns."""
    forest = fit(arrays.learning_from(arrays.train.x[:, arrays.support]), **settings)
    return Fitted(lambda x: forest.predict(x[:, arrays.support]))


def on_grid(y, count):
    """Time and event with at most `count` event times, as `ntime` of R's randomForestSRC has it.

    These are quantiles of all event times. An event waits for the next of them; a censored row
    stays at risk at those that it has seen.
    """
    time, event = y[:, 0], y[:, 1] == 1
    shares = np.linspace(0, 1, count + 1)[1:]
    grid = np.unique(np.quantile(time[event], shares, method="inverted_cdf"))
    seen = np.searchsorted(grid, time, side="right")
    last = np.concatenate([[time.min()], grid])[seen]
    following = grid[np.minimum(np.searchsorted(grid, time), len(grid) - 1)]
    return np.column_stack([np.where(event, following, last), y[:, 1]])
