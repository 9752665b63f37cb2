"""What the estimators share: settings, the fit, the path, the selection."""

from __future__ import annotations

import copy
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from joblib import cpu_count, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._control import select
from ._inputs import features, features_of, names, same_length
from ._parameters import SETTINGS
from ._progress import progress

if TYPE_CHECKING:
    from typing_extensions import Self

# Seeds are whole numbers below this.
SEEDS = 2**31


class ThreshNetBase(SelectorMixin, BaseEstimator):
    """A sparse-input network; what it predicts is up to its subclasses."""

    def fit(self, X: ArrayLike, y) -> Self:
        """Selects columns and fits a network on them.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, texts and categories, none missing. A text is one feature of several levels,
            selected or left out as a whole; a column of text whose cells are all numbers is one
            of numbers, as in a file. 32-bit floats in Fortran order are not copied.
        y : array-like
            The outcome.

        Returns
        -------
        self
        """
        # What fails or is stopped from here on leaves no model of other data behind.
        vars(self).pop("_model", None)
        options = self._options()
        table = self._table(X, y)
        chosen = None
        if self.stability is not None or self.fdr is not None:
            chosen = select(table, options, self.n_jobs, self.verbose)
        with progress(self.verbose) as bar:
            found = _core.fit(
                table,
                options,
                columns=None if chosen is None else chosen["selected"].tolist(),
                jobs=threads(self.n_jobs),
                progress=bar,
            )
        return self._keep(found, chosen)

    def _table(self, X, y):
        """The data as the engine takes them; sets what is known of them."""
        x, strings = features(self, X)
        response = self._response(y)
        same_length(len(x), next(iter(response.values())))
        known = names(self, self.n_features_in_)
        return {"x": x, "strings": strings, "names": known, "y": response}

    def _options(self):
        """The settings as the engine takes them."""
        settings = {entry["name"] for entry in SETTINGS}
        given = {name: value for name, value in vars(self).items() if name in settings}
        return given | {"init": initial(self.init), "seed": seed(self.random_state)}

    def _keep(self, found, chosen=None):
        """Takes over what the engine found."""
        self._model, self._path = found["model"], found["path"]
        self.best_lambda_, self.best_ridge_ = found["lambda"], found["ridge"]
        self.path_, self.chosen_ = found["cells"], found["chosen"]
        self.lambdas_ = found["path_lambdas"]
        self.ridges_ = np.unique(self.path_["ridge"])
        self.validation_ = found["validation"]
        self.certificate_ = found["certificate"]
        self.status_ = found["status"]
        self.contenders_ = found["contenders"]
        self.training_rows_ = found["rows"]
        self.selection_ = chosen
        source = found if chosen is None else chosen
        self.frequencies_ = source.get("frequencies")
        # (knockoffs have another kind of threshold)
        self.threshold_ = None if self.frequencies_ is None else source["threshold"]
        self.n_iter_ = max(1, found["epochs"])
        return self

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
        A fitted copy; this estimator stays as it is. What tells of the choice (`chosen_`,
        `validation_`, `frequencies_`, `certificate_`) is still that of the chosen model.
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
        other._model = path.model(step)
        other.best_lambda_ = float(self.lambdas_[step])
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

    def save(self, path: str | PathLike) -> None:
        """Writes the model as the `model.json` that the command line reads.

        `path` is a file, or an existing folder, which gets a `model.json`.
        """
        check_is_fitted(self)
        text = self._model.to_json(self._outcome_names, self._class_type())
        model_file(path).write_text(text, encoding="utf-8")

    def _class_type(self):
        """What the classes are, if there are any."""
        return None

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


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
