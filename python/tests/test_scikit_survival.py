"""Scorers of scikit-survival around the estimator."""

import numpy as np
import pytest
from conftest import quick
from sklearn.model_selection import GridSearchCV
from sksurv.metrics import (
    as_concordance_index_ipcw_scorer,
    as_cumulative_dynamic_auc_scorer,
    as_integrated_brier_score_scorer,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
    integrated_brier_score,
)


@pytest.fixture(scope="module")
def times(data):
    """Times that every fold has seen people under observation at."""
    return np.quantile(data.survival["time"], [0.2, 0.35, 0.5])


@pytest.fixture(scope="module")
def late(times):
    return times[-1]


def test_unos_c_is_that_of_the_predicted_risk(data, late):
    y = data.survival
    scorer = as_concordance_index_ipcw_scorer(quick("survival"), tau=late).fit(data.X, y)
    expected = concordance_index_ipcw(y, y, scorer.estimator_.predict(data.X), tau=late)[0]
    assert scorer.score(data.X, y) == pytest.approx(expected)
    assert expected > 0.7


def test_the_auc_over_time_is_that_of_the_predicted_risk(data, times):
    y = data.survival
    scorer = as_cumulative_dynamic_auc_scorer(quick("survival"), times=times).fit(data.X, y)
    expected = cumulative_dynamic_auc(y, y, scorer.estimator_.predict(data.X), times)[1]
    assert scorer.score(data.X, y) == pytest.approx(expected)
    assert expected > 0.7


def test_the_brier_score_is_that_of_the_predicted_curves(data, times):
    y = data.survival
    scorer = as_integrated_brier_score_scorer(quick("survival"), times=times).fit(data.X, y)
    curves = scorer.estimator_.predict_survival_function(data.X)
    alive = np.vstack([curve(times) for curve in curves])
    expected = -integrated_brier_score(y, y, alive, times)
    assert scorer.score(data.X, y) == pytest.approx(expected)
    assert -0.2 < expected < 0


@pytest.mark.parametrize(
    "scorer",
    [
        as_concordance_index_ipcw_scorer,
        as_cumulative_dynamic_auc_scorer,
        as_integrated_brier_score_scorer,
    ],
)
def test_a_grid_search_goes_by_the_scorer(scorer, data, times, late):
    given = {"tau": late} if scorer is as_concordance_index_ipcw_scorer else {"times": times}
    grid = {"estimator__lambdas": [[0.05, 0.1], [5.0, 9.0]], "estimator__ties": ["efron"]}
    search = GridSearchCV(scorer(quick("survival"), **given), grid, cv=2, error_score="raise")
    search.fit(data.X, data.survival)
    assert search.best_params_["estimator__lambdas"] == [0.05, 0.1]
    assert search.best_estimator_.estimator_.ties == "efron"
