"""scikit-learn's own checks of estimators."""

import numpy as np
from conftest import ESTIMATORS, QUICK
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from threshnet import ThreshNetClassifier, ThreshNetRegressor, ThreshNetSurvival, survival

# The checks ask for manners, not for a protocol: a short one keeps them, and its models are good
# enough for those checks that ask for a score.
CHECKED = QUICK | {"lambdas": [0.01, 0.05], "ridges": [0.01]}


# A repeated row is a weight of 2 to the last digit only where nothing is drawn by row.
DRAWN_BY_ROW = {
    f"check_sample_weight_equivalence_on_{kind}_data": "folds and starts are drawn by row"
    for kind in ("dense", "sparse")
}
# One minimum, which the data decide.
CONVERGED = {"hidden": (), "penalty": "lasso", "lambdas": [0.01], "ridges": [0.01]}
CONVERGED |= {"validation": "none", "tolerance": 1e-13}


@parametrize_with_checks(
    [ThreshNetRegressor(**CHECKED), ThreshNetClassifier(**CHECKED)],
    expected_failed_checks=lambda estimator: DRAWN_BY_ROW,
)
def test_the_estimator_passes(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [ThreshNetRegressor()], expected_failed_checks=lambda estimator: DRAWN_BY_ROW
)
def test_the_default_protocol_passes(estimator, check):
    check(estimator)


@parametrize_with_checks([ThreshNetRegressor(**CONVERGED), ThreshNetClassifier(**CONVERGED)])
def test_a_converged_linear_fit_passes_every_check_of_weights_too(estimator, check):
    check(estimator)


def test_every_estimator_fits_and_predicts_by_default(data, task, outcome):
    model = ESTIMATORS[task](random_state=0).fit(data.X, outcome)
    assert model.predict(data.X).shape == (len(data.X),)
    assert {0, 1} <= set(model.get_support(indices=True))
    assert model.score(data.X, outcome) > 0.75


class AllEvents(ThreshNetSurvival):
    """Takes plain numbers as times at which the event happened: what scikit-learn feeds."""

    def fit(self, X, y):
        return super().fit(X, self._events(y))

    def score(self, X, y):
        return super().score(X, self._events(y))

    @staticmethod
    def _events(y):
        if y is None:
            return None
        y = np.asarray(y, dtype=np.float64)
        return survival(y - y.min() + 1, np.ones(len(y), dtype=bool))


def test_survival_passes_once_plain_numbers_are_times():
    results = check_estimator(AllEvents(**CHECKED), on_fail=None)
    failed = {found["check_name"]: found["exception"] for found in results if failing(found)}
    assert failed == {}
    assert len(results) > 30


def test_survival_fails_only_where_it_is_given_plain_numbers():
    results = check_estimator(ThreshNetSurvival(**CHECKED), on_fail=None)
    others = {
        found["check_name"]: found["exception"]
        for found in results
        if failing(found) and "y must be a structured array" not in chain(found["exception"])
    }
    assert others == {}
    assert sum(found["status"] == "passed" for found in results) > 10


def failing(found):
    return found["status"] == "failed"


def chain(error):
    """What an exception and those behind it say."""
    said = []
    while error is not None:
        said.append(str(error))
        error = error.__cause__ or error.__context__
    return "\n".join(said)
