"""One fit from arrays to rows. Imports every package: for the processes that fit."""

import tempfile
import time
import warnings

import torch

from . import arrays, forests, lasso, lassonet_path, stg_optuna
from .results import listed
from .scores import score, selection_errors

torch.set_num_threads(1)
# The packages warn of their own use of others' old interfaces, in every fit.
warnings.simplefilter("ignore")


def fit_replicate(program, fit, scratch):
    """Exports the arrays of a replicate, fits, and returns the fit's rows."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        data = arrays.read(program.export(fit.replicate, folder))
    start = time.perf_counter()
    fitted = run(fit, data)
    return rows(fit, data, fitted, time.perf_counter() - start)


def run(fit, data):
    if fit.method in ("rf", "rsf"):
        return forests.fit(data, times=fit.times)
    if fit.method in ("oracle-rf", "oracle-rsf"):
        return forests.fit_oracle(data, times=fit.times)
    if fit.method == "lasso":
        return lasso.fit(data)
    if fit.method == "stg":
        return stg_optuna.fit(data, fit.trials)
    return lassonet_path.fit(data)


def rows(fit, data, fitted, seconds):
    """The rows of results.csv of a fit: one for each set of test rows."""
    common = {
        "lambda": "" if fitted.penalty is None else fitted.penalty,
        "ridge": "",
        "seconds": round(seconds, 3),
    } | selection(data, fitted)
    return [
        fit.key_columns(variant)
        | common
        | {"score": float(score(data, data.tests[test], fitted.predict(data.tests[test].x)))}
        for test, variant in fit.variants.items()
    ]


def selection(data, fitted):
    """What a row says of the selected columns; nothing for a method that selects none."""
    if fitted.selected is None:
        return {"fpr": "", "fnr": "", "size": "", "selected": ""}
    false_positives = false_negatives = ""
    d = data.train.x.shape[1]
    if data.support is not None:
        false_positives, false_negatives = selection_errors(fitted.selected, data.support, d)
    elif data.area is not None:
        false_positives, _ = selection_errors(fitted.selected, data.area, d)
    return {
        "fpr": false_positives,
        "fnr": false_negatives,
        "size": len(fitted.selected),
        "selected": listed(fitted.selected),
    }
