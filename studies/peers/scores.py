"""How a fit is judged: its predictions on test rows, its columns against the true ones."""

import numpy as np
from sklearn.metrics import accuracy_score, log_loss, r2_score, roc_auc_score
from sksurv.metrics import (
    concordance_index_censored,
    cumulative_dynamic_auc,
    integrated_brier_score,
)
from sksurv.util import Surv

from .failure import Failure


def survival(y):
    """Time and event as scikit-survival takes them."""
    return Surv.from_arrays(event=y[:, 1].astype(bool), time=y[:, 0])


def score(metric, arrays, test, fitted):
    """A score of a fitted model on test rows; `metric` is one that the study asks for."""
    predicted = fitted.predict(test.x)
    if metric == "r2":
        return r2_score(test.y, predicted)
    if metric == "accuracy":
        classes = predicted.argmax(axis=1) if arrays.task == "multiclass" else predicted > 0
        return accuracy_score(test.y, classes)
    if metric == "auc":
        return roc_auc_score(test.y, predicted)
    if metric == "log_loss":
        several = arrays.task == "multiclass"
        shares = predicted if several else fitted.probability(predicted)
        return log_loss(test.y, shares, labels=range(arrays.classes))
    if metric == "time_auc":
        return mean_auc(arrays.train.y, test.y, predicted, arrays.times)
    if metric == "c_index":
        return concordance_index_censored(test.y[:, 1].astype(bool), test.y[:, 0], predicted)[0]
    if metric == "ibs":
        survival_at = fitted.survival or proportional(arrays.train, fitted.predict)
        return mean_brier(arrays, test, survival_at)
    raise Failure(f"unknown score {metric!r}; update peers/scores.py to this checkout")


def ended(rows, times):
    """Rows whose observation ends just after the last of some times, if not before.

    What becomes of them later changes no score at these times, and scikit-survival is spared
    censoring weights beyond the last training row, which do not exist.
    """
    end = np.nextafter(times.max(), np.inf)
    later = rows[:, 0] > times.max()
    return np.where(later[:, None], [end, 0.0], rows)


def mean_auc(train, test, risk, times):
    """Uno's AUC at `times`, averaged over them by the share of events each stands for.

    Times before the first event or after the last row have no case or no control, and are left
    out.
    """
    test = ended(test, times)
    first = test[test[:, 1] == 1, 0].min()
    within = times[(times >= first) & (times < test[:, 0].max())]
    return cumulative_dynamic_auc(survival(train), survival(test), risk, within)[1]


def mean_brier(arrays, test, survival_at):
    """The Brier score integrated over those of the times that the test rows span."""
    rows, times = ended(test.y, arrays.times), arrays.times
    within = times[(times >= rows[:, 0].min()) & (times < rows[:, 0].max())]
    predicted = survival_at(test.x, within)
    return integrated_brier_score(survival(arrays.train.y), survival(rows), predicted, within)


def proportional(train, predict):
    """The probability to outlive times under proportional hazards: Breslow's baseline.

    S(t) = exp(−H₀(t)·exp(η)), H₀(t) the sum over events up to t of 1 over the sum of exp(η) of the
    training rows at risk.
    """
    order = np.argsort(train.y[:, 0], kind="stable")
    time, event = train.y[order, 0], train.y[order, 1]
    log_at_risk = np.logaddexp.accumulate(predict(train.x)[order][::-1])[::-1]
    # Rows of the same time are at risk together.
    log_at_risk = log_at_risk[np.searchsorted(time, time)]
    hazard = np.cumsum(event * np.exp(-log_at_risk))

    def at(x, times):
        past = np.searchsorted(time, times, side="right")
        baseline = np.concatenate([[0.0], hazard])[past]
        return np.exp(-baseline[None, :] * np.exp(predict(x))[:, None])

    return at


def selection_errors(selected, support, d):
    """Share of the other columns that were selected, and share of the true ones that were not."""
    chosen, true = np.zeros(d, bool), np.zeros(d, bool)
    chosen[selected] = True
    true[support] = True
    false_positives = (chosen & ~true).sum() / max((~true).sum(), 1)
    false_negatives = (true & ~chosen).sum() / max(true.sum(), 1)
    return float(false_positives), float(false_negatives)
