"""What the estimators share: settings, the fit, the path, the selection."""

from __future__ import annotations

import copy
import json
import warnings
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from joblib import cpu_count, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, check_memory

from . import _core
from ._control import aligned, select, spread
from ._inputs import (
    clusters,
    features,
    features_of,
    folds,
    names,
    positions,
    same_length,
    weights,
)
from ._parameters import SETTINGS
from ._progress import progress
from ._terms import terms

if TYPE_CHECKING:
    from typing_extensions import Self

# What is told of notes by their kind.
TOLD = {
    "few_rows": "{rows} rows are few: what is selected, and every figure, may be chance",
    "few_events": "{events} events are few: what is selected, and every figure, may be chance",
    "rare_class": "class {name!r} has {rows} rows: most splits have one of them or none, and what "
    "is said of it may be chance; join it with another, or leave it out",
}

# Seeds are whole numbers below this.
SEEDS = 2**31


class ThreshNetBase(SelectorMixin, BaseEstimator):
    """A sparse-input network; what it predicts is up to its subclasses."""

    def fit(
        self,
        X: ArrayLike,
        y,
        sample_weight: ArrayLike | None = None,
        folds: ArrayLike | None = None,
        fold_by: ArrayLike | None = None,
    ) -> Self:
        """Selects columns and fits a network on them.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, texts and categories, none missing unless `missing` says what to do. A text
            is one feature of several levels, selected or left out as a whole; a column of text
            whose cells are all numbers is one of numbers, as in a file. Sparse matrices stay
            sparse. Floats in Fortran order, and those of 64 bit in a csc matrix, are not copied.
        y : array-like
            The outcome.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row counts: 2 is the row twice, 0 leaves it out; each counts once if None.
            Folds and starts are drawn by row, so a weight and a repeated row agree to the last
            digit only where nothing is drawn.
        folds : array-like of shape (n_samples,), default=None
            The fold of each row, by whatever name: lambda and ridge are chosen by
            cross-validation on these folds, and `validation` is left out. Drawn if None.
        fold_by : array-like of shape (n_samples,), default=None
            The cluster of each row, such as a patient or a centre, by whatever name: no fit,
            fold, hold-out, half-sample or bootstrap divides one. Rows are independent if None.

        Returns
        -------
        self
        """
        # What fails or is stopped from here on leaves no model of other data behind.
        vars(self).pop("_model", None)
        table = self._table(X, y, sample_weight, folds, fold_by)
        options = self._options() | self._crossing(table["folds"])
        selection = None
        if self.stability is not None or self.fdr is not None:
            selection = select(table, options, self.n_jobs, self.verbose)
        runs = None
        if self.outer is not None:
            runs = outside(table, options, self.n_jobs, self.verbose)
        with progress(self.verbose) as bar:
            jobs = threads(self.n_jobs)
            found = _core.fit(
                table, options, selection=selection, outside=runs, jobs=jobs, progress=bar
            )
        return self._keep(found, selection)

    def _table(self, X, y, sample_weight=None, given_folds=None, fold_by=None):
        """The data as the engine takes them; sets what is known of them."""
        x, strings = features(self, X)
        response, outcome = self._response(y)
        same_length(x.shape[0], next(iter(response.values())))
        return {
            "weights": self._weights(response, weights(sample_weight, x)),
            "folds": folds(given_folds, x.shape[0]),
            "clusters": clusters(fold_by, x.shape[0]),
            "x": x,
            "knockoffs": None,
            "strings": strings,
            "names": names(self, self.n_features_in_),
            **terms(self),
            "y": response,
            "outcome": outcome,
            "class_type": self._class_type(),
        }

    def _weights(self, response, sample_weight):
        """What each row counts; None if each counts once."""
        return sample_weight

    def _crossing(self, given_folds):
        """What follows from given folds for the settings."""
        if given_folds is None:
            return {}
        if self.validation is not None:
            raise ValueError(
                "validation: folds are given, which are crossed; leave one of them out"
            )
        return {"validation": f"cv:{max(given_folds)}"}

    def _options(self):
        """The settings as the engine takes them."""
        settings = {entry["name"] for entry in SETTINGS}
        given = {name: value for name, value in vars(self).items() if name in settings}
        return given | {"init": initial(self.init), "seed": seed(self.random_state)}

    def _keep(self, found, selection=None):
        """Takes over what the engine found."""
        self._model, self._path, self._report = found["model"], found["path"], found["report"]
        self._ensemble = found["ensemble"]
        report = json.loads(self._report)
        self.price_of_sparsity_, self.nested_ = report.get("price"), report.get("nested")
        self.importance_ = report.get("importance")
        model, validation = report["model"], report["validation"]
        self.held_out_ = held_out(found["held_out"], report["held_out"])
        self.best_lambda_, self.best_ridge_ = model["lambda"], model["ridge"]
        self.path_ = columns_of(validation["grid"])
        self.chosen_ = np.array(validation["chosen"], dtype=np.int64)
        self.lambdas_ = np.array(report["path"]["lambdas"])
        self.ridges_ = np.unique(self.path_["ridge"])
        self.validation_ = tuple(estimate(validation["loss"]))
        self.certificate_, self.status_ = model["certificate"], model["status"]
        self.contenders_ = [contender(compared) for compared in report["models"]]
        self._warn(report["notes"])
        self.training_rows_ = found["rows"]
        self.selection_ = None if selection is None else selection.facts()
        source = self.selection_ or {**report, "frequencies": found["frequencies"]}
        self.frequencies_ = source.get("frequencies")
        # (knockoffs have another kind of threshold)
        self.threshold_ = None if self.frequencies_ is None else source["threshold"]
        self.n_iter_ = max(1, found["epochs"])
        return self

    def _warn(self, notes):
        """Tells what went wrong, or may be chance."""
        for note in notes:
            if note["kind"] == "unconverged":
                problem = (
                    f"{note['points']} of {note['of']} linear fits ended before they had "
                    f"converged, and the model has a certificate of {note['certificate']}, where "
                    "1e-6 is a minimum: allow more `epochs`, larger `ridges`, or fewer small "
                    "`lambdas`"
                )
                warnings.warn(problem, ConvergenceWarning, stacklevel=4)
            told = TOLD.get(note["kind"])
            if told is not None:
                warnings.warn(told.format(**note), UserWarning, stacklevel=4)
            if note["kind"] == "null_model" and self.fdr is not None:
                problem = (
                    f"nothing is selected: a rate of {self.fdr} takes at least "
                    f"{np.ceil(1 / self.fdr - 1e-9):.0f} columns that beat their knockoffs; give "
                    "a higher `fdr`, or `stability`"
                )
                warnings.warn(problem, UserWarning, stacklevel=4)
        converged = all(note["kind"] != "unconverged" for note in notes)
        # (the usual epochs are a budget that was measured to be enough)
        if self.status_ == "epoch_limit" and converged and self._gave_epochs():
            problem = (
                f"the model's last solve ended at its limit of epochs, with a certificate of "
                f"{max(self.certificate_.values()):.1e}: allow more `epochs`"
            )
            warnings.warn(problem, ConvergenceWarning, stacklevel=4)

    def _gave_epochs(self):
        """Whether the limit is the user's."""
        given = self.epochs is not None or self.first_epochs is not None
        return given and self.protocol != "paper"

    @property
    def norms_(self) -> NDArray[np.float64]:
        """The group norm of every column, 0 unless it is selected."""
        check_is_fitted(self)
        return self._model.norms

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The norms as shares of their sum."""
        norms = self.norms_
        total = norms.sum()
        return norms / total if total > 0 else norms

    @property
    def coef_(self) -> NDArray[np.float64]:
        """What a linear model adds per unit of every raw column; 0 of columns without a part in it.

        Of shape (n_features,) for numbers and survival, (1, n_features) for two classes, and a row
        per class for more. A text has a weight for each of its levels, in a row of its columns.
        """
        weights = self._linear()[1]
        return weights if hasattr(self, "classes_") else weights[0]

    @property
    def intercept_(self) -> NDArray[np.float64] | float:
        """What a linear model starts from: predictions are this and the sum of `coef_` times X."""
        intercepts = self._linear()[0]
        return intercepts if hasattr(self, "classes_") else float(intercepts[0])

    def _linear(self):
        check_is_fitted(self)
        found = self._model.linear
        if found is None:
            raise AttributeError(
                "this model is not linear, or a mean of several classifiers: it has no coefficients"
            )
        return found

    @property
    def coefficients_(self) -> list[dict]:
        """The coefficients of a linear model as a table: name, index, level of a text, class, the
        coefficient per unit and the column's sd. `pandas.DataFrame` makes a table of it."""
        self._linear()
        if self._report is None:
            raise AttributeError("a loaded model has `coef_` alone")
        return json.loads(self._report)["coefficients"]["rows"]

    @property
    def norms_path_(self) -> NDArray[np.float64]:
        """The group norm of every column (row) at every λ of the path (column)."""
        return self._traced().norms

    @property
    def support_path_(self) -> NDArray[np.bool_]:
        """Whether every column (row) is selected at every λ of the path (column)."""
        return self.norms_path_ != 0

    def at(self, *, lambda_: float | None = None, n_features: int | None = None) -> Self:
        """The same estimator with another point of the path as its model.

        Give one of the two: `lambda_` takes the nearest λ of `lambdas_`, `n_features` the most
        columns that are no more than this. Of several such points the largest λ is taken.

        Returns
        -------
        A fitted copy; this estimator stays as it is. It has no `held_out_` and no report, which
        are of the chosen model; what else tells of the choice (`chosen_`, `validation_`,
        `frequencies_`, `contenders_`, `certificate_`, `status_`) still is of that one.
        """
        path = self._traced()
        if (lambda_ is None) == (n_features is None):
            raise ValueError("give one of lambda_ and n_features")
        if len(path) == 1:
            raise ValueError(
                "this fit has one λ, so there is no other point: leave out `stability` and `fdr`, "
                "and give several `lambdas`"
            )
        if lambda_ is not None:
            smallest, largest = self.lambdas_[[0, -1]]
            if not smallest <= lambda_ <= largest:
                raise ValueError(f"lambda_: {lambda_} is not between {smallest} and {largest}")
            step = int(np.argmin(np.abs(self.lambdas_ - lambda_)))
        else:
            sizes = path.sizes
            allowed = sizes[sizes <= n_features]
            if allowed.size == 0:
                raise ValueError(
                    f"n_features: the path ends with {sizes.min()} columns, no point of it has "
                    f"at most {n_features}; extend `lambdas`"
                )
            step = int(np.flatnonzero(sizes == allowed.max())[-1])
        other = copy.copy(self)
        other._model, other._report, other.held_out_ = path.model(step), None, None
        other.best_lambda_ = float(self.lambdas_[step])
        return other

    @property
    def ensemble_(self) -> Self:
        """The same estimator with all that was fitted as its model.

        Its predictions are the mean of those of the sparse models, of all repeated fits with
        columns of their own, of a ridge and of a forest, from nearly all columns. They often are
        better than those of the selected columns, not always: `price_of_sparsity_` has both on
        held-out rows.

        Returns
        -------
        A fitted copy, to predict and to save; this estimator stays as it is. It has no
        `held_out_` and no report.
        """
        check_is_fitted(self)
        if getattr(self, "_ensemble", None) is None:
            raise AttributeError(
                "this fit has no ensemble: it takes repeated fits or folds and a hidden layer, and "
                "`ensemble` not False; a loaded model has none either (load its ensemble.json)"
            )
        other = copy.copy(self)
        other._model, other._path, other._ensemble = self._ensemble, None, None
        other._report, other.held_out_ = None, None
        return other

    def recalibrated(self, how: str) -> Self:
        """The same estimator with predictions corrected by what the fit learned from its held-out
        rows.

        Parameters
        ----------
        how : "logistic", "isotonic" or "baseline"
            Classes: a slope and intercepts of the log-probabilities, or a rising function of every
            probability. Survival: a slope of the log-risk, and the baseline hazard.

        Returns
        -------
        A fitted copy, to predict, to evaluate and to save; this estimator stays as it is. It has no
        `held_out_`, which would be of the very rows it learned from, no path, ensemble or report.
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other._model, other._path = self._model.recalibrate(how), None
        other._ensemble, other._report, other.held_out_ = None, None, None
        return other

    def _traced(self):
        check_is_fitted(self)
        if self._path is None:
            raise AttributeError("a loaded model has no path: fit again to have one")
        return self._path

    def _get_support_mask(self):
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self._model.selected] = True
        return mask

    def _output(self, X):
        """What the model says of every row: a column per class, or one."""
        check_is_fitted(self)
        return self._model.predict(*features_of(self, X, self._model.selected))

    def _region(self, X, coverage):
        """Where the outcome of every row will be, with this coverage."""
        said = np.asfortranarray(self._output(X))
        try:
            return self._model.region(said, float(coverage))
        except ValueError as error:
            problem = str(error).replace("interval: ", "coverage: ", 1)
            raise ValueError(problem) from None

    def save(self, path: str | PathLike) -> None:
        """Writes the model as the `model.json` that the command line reads.

        `path` is a file, or an existing folder, which gets a `model.json`.
        """
        check_is_fitted(self)
        model_file(path).write_text(self._model.to_json(), encoding="utf-8")

    def report(self, path: str | PathLike) -> None:
        """Writes the report of the fit for a person: one HTML file that opens offline.

        The answer and whether to believe it, how well rows are predicted that the networks did
        not see, the selected columns with their effects, the path, and how it was chosen.
        """
        check_is_fitted(self)
        if self._report is None:
            raise AttributeError(
                "a report tells of a fit: a loaded model, or another point of the path, has none"
            )
        Path(path).write_text(_core.report_html(self._report), encoding="utf-8")

    def effects(self, X: ArrayLike, columns=None) -> list[dict]:
        """What the model makes of its columns over the rows of X.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows to average over; at most some hundreds are used, evenly spaced.
        columns : sequence of str or int, default=None
            Names or positions of selected columns; all of them if None.

        Returns
        -------
        list of dict
            Of every column: `feature` (its position), `at` (values of it; of a text the positions
            of its levels), `partial` (partial dependence at these) and `local` (accumulated local
            effects), each a row per class or one, and `swing`, the range of the latter.
        """
        asked = self._asked_of(X, columns)
        return _core.effects(*asked) if asked[-1] else []

    def interactions(self, X: ArrayLike, columns=None) -> list[dict]:
        """What pairs of columns do together, the strongest first.

        X and `columns` are as for `effects`. Each entry has `features`, the positions of a pair,
        `h2`, Friedman's H², and `strength`, the root of the mean square of what they do together.
        """
        asked = self._asked_of(X, columns)
        return _core.interactions(*asked) if asked[-1] else []

    def _asked_of(self, X, columns):
        """The model, rows of X as it predicts them, and the positions of some of its columns."""
        check_is_fitted(self)
        selected = self._model.selected
        wanted = selected if columns is None else positions(self, columns)
        if not np.isin(wanted, selected).all():
            missing = names(self, self.n_features_in_)[wanted[~np.isin(wanted, selected)][0]]
            raise ValueError(f"columns: the model does not select {missing!r}, so it has no effect")
        return self._model, *features_of(self, X, selected), wanted.tolist()

    def _class_type(self):
        """What the classes are, if there are any."""
        return None

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.target_tags.required = True
        return tags


def outside(table, options, n_jobs, verbose, memory=None):
    """What every run of a nested validation found."""
    run = check_memory(memory).cache(make_outer)
    count = len(_core.plan_outer(table, options))
    tasks = [delayed(run)(table, options, number) for number in range(count)]
    return spread(tasks, n_jobs, verbose, "validating")


def make_outer(table, options, number):
    """One of them, wherever it is made."""
    return _core.make_outer(aligned(table), options, number)


def columns_of(grid):
    """The points of a grid as one array per quantity; what is not known is NaN."""
    kinds = {"epochs": np.int64, "status": object}
    return {
        name: np.array([point[name] for point in grid], dtype=kinds.get(name, np.float64))
        for name in grid[0]
    }


def estimate(of):
    """A value and its standard error; NaN where there is none."""
    return [np.nan if of is None or of[name] is None else of[name] for name in ("value", "se")]


def contender(compared):
    """A model of the contest, flat."""
    loss, se = estimate(compared["loss"])
    behind = compared["behind"] or {"value": None, "se": None}
    facts = {name: compared[name] for name in ("hidden", "penalty", "size", "chosen")}
    return facts | {"loss": loss, "se": se, "behind": behind["value"], "behind_se": behind["se"]}


def held_out(found, report):
    """What is said of rows by networks that did not see them, and how good that is."""
    if found is None:
        return None
    prediction = found["prediction"]
    if prediction.shape[1] == 1:
        prediction = prediction[:, 0]
    return found | {"prediction": prediction, "kind": report["kind"], "metrics": report["metrics"]}


def seed(random_state):
    """The seed that a random state stands for."""
    if isinstance(random_state, (int, np.integer)):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state: {random_state} is not between 0 and 2**64 - 1")
        return int(random_state)
    return int(check_random_state(random_state).randint(SEEDS))


def initial(init):
    """The model to start from."""
    if isinstance(init, FrozenEstimator):
        init = init.estimator
    if init is None:
        return None
    if isinstance(init, ThreshNetBase):
        if not hasattr(init, "_model"):
            raise ValueError(
                "init: this estimator is not fitted. A copy by `clone`, as in a grid search, never "
                "is: wrap it in sklearn.frozen.FrozenEstimator"
            )
        return init._model
    if isinstance(init, (str, PathLike)):
        return read(init)
    raise ValueError(f"init: {init!r} is neither a fitted estimator nor a path")


def threads(n_jobs):
    """So many as joblib would make jobs, but no more than this machine has cores: a cluster's
    workers are for runs, not for a fit."""
    return min(effective_n_jobs(n_jobs), cpu_count())


def model_file(path):
    """The `model.json` of a folder, or the file itself."""
    path = Path(path)
    return path / "model.json" if path.is_dir() else path


def read(path):
    """The engine's model from a file, or from the folder of a fit."""
    file = model_file(path)
    try:
        return _core.Model.from_json(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
