"""Nested validation: the whole procedure again in every outer split, spread by joblib."""

import json
from contextlib import suppress

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_memory

from . import _core
from ._base import ThreshNetBase, outside
from ._control import spread
from ._inputs import names as names_of

# What is done where neither the call nor the estimator says how.
USUAL = "cv:5"


def validate(
    estimator,
    X: ArrayLike,
    y,
    *,
    outer: str | None = None,
    sample_weight: ArrayLike | None = None,
    fold_by: ArrayLike | None = None,
    n_jobs: int | None = None,
    memory=None,
    verbose: int = 0,
) -> dict:
    """How good the whole procedure is on rows that had a say in nothing: nested validation.

    In every outer split everything is done again without the rows that are scored: selection with
    or without error control, imputation, screening, the choice of lambda and ridge, the contest
    of linear models; of a pipeline its transformations, too.

    Parameters
    ----------
    estimator : estimator or Pipeline that ends with one
        What to validate; it need not be fitted, and is not.
    X, y, sample_weight, fold_by
        As for `fit`. No outer split divides a cluster; folds are stratified by class or event. A
        pipeline that is given `fold_by` does not pass it on to its own fits.
    outer : str, default=None
        `cv:5`, `cv:5x10` (ten times) or `boot:200`, a bootstrap, which corrects optimism by .632+
        and Harrell's. If None: the estimator's, else `cv:5`.
    n_jobs : int, default=None
        joblib's workers, so a backend of `joblib.parallel_config` (Dask, Ray) spreads the runs; the
        result does not depend on it.
    memory : str or joblib.Memory, default=None
        A folder that keeps what each run found: a stopped validation goes on where it was.
    verbose : int, default=0
        Whether to show a progress bar.

    Returns
    -------
    dict
        `metrics` (each with value and 95 % interval; of a bootstrap `bootstrap` has apparent,
        out_of_bag, harrell, plus_632), `rows`, `outer`, `size` (the median number of columns),
        `selected` (how often each column was selected), `runs` (rows, size and metrics of
        each) and `curves`.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from threshnet import ThreshNetRegressor, validate
    >>> X, y = make_friedman1(200, n_features=10, random_state=0)
    >>> model = ThreshNetRegressor(hidden=(), random_state=0)
    >>> found = validate(model, X, y, outer="cv:3")
    >>> 0.5 < found["metrics"]["r2"]["value"] < 0.8
    True
    """
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if not isinstance(last, ThreshNetBase):
        raise TypeError(
            f"validate takes an estimator of threshnet, or a pipeline that ends with one, not "
            f"{type(last).__name__}"
        )
    model = clone(last)
    model.set_params(outer=outer or last.outer or USUAL)
    if not isinstance(estimator, Pipeline):
        table, options = model._table(X, y, sample_weight, None, fold_by), model._options()
        found = outside(table, options, n_jobs, verbose, memory)
        whole = None
        if options["outer"].startswith("boot"):
            whole = model.set_params(outer=None, n_jobs=n_jobs)
            whole = whole.fit(X, y, sample_weight, fold_by=fold_by)._model
        return json.loads(_core.combine_outer(table, options, found, whole))
    known = names_of_input(X)
    stand_in = np.zeros((len(y), len(known)), dtype=np.float32, order="F")
    stand_in[:, 0] = np.arange(len(y))
    # (columns of its own are those of what the transformations make)
    plain = clone(model).set_params(keep=None, penalty_factors=None, groups=None)
    table = plain._table(stand_in, y, sample_weight, None, fold_by) | {"names": known}
    if table["weights"] is not None and (table["weights"] == 0).any():
        raise ValueError("sample_weight: leave out the rows of weight 0 beforehand")
    options = model._options() | {"missing": "error", "missing_indicators": False}
    runs = _core.plan_outer(table, options)
    run = check_memory(memory).cache(run_pipeline)
    tasks = [delayed(run)(estimator, X, y, sample_weight, known, of_run) for of_run in runs]
    found = spread(tasks, n_jobs, verbose, "validating")
    whole = None
    if options["outer"].startswith("boot"):
        everything = np.arange(len(y))
        of_all = {"learned": everything, "times": None, "predicted": everything}
        whole = fitted(estimator, X, y, sample_weight, of_all, options["seed"])[1]
    return json.loads(_core.combine_outer(table, options, found, whole))


def names_of_input(X):
    """The names of the columns of X, made up where it has none."""
    columns = getattr(X, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    return [f"x{number}" for number in range(np.shape(X)[1])]


def run_pipeline(pipeline, X, y, sample_weight, known, run):
    """What a pipeline finds in one run, as the engine wants it."""
    pipeline, said = fitted(pipeline, X, y, sample_weight, run, run["seed"])
    last = pipeline[-1]
    inputs = names_of(last, last.n_features_in_)
    if len(pipeline) > 1:
        with suppress(AttributeError, ValueError):
            inputs = list(pipeline[:-1].get_feature_names_out())
    # (what a transformation has made up is no column of X)
    place = {name: position for position, name in enumerate(known)}
    selected = [inputs[j] for j in last._model.selected]
    selected = sorted({place[name] for name in selected if name in place})
    return [float(len(selected)), *map(float, selected), *said.ravel(order="F").tolist()]


def fitted(pipeline, X, y, sample_weight, run, seed):
    """A pipeline that has learned from the rows of a run, and what it says of those it predicts."""
    name = pipeline.steps[-1][0]
    learned, times = run["learned"], run["times"]
    weights = None if sample_weight is None else np.asarray(sample_weight, float)[learned]
    if times is not None:
        weights = times if weights is None else weights * times
    pipeline = clone(pipeline).set_params(
        **{f"{name}__random_state": int(seed), f"{name}__outer": None, f"{name}__n_jobs": None}
    )
    given = {} if weights is None else {f"{name}__sample_weight": weights}
    rows = _safe_indexing(X, learned)
    pipeline.fit(rows, _safe_indexing(y, learned), **given)
    said = output(pipeline, _safe_indexing(X, run["predicted"]))
    if hasattr(pipeline[-1], "unique_times_"):
        # (outputs of Cox models have no zero in common)
        said = said - np.average(output(pipeline, rows)[:, 0], weights=weights)
    return pipeline, said


def output(pipeline, X):
    """What the model of a pipeline says of every row: a column per class, or one."""
    return pipeline[-1]._output(pipeline[:-1].transform(X) if len(pipeline) > 1 else X)
