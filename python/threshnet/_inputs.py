"""What users give, as what the engine takes: floats column by column and strings, named columns."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import _check_sample_weight, validate_data

from ._strings import strings, table

# Of these the engine reads both; anything else becomes the first.
DTYPES = (np.float64, np.float32)


class Features(NamedTuple):
    """Features of some rows: a matrix, and those that hold text by their number among all."""

    x: Any
    strings: dict[int, dict[str, Any]]

    def of(self, wanted):
        """These features alone, which are ascending; the columns of the matrix contiguous."""
        if not self.strings:
            return Features(by_column(self.x[:, wanted]), {})
        places = self.places()
        found = {at: self.strings[j] for at, j in enumerate(wanted) if j in self.strings}
        numbers = [places[j] for j in wanted if j not in self.strings]
        return Features(by_column(self.x[:, numbers]), found)

    def places(self):
        """Where in the matrix the features are that hold no text."""
        count = self.x.shape[1] + len(self.strings)
        numbers = (j for j in range(count) if j not in self.strings)
        return {j: place for place, j in enumerate(numbers)}

    def numbers(self, feature):
        """The values of a feature that is a number."""
        if feature not in self.strings:
            column = self.x[:, [self.places()[feature]]]
            return (column.toarray() if sparse.issparse(column) else column)[:, 0]
        column = self.strings[feature]
        return np.array(column["levels"], dtype=np.float64)[column["codes"]]


def features(estimator, X):
    """X of a fit, in a matrix whose columns are contiguous. 32-bit floats in Fortran order stay
    where they are, and so do 64-bit floats in csc."""
    found = checked(estimator, X, reset=True, order="F", ensure_min_samples=2)
    return Features(by_column(found.x), found.strings)


def features_of(estimator, X, selected):
    """The same of these features alone, of new rows."""
    return checked(estimator, X, reset=False).of(selected)


def by_column(x):
    """A matrix whose columns are contiguous; of a sparse one they already are."""
    return x if sparse.issparse(x) else np.asfortranarray(x)


def valid(X):
    """A sparse matrix whose indices are those of its cells: scipy trusts them blindly."""
    if hasattr(X, "check_format"):
        try:
            X.check_format(full_check=True)
        except ValueError as error:
            raise ValueError(f"X is no valid sparse matrix: {error}") from None
    return X


def canonical(x):
    """A csc matrix of 64-bit floats, every cell stored once and in the order of rows."""
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    return x.astype(np.float64, copy=False)


def checked(estimator, X, *, reset, **wanted):
    """X as scikit-learn checks it; what is refused is named."""
    X = without_lists(X)
    # (cells of a sparse matrix that are stored twice are added up in its own type)
    dtype = None if sparse.issparse(X) else DTYPES
    gaps = estimator.missing != "error" if reset else estimator._model.imputes
    wanted |= {"accept_sparse": "csc", "dtype": dtype, "ensure_all_finite": False}
    columns = table(X)
    texts = columns.with_text() if columns is not None else []
    if not texts:
        convert = partial(validate_data, estimator, reset=reset, **wanted)
        return Features(numbers(convert, X, estimator, gaps), {})
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    known = names(estimator, X.shape[1])
    found = {j: strings(columns.cells(j), known[j], gaps) for j in texts}
    others = [j for j in range(X.shape[1]) if j not in found]
    if not others:
        return Features(np.empty((X.shape[0], 0), order="F"), found)
    convert = partial(check_array, estimator=estimator, input_name="X", **wanted)
    return Features(
        numbers(convert, columns.subset(others), estimator, gaps, [known[j] for j in others]), found
    )


def without_lists(X):
    """Rows in lists as an array in which numbers stay numbers and text stays text."""
    if not isinstance(X, (list, tuple)):
        return X
    try:
        found = np.asarray(X)
    except ValueError:
        return X
    return np.asarray(X, dtype=object) if found.dtype.kind in "OU" else found


def numbers(convert, X, estimator, gaps, known=None):
    """Columns as floats, NaN where there may be gaps; what is no number is refused by its name."""
    try:
        x = convert(valid(X))
    except (TypeError, ValueError) as error:
        if any(word in str(error) for word in ("convert", "promot", "argument must be")):
            refuse_others(estimator, X, known)
        raise
    if sparse.issparse(x):
        x = canonical(x)
    refuse_missing(x, known or names(estimator, x.shape[1]), gaps)
    return x


def same_length(rows, y):
    """Refuses an outcome with other rows than X."""
    if len(y) != rows:
        raise ValueError(f"X has {rows} rows, y has {len(y)}")


def weights(sample_weight, x):
    """What each row of x counts, as scikit-learn takes it; None if each counts once."""
    if sample_weight is None:
        return None
    return _check_sample_weight(sample_weight, x, dtype=np.float64, ensure_non_negative=True)


def folds(given, rows):
    """The fold of each of so many rows, 1, 2, … in the order of their names; None if none are."""
    numbers = by_name("folds", given, rows)
    return None if numbers is None else (numbers + 1).tolist()


def clusters(given, rows):
    """The number of the cluster of each of so many rows; None if rows are independent."""
    numbers = by_name("fold_by", given, rows)
    return None if numbers is None else numbers.tolist()


def by_name(parameter, given, rows):
    """What each of so many rows belongs to, in the order of names; None if nothing is given."""
    if given is None:
        return None
    given = column_or_1d(given)
    if len(given) != rows:
        raise ValueError(f"X has {rows} rows, {parameter} has {len(given)}")
    names, numbers = np.unique(given, return_inverse=True)
    if len(names) < 2:
        raise ValueError(f"{parameter}: all rows are in one; there must be two or more")
    return numbers


def given_outcome(estimator, y):
    """Refuses an outcome that was not given, in scikit-learn's words."""
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None")


