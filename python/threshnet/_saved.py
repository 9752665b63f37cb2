"""Models from `model.json`, which `save` and the command line write."""

from os import PathLike

import numpy as np

from ._base import ThreshNetBase, read
from ._classifier import ThreshNetClassifier, classes_of
from ._regressor import ThreshNetRegressor
from ._survival import ThreshNetSurvival

BY_TASK = {
    "regression": ThreshNetRegressor,
    "binary": ThreshNetClassifier,
    "multiclass": ThreshNetClassifier,
    "cox": ThreshNetSurvival,
}


def load(path: str | PathLike) -> ThreshNetBase:
    """A fitted estimator from a `model.json`, or from the folder that `fit --out` wrote.

    It predicts, selects and scores. How it was found (penalty, path, grid) is not in the file, so
    of its parameters only `hidden`, `activation` and `shortcut` are those of the fit.
    """
    model = read(path)
    hidden, activation, shortcut = model.network
    estimator = BY_TASK[model.task](hidden=tuple(hidden), activation=activation, shortcut=shortcut)
    estimator._model, estimator._path, estimator._report = model, None, None
    estimator._ensemble = None
    estimator.n_features_in_ = len(model.features)
    if model.features != [f"x{number}" for number in range(len(model.features))]:
        estimator.feature_names_in_ = np.array(model.features, dtype=object)
    if model.classes:
        estimator.classes_ = classes_of(model.classes, model.class_type)
    return estimator
