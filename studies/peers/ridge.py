"""Linear models with a ridge, its strength by cross-validation, on all columns.

A number: scikit-learn's RidgeCV (leave-one-out, its default). Classes: its LogisticRegressionCV
(five folds, log-loss). Survival: scikit-survival's CoxPHSurvivalAnalysis (five folds, partial
likelihood).

A ridge knows no directions: on the rows' principal components the model is the same as on the
columns, and with thousands of columns the fit is so many times quicker.
"""

import numpy as np
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sksurv.linear_model import CoxPHSurvivalAnalysis

from .fitted import Fitted
from .lasso import deal, of_all_classes, partial_likelihood
from .scores import survival

# Of what the columns, or the rows if there are more, give a component in the mean.
STRENGTHS = np.geomspace(1e-4, 1e3, 15)


def fit(arrays):
    """The ridge for the outcome at hand."""
    scale = arrays.scaling()
    x, y = scale(arrays.train.x), arrays.train.y
    components = main_directions(x)
    strengths = max(x.shape) * STRENGTHS
    fitter = fitters[arrays.task]
    model, penalty, predict = fitter(x @ components, y, strengths, arrays.seed)
    return Fitted(lambda x: predict(model, scale(x) @ components), penalty=penalty)


def main_directions(x):
    """The directions in which rows differ, as columns."""
    _, sizes, directions = np.linalg.svd(x, full_matrices=False)
    return directions[sizes > 1e-10 * sizes[0]].T


def fit_number(x, y, strengths, seed):
    model = RidgeCV(alphas=strengths).fit(x, y)
    return model, model.alpha_, RidgeCV.predict


def fit_classes(x, y, strengths, seed):
    model = LogisticRegressionCV(
        Cs=1 / strengths,
        l1_ratios=(0.0,),
        scoring=of_all_classes(y),
        cv=deal("binary", y, seed),
        max_iter=10_000,
        use_legacy_attributes=False,
    ).fit(x, y)
    predict = LogisticRegressionCV.decision_function
    if len(model.classes_) > 2:
        predict = LogisticRegressionCV.predict_proba
    return model, 1 / model.C_, predict


def fit_survival(x, y, strengths, seed):
    outcome, folds = survival(y), deal("cox", y, seed)

    def added_likelihood(strength):
        total = 0.0
        for learning, _ in folds:
            of_all = cox(strength).fit(x[learning], outcome[learning]).predict(x)
            known = partial_likelihood(y[learning], of_all[learning])
            total += partial_likelihood(y, of_all) - known
        return total

    best = max(strengths, key=added_likelihood)
    return cox(best).fit(x, outcome), best, CoxPHSurvivalAnalysis.predict


def cox(strength):
    return CoxPHSurvivalAnalysis(alpha=strength, ties="breslow")


fitters = {
    "regression": fit_number,
    "binary": fit_classes,
    "multiclass": fit_classes,
    "cox": fit_survival,
}
