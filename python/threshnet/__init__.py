"""Sparse-input neural networks with group concave penalties.

Finds the few columns that matter, fits a non-linear model on them, and says how sure it is:

    from threshnet import ThreshNetRegressor
    model = ThreshNetRegressor(random_state=0).fit(X, y)
    model.get_feature_names_out()

`ThreshNetRegressor`, `ThreshNetClassifier` and `ThreshNetSurvival` are scikit-learn estimators;
`validate` validates the whole procedure from outside;
`threshnet_path` traces solutions without choosing one; `survival` makes an outcome of times and
events; `load` reads a model that `save` or the command line wrote; `evaluate`, `metrics` and
`compare` say how good predictions are, `scorer` says it to scikit-learn; `threshnet.plots` draws.
"""

from . import plots
from ._classifier import ThreshNetClassifier
from ._core import __version__
from ._metrics import compare, evaluate, metrics, scorer
from ._path import threshnet_path
from ._regressor import ThreshNetRegressor
from ._saved import load
from ._survival import StepFunction, ThreshNetSurvival, survival
from ._validate import validate

__all__ = [
    "StepFunction",
    "ThreshNetClassifier",
    "ThreshNetRegressor",
    "ThreshNetSurvival",
    "__version__",
    "compare",
    "evaluate",
    "load",
    "metrics",
    "plots",
    "scorer",
    "survival",
    "threshnet_path",
    "validate",
]
