"""How good predictions are: figures with intervals, two models side by side, scorers."""

from __future__ import annotations

import json
import warnings

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _core
from ._inputs import by_name
from ._inputs import weights as weights_of
from ._survival import times_and_events

# What is better where it is smaller, by the last part of a figure's name.
ERRORS = {"mse", "log_loss", "brier", "ibs", "ici", "e50", "e90"}
# What is best at a value of its own.
TARGETS = {"slope": 1.0, "observed_expected": 1.0, "intercept": 0.0, "in_the_large": 0.0}

INTERVALS = ("bca", "percentile")
# An interval needs so many samples.
FEWEST = 100


def evaluate(
    model,
    X: ArrayLike,
    y,
    *,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    train=None,
    times: ArrayLike = (),
    tau: float | None = None,
    thresholds: ArrayLike = (),
    curves: bool = False,
    samples: int = 1000,
    interval: str = "bca",
    random_state: int = 0,
) -> dict:
    """How well a fitted model predicts rows that it has not seen: what `threshnet evaluate` prints.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted: one of this package, or any that predicts numbers, probabilities, or a risk and
        survival functions as scikit-survival's do.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like
        Their outcome, as for `fit`.
    sample_weight : array-like of shape (n_samples,), default=None
        What each row counts: 2 is the row twice.
    clusters : array-like of shape (n_samples,), default=None
        Which rows belong together: intervals draw these as a whole.
    train : array-like, default=None
        The survival outcome of the rows that the censoring weights come from; the scored rows if
        None. With it, or with `tau`, there is Uno's C.
    times : array-like of float, default=()
        Times at which survival is judged.
    tau : float, default=None
        Uno's C of events before this time.
    thresholds : array-like of float, default=()
        Risks from which on one would act: sensitivity, specificity, predictive values and net
        benefit at each.
    curves : bool, default=False
        Calibration and net benefit as curves, too.
    samples : int, default=1000
        Bootstrap samples of the intervals; 0 for none.
    interval : "bca" or "percentile", default="bca"
        How intervals are made of the samples.
    random_state : int, default=0
        The seed of the samples.

    Returns
    -------
    dict
        Figures by name, None where the rows leave one undefined, which a warning explains;
        `intervals` has the 95 % interval of each.
    """
    asked = _asked(
        y, sample_weight, clusters, train, times, tau, thresholds, curves, samples, interval,
        random_state,
    )  # fmt: skip
    response, predicted = _said(model, X, y, asked["times"])
    return _told(*_core.evaluate(response, predicted, asked))


def metrics(
    y,
    *,
    prediction: ArrayLike | None = None,
    probability: ArrayLike | None = None,
    risk: ArrayLike | None = None,
    survival: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    train=None,
    times: ArrayLike = (),
    tau: float | None = None,
    thresholds: ArrayLike = (),
    curves: bool = False,
    samples: int = 1000,
    interval: str = "bca",
    random_state: int = 0,
) -> dict:
    """How good any predictions are: the figures of `evaluate` for what any program predicted.

    Parameters
    ----------
    y : array-like
        The outcome: numbers, classes, or times and events as `threshnet.survival` makes them.
    prediction : array-like of shape (n_samples,), default=None
        Predicted numbers.
    probability : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Predicted probabilities: of the last of two classes, or of every class in sorted order.
    risk : array-like of shape (n_samples,), default=None
        Predicted risks, higher is worse.
    survival : array-like of shape (n_samples, n_times), default=None
        Predicted survival at each of `times`, beside `risk`.

    The other parameters and what is returned are those of `evaluate`.
    """
    given = [value is not None for value in (prediction, probability, risk)]
    if sum(given) != 1 or (survival is not None and risk is None):
        raise ValueError("give one of prediction, probability and risk; survival goes with risk")
    asked = _asked(
        y, sample_weight, clusters, train, times, tau, thresholds, curves, samples, interval,
        random_state,
    )  # fmt: skip
    if prediction is not None:
        response, columns = {"values": _numbers(y, "y")}, [_numbers(prediction, "prediction")]
    elif probability is not None:
        probability = np.asarray(probability, dtype=np.float64)
        if probability.ndim == 1:
            probability = np.column_stack([1 - probability, probability])
        classes, labels = np.unique(column_or_1d(y), return_inverse=True)
        if probability.shape[1] != len(classes):
            raise ValueError(
                f"y has the {len(classes)} classes {classes.tolist()}, and probability those of "
                f"{probability.shape[1]}"
            )
        response, columns = _classes(labels, classes), _columns(probability)
    else:
        time, event, _ = times_and_events(y)
        response, columns = {"time": time, "event": event}, [_numbers(risk, "risk")]
    curve = [] if survival is None else _columns(np.asarray(survival, dtype=np.float64))
    predicted = {"columns": columns, "survival": curve, "own": np.empty(0)}
    return _told(*_core.evaluate(response, predicted, asked))