def refuse_durations(values, name):
    """Refuses durations, whose unit as numbers nobody would know."""
    kind = getattr(values, "dtype", None)
    if "timedelta" in str(kind) or "duration" in str(kind).lower():
        raise ValueError(
            f"{name} holds durations ({kind}): divide them by the unit that you want, such as "
            'numpy.timedelta64(1, "D") for days'
        )


def names(estimator, count):
    """The names of so many columns, as scikit-learn would make them up where there are none."""
    given = getattr(estimator, "feature_names_in_", None)
    if given is not None:
        return [str(name) for name in given]
    return [f"x{number}" for number in range(count)]


def positions(estimator, columns):
    """The positions of columns that are given by name or position, one or several."""
    known = names(estimator, estimator.n_features_in_)
    place = {name: position for position, name in enumerate(known)}
    found = []
    for column in [columns] if np.ndim(columns) == 0 else columns:
        position = place.get(column) if isinstance(column, str) else column
        whole = isinstance(position, (int, np.integer)) and not isinstance(position, bool)
        if not whole or not 0 <= position < len(known):
            raise ValueError(
                f"there is no column {column!r}: give names of feature_names_in_, or positions "
                f"from 0 to {len(known) - 1}"
            )
        found.append(position)
    return np.array(found, dtype=np.intp)


def refuse_others(estimator, X, known):
    """Refuses what is neither a number nor text, by its column."""
    X = np.asarray(X, dtype=object)
    if X.ndim != 2:
        return
    for name, column in zip(known or names(estimator, X.shape[1]), X.T, strict=False):
        try:
            column.astype(np.float64)
        except (TypeError, ValueError) as error:
            problem = f"column {name!r}: {error}; make it numbers or text, or leave it out"
            raise type(error)(problem) from None


def refuse_missing(x, names, gaps):
    """Refuses what is not a number, or only what is infinite, by its column and row."""
    values = x.data if sparse.issparse(x) else x
    if gaps:
        if not np.isinf(values).any():
            return
        x = x.copy()
        values = x.data if sparse.issparse(x) else x
        values[np.isnan(values)] = 0.0
    # (a sum is finite unless something is not, or it is too large: then everything is looked at)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()) or np.isfinite(values).all():
            return
    row, column = first_not_finite(x)
    what = "NaN" if np.isnan(x[row, column]) else "infinity"
    raise ValueError(
        f"Input X contains {what} in column {names[column]!r}, row {row}: missing values are "
        'imputed with missing="impute", and their rows left out with missing="drop".'
    )


def first_not_finite(x):
    """The row and the column of the first cell that is not a number, column by column."""
    if sparse.issparse(x):
        cell = int(np.argmin(np.isfinite(x.data)))
        return int(x.indices[cell]), int(np.searchsorted(x.indptr, cell, side="right")) - 1
    finite = np.isfinite(x)
    column = int(np.argmin(finite.all(axis=0)))
    return int(np.argmin(finite[:, column])), column
