"""What users give, as what the engine takes: Fortran-ordered floats, named columns."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

# Of these the engine reads both; anything else becomes the first.
DTYPES = (np.float64, np.float32)


def columns(estimator, X, *, reset):
    """X as a matrix whose columns are contiguous. 32-bit floats in Fortran order stay where
    they are."""
    given = X
    try:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csc",
            dtype=DTYPES,
            order="F" if reset else None,
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
        )
    except ValueError as error:
        if "could not convert" in str(error):
            refuse_text(estimator, given)
        raise
    if sparse.issparse(X):
        X = X.toarray(order="F")
    refuse_missing(X, names(estimator, X.shape[1]))
    return X


def names(estimator, count):
    """The names of so many columns, as scikit-learn would make them up where there are none."""
    given = getattr(estimator, "feature_names_in_", None)
    if given is not None:
        return [str(name) for name in given]
    return [f"x{number}" for number in range(count)]


def refuse_text(estimator, X):
    """Refuses what cannot be read as numbers, by its column."""
    X = np.asarray(X, dtype=object)
    if X.ndim != 2:
        return
    for name, column in zip(names(estimator, X.shape[1]), X.T, strict=False):
        try:
            column.astype(np.float64)
        except ValueError as error:
            raise ValueError(
                f"column {name!r}: {error}; encode it as numbers or leave it out, for example "
                "with sklearn.compose.ColumnTransformer."
            ) from None


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
