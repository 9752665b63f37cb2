"""One fit from arrays to rows. Imports every package: for the processes that fit."""

import tempfile
import time
import warnings

import torch

from . import (
    arrays,
    boosting,
    clinical,
    elastic_net,
    forests,
    lasso,
    lassonet_path,
    ridge,
    stg_optuna,
)
from .results import listed
from .scores import score, selection_errors
from .workers import limit

torch.set_num_threads(1)
# The packages warn of their own use of others' old interfaces, in every fit.
warnings.simplefilter("ignore")


# What needs nothing but the arrays.
PLAIN = {
    "lasso": lasso,
    "ridge": ridge,
    "enet": elastic_net,
    "boosting": boosting,
    "clinical": clinical,
    "lassonet": lassonet_path,
}


def fit_replicate(program, fit, scratch):
    """Exports the arrays of a replicate, fits, and returns the fit's rows."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        data = arrays.read(program.export(fit.replicate, folder))
    start = time.process_time()
    limit(fit.limit)
    fitted = run(fit, data)
    limit(0)
    return rows(fit, data, fitted, time.process_time() - start)


def run(fit, data):
    if fit.method in ("rf", "rsf"):
        return forests.fit(data, times=fit.times)
    if fit.method in ("oracle-rf", "oracle-rsf"):
        return forests.fit_oracle(data, times=fit.times)
    if fit.method == "stg":
        return stg_optuna.fit(data, fit.trials)
    return PLAIN[fit.method].fit(data)


def rows(fit, data, fitted, seconds):
    """The rows of results.csv of a fit: one for each set of test rows."""
    common = {
        "lambda": "" if fitted.penalty is None else fitted.penalty,
        "ridge": "",
        "seconds": round(seconds, 3),
    } | selection(data, fitted)
    scored = {"score": data.metric} | ({} if data.second is None else {"second": data.second})

    def scores(test):
        return {name: float(score(metric, data, test, fitted)) for name, metric in scored.items()}

    return [
        fit.key_columns(variant) | common | scores(data.tests[test])
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
