"""Models from `model.json`, which `save` and the command line write."""

from os import PathLike
from pathlib import Path

import numpy as np

from . import _core
from ._base import ThreshNetBase
from .classifier import ThreshNetClassifier, classes_of
from .regressor import ThreshNetRegressor
from .survival import ThreshNetSurvival

ESTIMATORS = {
    "regression": ThreshNetRegressor,
    "binary": ThreshNetClassifier,
    "multiclass": ThreshNetClassifier,
    "cox": ThreshNetSurvival,
}


def read(path):
    """The engine's model from a file, or from the folder of a fit."""
    path = Path(path)
    file = path / "model.json" if path.is_dir() else path
    try:
        return _core.Model.from_json(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def load(path: str | PathLike) -> ThreshNetBase:
    """A fitted estimator from a `model.json`, or from the folder that `fit --out` wrote.

    It predicts, selects and scores; how it was found (the path, the grid) is not in the file.
    """
    model = read(path)
    estimator = ESTIMATORS[model.task]()
    estimator._model, estimator._path = model, None
    estimator._outcome_names = model.outcome
    estimator.n_features_in_ = len(model.features)
    if model.features != [f"x{number}" for number in range(len(model.features))]:
        estimator.feature_names_in_ = np.array(model.features, dtype=object)
    if model.classes:
        estimator.classes_ = classes_of(model.classes)
    return estimator
