"""Small data with a known answer, and settings that fit them in milliseconds."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import threshnet

# Short grids and few epochs: a fit of the data below takes a few milliseconds.
QUICK = {
    "validation": "holdout:0.25",
    "lambdas": [0.03, 0.1, 0.2],
    "ridges": [0.001, 0.01],
    "learning_rate": 0.02,
    "epochs": 50,
    "first_epochs": 200,
    "linear": "leave",
    "random_state": 0,
}

ESTIMATORS = {
    "regression": threshnet.ThreshNetRegressor,
    "classification": threshnet.ThreshNetClassifier,
    "survival": threshnet.ThreshNetSurvival,
}


def quick(task="regression", **settings):
    """An estimator of this task that fits fast."""
    return ESTIMATORS[task](**(QUICK | settings))


def nameless(model):
    """What its model.json holds, but for the names of the outcome's columns."""
    return json.loads(model._model.to_json()) | {"outcome": None}


def simulated(rows=120, columns=6):
    """Columns of which the first two matter, and an outcome of every kind."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    signal = 2 * X[:, 0] + 2 * np.maximum(X[:, 1], 0)
    y = signal + 0.3 * rng.normal(size=rows)
    time = rng.exponential(np.exp(-signal))
    end = np.minimum(rng.exponential(4 * np.exp(-signal)), np.quantile(time, 0.85))
    return SimpleNamespace(
        X=X,
        y=y,
        regression=y,
        classification=(y > np.median(y)).astype(int),
        three=np.digitize(y, np.quantile(y, [1 / 3, 2 / 3])),
        survival=threshnet.survival(np.minimum(time, end), time <= end),
    )


@pytest.fixture(scope="session")
def data():
    return simulated()


@pytest.fixture(scope="session", params=ESTIMATORS)
def task(request):
    """Each of the three tasks."""
    return request.param


@pytest.fixture(scope="session")
def outcome(data, task):
    """The outcome that goes with `task`."""
    return getattr(data, task)


@pytest.fixture(scope="session")
def fitted(data, task, outcome):
    """An estimator of `task`, fitted once; tests must not change it."""
    return quick(task).fit(data.X, outcome)
