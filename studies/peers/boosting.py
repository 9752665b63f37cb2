"""Gradient-boosted trees, their number by five-fold cross-validation.

Numbers and classes: LightGBM. Survival: scikit-survival's GradientBoostingSurvivalAnalysis (Cox).
Settings are the packages' defaults, but that LightGBM's leaves may be small where rows are few: by
default it would not split fifty rows at all.
"""

import lightgbm
import numpy as np
from sksurv.ensemble import GradientBoostingSurvivalAnalysis

from .fitted import Fitted
from .lasso import deal, partial_likelihood
from .scores import survival

MOST_TREES, PATIENCE = 500, 30
MOST_SURVIVAL_TREES = 100  # the package's default
OBJECTIVES = {"regression": "regression", "binary": "binary", "multiclass": "multiclass"}
LEAF = 20  # LightGBM's default
SMALLEST_SHARE = 0.1


def fit(arrays):
    """Boosted trees for the outcome at hand; they select the columns that a tree splits by."""
    return fit_survival(arrays) if arrays.task == "cox" else fit_light(arrays)


def fit_light(arrays):
    x, y = arrays.train.x, arrays.train.y
    folds = deal(arrays.task, y, arrays.seed)
    learning = min(len(part) for part, _ in folds)
    settings = {
        "objective": OBJECTIVES[arrays.task],
        "min_data_in_leaf": max(1, min(LEAF, round(SMALLEST_SHARE * learning))),
        "seed": arrays.seed % 2**31,
        "deterministic": True,
        "force_col_wise": True,
        "num_threads": 1,
        "verbosity": -1,
        "feature_pre_filter": False,
    }
    if arrays.task == "multiclass":
        settings["num_class"] = arrays.classes
    rows = lightgbm.Dataset(x, y, free_raw_data=False, params=settings)
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    history = lightgbm.cv(settings, rows, MOST_TREES, folds=folds, callbacks=[stop])
    trees = max(len(values) for values in history.values())
    model = lightgbm.train(settings, rows, trees)
    return Fitted(
        lambda x: model.predict(x, raw_score=arrays.task == "binary"),
        np.flatnonzero(model.feature_importance()),
    )


def fit_survival(arrays):
    x, y = arrays.train.x, arrays.train.y
    outcome = survival(y)
    scores = np.zeros(MOST_SURVIVAL_TREES)
    for learning, _ in deal("cox", y, arrays.seed):
        part = trees_of(arrays.seed).fit(x[learning], outcome[learning])
        scores += [
            partial_likelihood(y, risk) - partial_likelihood(y[learning], risk[learning])
            for risk in part.staged_predict(x)
        ]
    model = trees_of(arrays.seed, int(scores.argmax()) + 1).fit(x, outcome)
    return Fitted(model.predict, np.flatnonzero(model.feature_importances_))


def trees_of(seed, count=MOST_SURVIVAL_TREES):
    return GradientBoostingSurvivalAnalysis(n_estimators=count, random_state=seed)
