"""Random forests and random survival forests, on all columns or on the true ones."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sksurv.ensemble import RandomSurvivalForest

from .fitted import Fitted
from .scores import survival

TREES = 1000  # the paper's


def fit(arrays, trees=TREES):
    """A forest with its package's defaults but for the number of trees."""
    settings = {"n_estimators": trees, "random_state": arrays.seed, "n_jobs": 1}
    x, y = arrays.train.x, arrays.train.y
    if arrays.task == "cox":
        # Without low_memory every leaf keeps a curve over all event times. Risks are the same.
        forest = RandomSurvivalForest(low_memory=True, **settings).fit(x, survival(y))
    elif arrays.task == "binary":
        forest = RandomForestClassifier(**settings).fit(x, y)
        return Fitted(lambda x: np.diff(forest.predict_proba(x)).ravel())
    else:
        forest = RandomForestRegressor(**settings).fit(x, y)
    return Fitted(forest.predict)


def fit_oracle(arrays, trees=TREES):
    """A forest that is told the true columns."""
    forest = fit(arrays.learning_from(arrays.train.x[:, arrays.support]), trees)
    return Fitted(lambda x: forest.predict(x[:, arrays.support]))
