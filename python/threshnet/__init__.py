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

from importlib import import_module
from typing import TYPE_CHECKING

from ._core import __version__

if TYPE_CHECKING:
    from . import plots
    from ._classifier import ThreshNetClassifier
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

# Where what is public lives. scikit-learn takes most of a second to import, so all but the version
# is imported once it is asked for.
_HOMES = {
    "StepFunction": "_survival",
    "ThreshNetClassifier": "_classifier",
    "ThreshNetRegressor": "_regressor",
    "ThreshNetSurvival": "_survival",
    "compare": "_metrics",
    "evaluate": "_metrics",
    "load": "_saved",
    "metrics": "_metrics",
    "scorer": "_metrics",
    "survival": "_survival",
    "threshnet_path": "_path",
    "validate": "_validate",
}


def __getattr__(name):
    if name == "plots":
        return import_module(f"{__name__}.plots")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
