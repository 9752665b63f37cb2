"""The linear LASSO that a practitioner tries first, λ by five-fold cross-validation.

A number: scikit-learn's LassoCV. Two classes: its LogisticRegressionCV, by log-loss; of several
each against all others. Survival: scikit-survival's Coxnet, by the partial likelihood.

Columns are standardised with the training rows. Every path has 100 times less λ at its end than
at its beginning, where nothing is selected; that is glmnet's range for wide data. Where there are
more rows than columns, glmnet goes on to 10⁻⁴. That end of the path is left out here: it takes most
of the time (liblinear needs minutes for it on 2,000 rows of 500 columns), and on noisy data the
cross-validated loss has been rising long before.
"""

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from sksurv.linear_model import CoxnetSurvivalAnalysis
from sksurv.nonparametric import nelson_aalen_estimator

from .fitted import Fitted
from .scores import survival

FOLDS = 5
RANGE = 100
# As many as the packages have by default; liblinear starts afresh at every λ, so it has fewer.
PENALTIES, LOGISTIC_PENALTIES = 100, 30
# Its tolerance is relative to a sum over columns: with thousands of them its own default, 1e-4,
# leaves twice as many columns as the optimum has.
LOGISTIC_TOLERANCE = 1e-7
# liblinear penalises the intercept as one more weight, by this much less than the others.
INTERCEPT_SCALING = 100


def fit(arrays, folds=None):
    """The LASSO for the outcome at hand; `folds` are rows to learn from and rows to score on."""
    scale = arrays.scaling()
    if arrays.task == "multiclass":
        return one_against_others(arrays, scale)
    x, y = scale(arrays.train.x), arrays.train.y
    folds = folds or deal(arrays.task, y, arrays.seed)
    if arrays.task == "regression":
        coefficients, intercept, penalty = fit_number(x, y, folds)
    elif arrays.task == "binary":
        coefficients, intercept, penalty = fit_classes(x, y, folds, arrays.seed)
    else:
        coefficients, penalty, _ = cox_path(x, y, folds, 1.0)
        intercept = 0.0
    return Fitted(
        lambda x: scale(x) @ coefficients + intercept, np.flatnonzero(coefficients), penalty
    )


def deal(task, y, seed):
    """Random folds, stratified by class or event."""
    options = {"shuffle": True, "random_state": seed}
    if task == "regression":
        return list(KFold(FOLDS, **options).split(y))
    strata = y[:, 1] == 1 if task == "cox" else y
    return list(StratifiedKFold(FOLDS, **options).split(y, strata))


def largest_penalty(arrays):
    """λ where the first column enters."""
    x, y = arrays.scaling()(arrays.train.x), arrays.train.y
    if arrays.task == "cox":
        event = y[:, 1] == 1
        times, hazard = nelson_aalen_estimator(event, y[:, 0])
        residuals = event - hazard[np.searchsorted(times, y[:, 0])]
    else:
        residuals = y - y.mean()
    return np.abs(x.T @ residuals).max() / len(y)


def one_against_others(arrays, scale):
    """A LASSO for every class against all others, each with a λ of its own."""
    x, y, seed = scale(arrays.train.x), arrays.train.y, arrays.seed

    def model(k):
        of_class = (y == k).astype(int)
        return fit_classes(x, of_class, deal("binary", of_class, seed), seed)

    models = [model(k) for k in range(arrays.classes)]
    coefficients = np.column_stack([model[0] for model in models])
    intercepts = np.array([model[1] for model in models])

    def probabilities(x):
        odds = expit(scale(x) @ coefficients + intercepts)
        return odds / odds.sum(axis=1, keepdims=True)

    return Fitted(probabilities, np.flatnonzero(np.abs(coefficients).sum(axis=1)))


def fit_number(x, y, folds):
    """Least squares: ‖y − η‖² / 2n + λ‖β‖₁."""
    model = LassoCV(eps=1 / RANGE, alphas=PENALTIES, cv=folds, max_iter=100_000).fit(x, y)
    return model.coef_, model.intercept_, model.alpha_


def fit_classes(x, y, folds, seed):
    """Logistic loss: C·Σ log(1 + exp(∓η)) + ‖β‖₁, so C = 1 / (nλ).

    saga, which leaves the intercept alone, stops long before its zeros are zeros when there are
    thousands of columns; liblinear's coordinate descent gets there.
    """
    largest = np.abs(x.T @ (y - y.mean())).max()  # nλ where the first column enters
    model = LogisticRegressionCV(
        Cs=np.geomspace(1, RANGE, LOGISTIC_PENALTIES) / largest,
        l1_ratios=(1.0,),
        solver="liblinear",
        intercept_scaling=INTERCEPT_SCALING,
        scoring=of_all_classes(y),
        cv=folds,
        max_iter=100_000,
        tol=LOGISTIC_TOLERANCE,
        random_state=seed,
        use_legacy_attributes=False,
    ).fit(x, y)
    return model.coef_[0], model.intercept_[0], 1 / (len(y) * model.C_)


def of_all_classes(y):
    """Scores by log-loss; a fold may lack a class that the outcome has."""
    classes = np.unique(y)
    return lambda model, x, y: -log_loss(y, model.predict_proba(x), labels=classes)


def cox_path(x, y, folds, l1_ratio):
    """The best coefficients of a path by Cox's partial likelihood, −ℓ(η) / n + λ‖β‖₁ for a share of
    the LASSO of 1; their λ and their score.

    The λs are those of all rows. A fold is scored by what its rows add to the partial likelihood
    of the others, ℓ(all rows) − ℓ(other rows), as glmnet does (Verweij and van Houwelingen 1993).
    """
    outcome = survival(y)
    path = coxnet(l1_ratio).fit(x, outcome)
    scores = np.zeros(len(path.alphas_))
    for learning, _ in folds:
        part = coxnet(l1_ratio, alphas=path.alphas_).fit(x[learning], outcome[learning])
        # A path ends early where the likelihood stands still; its end then serves for the rest.
        kept = np.minimum(np.arange(len(path.alphas_)), len(part.alphas_) - 1)
        predictors = x @ part.coef_[:, kept]
        scores += [
            partial_likelihood(y, of_all) - partial_likelihood(y[learning], of_all[learning])
            for of_all in predictors.T
        ]
    best = scores.argmax()
    return path.coef_[:, best], path.alphas_[best], scores[best]


def coxnet(l1_ratio, **penalties):
    penalties = penalties or {"n_alphas": PENALTIES, "alpha_min_ratio": 1 / RANGE}
    return CoxnetSurvivalAnalysis(l1_ratio=l1_ratio, **penalties)


def partial_likelihood(y, predictor):
    """ℓ(η) = Σ over events i of ηᵢ − log Σ over rows j with tⱼ ≥ tᵢ of exp(ηⱼ) (Breslow)."""
    order = np.argsort(-y[:, 0], kind="stable")
    time, event, eta = y[order, 0], y[order, 1] == 1, predictor[order]
    at_risk = np.logaddexp.accumulate(eta)
    # Rows of the same time are at risk together: the last of them in this order has the sum.
    last = np.searchsorted(-time, -time, side="right") - 1
    return float((eta - at_risk[last])[event].sum())