def compare(
    a,
    b,
    X: ArrayLike,
    y,
    *,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    train=None,
    times: ArrayLike = (),
    tau: float | None = None,
    thresholds: ArrayLike = (),
    samples: int = 1000,
    interval: str = "bca",
    random_state: int = 0,
) -> dict:
    """Two fitted models on the same rows: what `threshnet compare` prints.

    `figures` has, for every figure of `evaluate`, its value for `a` and for `b`, their
    `difference` (a less b), its 95 % `interval` and `p`, how often chance alone makes a difference
    as large. The other parameters are those of `evaluate`.
    """
    if samples == 0:
        raise ValueError(f"samples: a comparison needs {FEWEST} or more")
    asked = _asked(
        y, sample_weight, clusters, train, times, tau, thresholds, False, samples, interval,
        random_state,
    )  # fmt: skip
    response, first = _said(a, X, y, asked["times"])
    other, second = _said(b, X, y, asked["times"])
    if response.keys() != other.keys() or response.get("classes") != other.get("classes"):
        raise ValueError("a and b predict different outcomes: compare models of the same one")
    return _told(*_core.compare(response, first, second, asked))


def scorer(figure: str, **asked) -> Scorer:
    """A scorer of any figure of `evaluate`, for `cross_validate`, `GridSearchCV` and their like.

    Greater is better, as scikit-learn has it: errors (`mse`, `log_loss`, `brier`, `ibs`, `ici`,
    `e50`, `e90`) are negative, and so is the distance of `slope` and `observed_expected` from 1 and
    of `intercept` and `in_the_large` from 0.

    Parameters
    ----------
    figure : str
        Its name, such as `auc`, `uno_c`, `ibs`, `tauc[12]`, `calibration.slope`,
        `calibration[12].ici`, `thresholds[0.3].net_benefit`, `confusion.macro.f1`.
    asked
        What `evaluate` is to be asked: `times`, `tau`, `thresholds`, `train`.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from threshnet import scorer
    >>> X, y = make_classification(200, random_state=0)
    >>> scores = cross_val_score(LogisticRegression(), X, y, scoring=scorer("brier"))
    >>> bool((scores < 0).all())
    True
    """
    return Scorer(figure, **asked)


class Scorer:
    """A figure of `evaluate` as scikit-learn scores models; `scorer` makes it."""

    def __init__(self, figure, **asked):
        unknown = asked.keys() - {"times", "tau", "thresholds", "train"}
        if unknown:
            raise ValueError(f"a scorer takes times, tau, thresholds and train, not {min(unknown)}")
        self.figure, self.asked = figure, asked

    def __call__(self, estimator, X, y, sample_weight=None):
        """The figure of these rows, greater being better."""
        asked = {**self.asked, "sample_weight": sample_weight, "samples": 0}
        with warnings.catch_warnings():
            # (other figures may be undefined)
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            found = evaluate(estimator, X, y, **asked)
        value = self._of(found)
        kind = self.figure.partition("[")[0] if self.figure.endswith("]") else self.figure
        kind = kind.rpartition(".")[2]
        if kind in TARGETS:
            return -abs(value - TARGETS[kind])
        return -value if kind in ERRORS else value

    def _of(self, found):
        flat = dict(figures(found))
        if self.figure not in flat:
            raise ValueError(f"there is no figure {self.figure!r}, only {sorted(flat)}")
        if flat[self.figure] is None:
            raise ValueError(f"{self.figure} is undefined on these rows")
        return flat[self.figure]

    def __repr__(self):
        asked = "".join(f", {name}={value!r}" for name, value in self.asked.items())
        return f"scorer({self.figure!r}{asked})"


