"""The elastic net: a LASSO with a ridge, λ and the share of the LASSO by five-fold cross-validation.

A number: scikit-learn's ElasticNetCV. Classes: its LogisticRegressionCV, by log-loss; only its
solver saga can do it, which is stopped after so many epochs. Survival: scikit-survival's Coxnet, by
the partial likelihood. Paths end where the LASSO's do.
"""

import numpy as np
from sklearn.linear_model import ElasticNetCV, LogisticRegressionCV

from .fitted import Fitted
from .lasso import PENALTIES, RANGE, cox_path, deal, of_all_classes

L1_RATIOS = (0.1, 0.5, 0.9)
LOGISTIC_PENALTIES, LOGISTIC_EPOCHS = 15, 200


def fit(arrays):
    """The elastic net for the outcome at hand."""
    scale = arrays.scaling()
    x, y = scale(arrays.train.x), arrays.train.y
    if arrays.task in ("binary", "multiclass"):
        return fit_classes(x, y, arrays, scale)
    fitter = fit_survival if arrays.task == "cox" else fit_number
    coefficients, intercept, penalty = fitter(x, y, deal(arrays.task, y, arrays.seed))
    selected = np.flatnonzero(coefficients)
    return Fitted(lambda x: scale(x) @ coefficients + intercept, selected, penalty=penalty)


def fit_number(x, y, folds):
    model = ElasticNetCV(
        l1_ratio=L1_RATIOS,
        eps=1 / RANGE,
        alphas=PENALTIES,
        cv=folds,
        max_iter=100_000,
    ).fit(x, y)
    return model.coef_, model.intercept_, model.alpha_


def fit_classes(x, y, arrays, scale):
    """C·Σ loss + α‖β‖₁ + (1 − α)‖β‖₂²/2, the largest C one that lets many columns in for any α."""
    of_classes = np.eye(arrays.classes)[y]
    largest = np.abs(x.T @ (of_classes - of_classes.mean(axis=0))).max()
    model = LogisticRegressionCV(
        Cs=np.geomspace(1, RANGE / min(L1_RATIOS), LOGISTIC_PENALTIES) / largest,
        l1_ratios=L1_RATIOS,
        solver="saga",
        scoring=of_all_classes(y),
        cv=deal(arrays.task, y, arrays.seed),
        max_iter=LOGISTIC_EPOCHS,
        random_state=arrays.seed,
        use_legacy_attributes=False,
    ).fit(x, y)
    selected = np.flatnonzero(np.abs(model.coef_).sum(axis=0))
    predict = model.decision_function if arrays.task == "binary" else model.predict_proba
    return Fitted(lambda x: predict(scale(x)), selected, penalty=1 / (len(y) * model.C_))


def fit_survival(x, y, folds):
    paths = [cox_path(x, y, folds, l1_ratio) for l1_ratio in L1_RATIOS]
    coefficients, penalty, _ = max(paths, key=lambda path: path[2])
    return coefficients, 0.0, penalty
