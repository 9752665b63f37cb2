"""What users give, as what the engine takes: Fortran-ordered floats, named columns."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

# Of these the engine reads both; anything else becomes the first.
DTYPES = (np.float64, np.float32)


def columns(estimator, X, *, reset):
    """X as a matrix whose columns are contiguous. 32-bit floats in Fortran order stay where
    they are."""
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csc",
        dtype=DTYPES,
        order="F",
        ensure_all_finite=False,
        ensure_min_samples=2 if reset else 1,
    )
    if sparse.issparse(X):
        X = X.toarray(order="F")
    refuse_missing(X, names(estimator))
    return X


def names(estimator):
    """The names of the columns, as scikit-learn would make them up where there are none."""
    given = getattr(estimator, "feature_names_in_", None)
    if given is not None:
        return [str(name) for name in given]
    return [f"x{number}" for number in range(estimator.n_features_in_)]


def refuse_missing(X, names):
    """Refuses what is not a number, by its column and row."""
    finite = np.isfinite(X)
    if finite.all():
        return
    column = int(np.argmin(finite.all(axis=0)))
    row = int(np.argmin(finite[:, column]))
    what = "NaN" if np.isnan(X[row, column]) else "infinity"
    raise ValueError(
        f"Input X contains {what} in column {names[column]!r}, row {row}: impute missing values "
        "or drop the rows first, for example with sklearn.impute.SimpleImputer."
    )