def figures(found, path=""):
    """The numbers in what `evaluate` returns, by name as `intervals` has them."""
    times = found.get("times", [])
    for name, value in found.items():
        if name in ("intervals", "times", "decision_curve") or not path and name == "d_calibration":
            continue
        key = f"{path}.{name}" if path else name
        if name == "thresholds":
            yield from decisions(value)
        elif name in ("tauc", "brier", "brier_scaled") and isinstance(value, list):
            yield from ((f"{name}[{plain(t)}]", at) for t, at in zip(times, value, strict=True))
        elif isinstance(value, dict):
            yield from figures(value, key)
        elif isinstance(value, list) and name == "calibration":
            for part in value:
                yield from figures(part, f"{key}[{part.get('class') or plain(part['time'])}]")
        elif isinstance(value, (int, float)) or value is None:
            yield key, value


def decisions(tables):
    """The numbers of thresholds."""
    for table in tables if isinstance(tables, list) else [tables]:
        before = f"{plain(table['time'])}, " if "time" in table else ""
        for at in table["at"]:
            for name, value in at.items():
                yield f"thresholds[{before}{plain(at['threshold'])}].{name}", value


def plain(number):
    """A number as names have it."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _asked(
    y, sample_weight, clusters, train, times, tau, thresholds, curves, samples, interval, seed
):
    """What is asked, as the engine takes it."""
    if interval not in INTERVALS:
        raise ValueError(f"interval: {interval!r} is none of {list(INTERVALS)}")
    if samples != 0 and samples < FEWEST:
        raise ValueError(f"samples: {samples} are too few; give {FEWEST} or more, or 0 for none")
    rows = len(y)
    if train is not None:
        time, event, _ = times_and_events(train)
        train = {"time": time, "event": event}
    return {
        "weights": weights_of(sample_weight, np.empty((rows, 1))),
        "clusters": None if clusters is None else by_name("clusters", clusters, rows).tolist(),
        "train": train,
        "times": [float(time) for time in np.atleast_1d(times)],
        "tau": tau,
        "thresholds": [float(threshold) for threshold in np.atleast_1d(thresholds)],
        "curves": curves,
        "samples": samples,
        "corrected": interval == "bca",
        "seed": random_state_of(seed),
    }


def random_state_of(seed):
    """A seed, which is a whole number."""
    if not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
        raise ValueError(f"random_state: {seed!r} is not a whole number from 0 to 2**64 - 1")
    return int(seed)


def _said(model, X, y, times):
    """The outcome and what a model says of it, as the engine takes them."""
    check_is_fitted(model)
    if isinstance(model, Pipeline):
        # (a pipeline passes on no survival functions)
        X = model[:-1].transform(X) if len(model) > 1 else X
        model = model[-1]
    if hasattr(model, "predict_survival_function"):
        return _survival(model, X, y, times)
    if hasattr(model, "predict_proba"):
        classes = model.classes_
        labels = np.searchsorted(classes, y)
        known = labels < len(classes)
        known[known] = classes[labels[known]] == np.asarray(y)[known]
        if not known.all():
            unknown = np.asarray(y)[~known].tolist()[0]
            raise ValueError(f"y: {unknown!r} is no class of the model, which has {list(classes)}")
        columns = _columns(model.predict_proba(X))
        return _classes(labels, classes), {"columns": columns, "survival": [], "own": np.empty(0)}
    said = _numbers(model.predict(X), "prediction")
    return {"values": _numbers(y, "y")}, {"columns": [said], "survival": [], "own": np.empty(0)}


def _survival(model, X, y, times):
    """The same of survival: risks, survival at times, and that of every row at its own time."""
    names = getattr(model, "time", None), getattr(model, "event", None)
    time, event, _ = times_and_events(y, *names)
    curves = model.predict_survival_function(X)
    at = [np.array([float(curve(t)) for curve in curves]) for t in times]
    # (curves of other packages end with their training rows)
    pairs = zip(curves, time, strict=True)
    own = np.array([float(curve(min(t, curve.domain[1]))) for curve, t in pairs])
    risk = _numbers(model.predict(X), "prediction")
    return {"time": time, "event": event}, {"columns": [risk], "survival": at, "own": own}


def _classes(labels, classes):
    return {"labels": labels.astype(np.int64), "classes": [str(name) for name in classes.tolist()]}


def _numbers(values, name):
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"{name} has shape {values.shape}: it must be flat")
    return np.ascontiguousarray(values)


def _columns(matrix):
    return [np.ascontiguousarray(column, dtype=np.float64) for column in matrix.T]


def _told(text, notes):
    for note in notes:
        warnings.warn(note, UndefinedMetricWarning, stacklevel=3)
    return json.loads(text)
