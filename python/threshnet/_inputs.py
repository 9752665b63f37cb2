"""What users give, as what the engine takes: Fortran-ordered floats, named columns."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

# Of these the engine reads both; anything else becomes the first.
DTYPES = (np.float64, np.float32)


def columns(estimator, X):
    """X of a fit as a matrix whose columns are contiguous. 32-bit floats in Fortran order stay
    where they are."""
    X = checked(estimator, X, reset=True, order="F", ensure_min_samples=2)
    return X.toarray(order="F") if sparse.issparse(X) else X


def columns_of(estimator, X, selected):
    """The same of these columns alone, of new rows."""
    X = checked(estimator, X, reset=False)[:, selected]
    return X.toarray(order="F") if sparse.issparse(X) else np.asfortranarray(X)


def checked(estimator, X, *, reset, **wanted):
    """X as scikit-learn checks it; what is refused is named."""
    try:
        X = validate_data(
            estimator,
            given := X,
            reset=reset,
            accept_sparse="csc",
            dtype=DTYPES,
            ensure_all_finite=False,
            **wanted,
        )
    except (TypeError, ValueError) as error:
        if "convert" in str(error) or "promot" in str(error):
            refuse_text(estimator, given)
        raise
    refuse_missing(X, names(estimator, X.shape[1]))
    return X


def same_length(rows, y):
    """Refuses an outcome with other rows than X."""
    if len(y) != rows:
        raise ValueError(f"X has {rows} rows, y has {len(y)}")


def given_outcome(estimator, y):
    """Refuses an outcome that was not given, in scikit-learn's words."""
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None")


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
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"column {name!r}: {error}; encode it as numbers or leave it out, for example "
                "with sklearn.compose.ColumnTransformer."
            ) from None


def refuse_missing(X, names):
    """Refuses what is not a number, by its column and row."""
    values = X.data if sparse.issparse(X) else X
    # (a sum is finite unless something is not, or it is too large: then everything is looked at)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()) or np.isfinite(values).all():
            return
    if sparse.issparse(X):
        X = X.toarray()
    finite = np.isfinite(X)
    column = int(np.argmin(finite.all(axis=0)))
    row = int(np.argmin(finite[:, column]))
    what = "NaN" if np.isnan(X[row, column]) else "infinity"
    raise ValueError(
        f"Input X contains {what} in column {names[column]!r}, row {row}: impute missing values "
        "or drop the rows first, for example with sklearn.impute.SimpleImputer."
    )
