"""How a fit is judged: its predictions on test rows, its columns against the true ones."""

import numpy as np
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sksurv.metrics import concordance_index_censored, cumulative_dynamic_auc
from sksurv.util import Surv

from .failure import Failure


def survival(y):
    """Time and event as scikit-survival takes them."""
    return Surv.from_arrays(event=y[:, 1].astype(bool), time=y[:, 0])


def score(arrays, test, predicted):
    """The score that the study asks for."""
    if arrays.metric == "r2":
        return r2_score(test.y, predicted)
    if arrays.metric == "accuracy":
        return accuracy_score(test.y, predicted > 0)
    if arrays.metric == "auc":
        return roc_auc_score(test.y, predicted)
    if arrays.metric == "time_auc":
        return mean_auc(arrays.train.y, test.y, predicted, arrays.times)
    if arrays.metric == "c_index":
        return concordance_index_censored(test.y[:, 1].astype(bool), test.y[:, 0], predicted)[0]
    raise Failure(f"unknown score {arrays.metric!r}; update peers/scores.py to this checkout")


def mean_auc(train, test, risk, times):
    """Uno's AUC at `times`, averaged over them by the share of events each stands for.

    Times before the first event or after the last row have no case or no control, and are left
    out. Test rows that outlive the last of `times` are controls at all of them, whatever becomes of
    them later. Ending their observation there changes no AUC, and spares scikit-survival censoring
    weights beyond the last training row, which do not exist.
    """
    end = np.nextafter(times.max(), np.inf)
    later = test[:, 0] > times.max()
    ended = np.where(later[:, None], [end, 0.0], test)
    first = ended[ended[:, 1] == 1, 0].min()
    within = times[(times >= first) & (times < ended[:, 0].max())]
    return cumulative_dynamic_auc(survival(train), survival(ended), risk, within)[1]


def selection_errors(selected, support, d):
    """Share of the other columns that were selected, and share of the true ones that were not."""
    chosen, true = np.zeros(d, bool), np.zeros(d, bool)
    chosen[selected] = True
    true[support] = True
    false_positives = (chosen & ~true).sum() / max((~true).sum(), 1)
    false_negatives = (true & ~chosen).sum() / max(true.sum(), 1)
    return float(false_positives), float(false_negatives)
