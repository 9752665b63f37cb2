"""Times to an event as outcome."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import ThreshNetBase
from ._inputs import given_outcome, refuse_durations, weights
from ._parameters import parametrized

# The fields of the outcome that `survival` makes, named as in scikit-survival's examples.
EVENT, TIME = "event", "time"

# The parameters that name the columns of a data frame.
COLUMNS = [
    {
        "name": name,
        "type": "str",
        "default": None,
        "help": f"The {name} column of y, if y is a data frame.",
    }
    for name in (TIME, EVENT)
]


def survival(time: ArrayLike, event: ArrayLike) -> np.ndarray:
    """An outcome from times and events: a structured array, as scikit-survival has it.

    Parameters
    ----------
    time : array-like of float
        Time to the event or to censoring, not negative.
    event : array-like of bool or of 0 and 1
        Whether the event happened then; otherwise the row is censored.
    """
    time = plain(time, "time")
    if time.ndim != 1 or np.shape(event) != time.shape:
        raise ValueError(
            f"time has shape {time.shape} and event {np.shape(event)}: both must be flat and of "
            "the same length"
        )
    y = np.empty(len(time), dtype=[(EVENT, bool), (TIME, np.float64)])
    y[TIME], y[EVENT] = checked(time, TIME), events(event, EVENT)
    return y


class StepFunction:
    """A function that is constant between the times at which it steps.

    `x` are these times, `y` its values from each on, `before` its value before the first. After
    the last event time it keeps its last value, which nobody has observed.
    """

    def __init__(self, x, y, before):
        self.x, self.y, self.before = x, y, before

    @property
    def domain(self) -> tuple[float, float]:
        """Where it is defined."""
        return 0.0, np.inf

    def __call__(self, time):
        """Its values at these times."""
        steps = np.searchsorted(self.x, time, side="right")
        values = np.concatenate([[self.before], self.y])[steps]
        values = np.where(np.isnan(time), np.nan, values)
        return values if np.ndim(time) else float(values)

    def __repr__(self):
        return f"StepFunction({len(self.x)} steps from {self.x[0]:g} to {self.x[-1]:g})"


@parametrized("cox", first=COLUMNS)
class ThreshNetSurvival(ThreshNetBase):
    """A sparse-input network for a time to event, possibly censored: Cox partial likelihood.

    y is a structured array of events and times as scikit-survival has it, which
    `threshnet.survival(time, event)` makes; or a data frame, given the names of its columns as
    `time` and `event`.
    """

    def _response(self, y):
        given_outcome(self, y)
        time, event, outcome = times_and_events(y, self.time, self.event)
        return {"time": time, "event": event}, outcome

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """The risk of every row, the logarithm of a hazard ratio: higher is worse."""
        return self._output(X)[:, 0]

    def predict_lower_bound(self, X: ArrayLike, coverage: float = 0.9) -> NDArray[np.float64]:
        """A time that every row survives with this probability, on average over rows like those
        of the fit.

        It comes from rows that were held out (conformal prediction, events weighted by how long
        rows were under observation), and is at most the last event time.
        """
        return self._region(X, coverage)[:, 0]

    def predict_median(self, X: ArrayLike) -> NDArray[np.float64]:
        """The first time at which survival is at most one half; infinite where the predicted curve
        does not come down to it."""
        times, survival = self.unique_times_, self.predict_survival_function(X, return_array=True)
        below = survival <= 0.5
        return np.where(below.any(axis=1), times[below.argmax(axis=1)], np.inf)

    @property
    def unique_times_(self) -> NDArray[np.float64]:
        """The event times, at which the predicted curves step."""
        check_is_fitted(self)
        return self._model.baseline[0]

    def predict_cumulative_hazard_function(
        self, X: ArrayLike, return_array: bool = False
    ) -> np.ndarray:
        """H(t) of every row: step functions, or an array with a column per `unique_times_`."""
        return self._curves(np.exp, 0.0, X, return_array)

    def predict_survival_function(
        self, X: ArrayLike, return_array: bool = False, times: ArrayLike | None = None
    ) -> np.ndarray:
        """S(t) of every row: step functions, or an array with a column per `unique_times_`, or for
        each of `times`."""
        if times is not None:
            times = checked(np.atleast_1d(plain(times, "times")), "times")
            return np.array([curve(times) for curve in self.predict_survival_function(X)])
        return self._curves(lambda log_hazard: np.exp(-np.exp(log_hazard)), 1.0, X, return_array)

    def _curves(self, transform, before, X, return_array):
        risk = self.predict(X)
        times, log_baseline = self._model.baseline
        values = transform(log_baseline + risk[:, None])
        if return_array:
            return values
        curves = np.empty(len(values), dtype=object)
        curves[:] = [StepFunction(times, row, before) for row in values]
        return curves

    def score(self, X: ArrayLike, y, sample_weight: ArrayLike | None = None) -> float:
        """Harrell's C-index; `sample_weight` is what each row counts."""
        time, event, _ = times_and_events(y, self.time, self.event)
        risk = self.predict(X)
        return _core.concordance(time, event, risk, weights(sample_weight, risk))


def times_and_events(y, time=None, event=None):
    """Times, events and their names from an outcome; nothing is guessed."""
    fields = getattr(getattr(y, "dtype", None), "names", None)
    if fields is not None:
        return from_structured(y, fields)
    # (what pyarrow calls column_names is columns elsewhere)
    known = getattr(y, "column_names", getattr(y, "columns", None))
    if known is not None:
        known = list(known)
        if time is None or event is None:
            raise ValueError(
                f"y is a data frame with the columns {known}: name its columns by "
                "ThreshNetSurvival(time=..., event=...)"
            )
        for name in (time, event):
            if name not in known:
                raise ValueError(f"y has no column {name!r}, only {known}")
        times = plain(y[time], time)
        return checked(times, time), events(y[event], event), [str(time), str(event)]
    raise ValueError(
        "y must be a structured array of events and times, which threshnet.survival(time, event) "
        f"makes, or a data frame with `time` and `event` named; this is {type(y).__name__}"
    )


def from_structured(y, fields):
    """From a structured array, which has one field of events and one of times."""
    kinds = [y.dtype[name].kind for name in fields]
    if "m" in kinds:
        refuse_durations(y[fields[kinds.index("m")]], fields[kinds.index("m")])
    if sorted(kinds) not in (["b", "f"], ["b", "i"], ["b", "u"]):
        raise ValueError(
            "y must have one field of bool (the event) and one of numbers (the time), it has "
            f"{dict(zip(fields, map(str, (y.dtype[name] for name in fields)), strict=True))}"
        )
    event, time = sorted(fields, key=lambda name: y.dtype[name].kind != "b")
    times = np.ascontiguousarray(y[time], dtype=np.float64)
    return checked(times, time), np.ascontiguousarray(y[event]), [time, event]


def plain(time, name):
    """Times as numbers."""
    refuse_durations(time, name)
    return np.asarray(time, dtype=np.float64)


def checked(time, name):
    """Times that can be."""
    bad = ~(np.isfinite(time) & (time >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"{name}: {time[row]} in row {row}: times are finite and not negative")
    return np.ascontiguousarray(time)


def events(values, name):
    """Events as bool; 0 and 1 are taken as such."""
    values = np.asarray(values)
    if values.dtype.kind != "b":
        odd = ~np.isin(values, (0, 1))
        if odd.any():
            row = int(np.argmax(odd))
            raise ValueError(
                f"{name}: {values.tolist()[row]!r} in row {row}: an event is True or 1 where it "
                "happened, False or 0 where the row is censored"
            )
    return np.ascontiguousarray(values.astype(bool))
