"""What can be given as X, and what cannot."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import quick
from scipy import sparse

from threshnet import _inputs

NAMES = ["age", "dose", "weight", "height", "pulse", "site"]


def model_of(X, y):
    return quick().fit(X, y)._model.to_json()


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def mapped(X):
    stored = np.memmap(mapped.folder / "x.bin", dtype=X.dtype, mode="w+", shape=X.shape)
    stored[:] = X
    return np.memmap(mapped.folder / "x.bin", dtype=X.dtype, mode="r", shape=X.shape)


def strided(X):
    """A view of every other row and column, backwards."""
    wide = np.zeros((2 * X.shape[0], 2 * X.shape[1]), dtype=X.dtype)
    wide[::-2, ::-2] = X
    return wide[::-2, ::-2]


LAYOUTS = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "strided": strided,
    "read-only": read_only,
    "memmap": mapped,
    "list": np.ndarray.tolist,
}

# (their fits differ in the last digits, see test_sparse.py)
SPARSE = {
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "csr matrix": sparse.csr_matrix,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, np.uint16])
def test_the_same_numbers_give_the_same_model(layout, dtype, data, tmp_path):
    mapped.folder = tmp_path
    numbers = np.round(np.abs(data.X) * 20)
    assert model_of(LAYOUTS[layout](numbers.astype(dtype)), data.y) == model_of(numbers, data.y)


@pytest.mark.parametrize("layout", [*LAYOUTS, *SPARSE])
def test_the_same_numbers_give_the_same_predictions(layout, data, tmp_path):
    mapped.folder = tmp_path
    model = quick().fit(data.X, data.y)
    X = (LAYOUTS | SPARSE)[layout](data.X)
    np.testing.assert_array_equal(model.predict(X), model.predict(data.X))


TABLES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "pandas, 32 bit": lambda X: pd.DataFrame(X.astype(np.float32), columns=NAMES),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "pyarrow": lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_keep_the_names_of_their_columns(kind, data):
    X = TABLES[kind](data.X.astype(np.float32).astype(np.float64))
    model = quick().fit(X, data.y)
    assert list(model.feature_names_in_) == NAMES
    assert model._model.features == NAMES
    assert set(model.get_feature_names_out()) <= set(NAMES)


@pytest.mark.parametrize("kind", TABLES)
def test_tables_give_the_model_of_their_numbers(kind, data):
    X = data.X.astype(np.float32).astype(np.float64)
    reference = quick().fit(TABLES["pandas"](X), data.y)
    model = quick().fit(TABLES[kind](X), data.y)
    assert model._model.to_json() == reference._model.to_json()
    np.testing.assert_array_equal(
        model.predict(TABLES[kind](X)), reference.predict(TABLES["pandas"](X))
    )


def test_mixed_kinds_of_columns_give_the_model_of_their_numbers(data):
    frame = pd.DataFrame(np.round(data.X * 10), columns=NAMES)
    mixed = frame.astype({"age": np.int64, "dose": np.float32, "weight": np.int8})
    mixed["site"] = mixed["site"] > 0
    frame["site"] = (frame["site"] > 0).astype(float)
    assert model_of(mixed, data.y) == model_of(frame, data.y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_in_fortran_order_stay_where_they_are(dtype, data):
    X = np.asfortranarray(data.X, dtype=dtype)
    assert np.shares_memory(_inputs.features(quick(), X).x, X)


def test_a_fit_of_32_bit_fortran_floats_allocates_less_than_a_copy():
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(200, 5000)), dtype=np.float32)
    assert peak(X) < X.nbytes / 2
    assert peak(X.astype(np.float64, order="C")) > X.nbytes


def peak(X):
    """The most that Python and NumPy held at once during a fit, in bytes."""
    model = quick(lambdas=[0.2, 0.3], ridges=[0.01], first_epochs=1, epochs=1)
    tracemalloc.start()
    try:
        model.fit(X, X[:, 0])
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf")])
@pytest.mark.parametrize("where", ["fit", "predict"])
@pytest.mark.parametrize("kind", [*TABLES, "numpy"])
def test_missing_and_infinite_numbers_are_refused_by_column_and_row(value, word, where, kind, data):
    table = TABLES.get(kind, np.asarray)
    bad = data.X.copy()
    bad[7, 2] = value
    model = quick().fit(table(data.X), data.y)
    with pytest.raises(ValueError, match=word) as refused:
        _ = model.fit(table(bad), data.y) if where == "fit" else model.predict(table(bad))
    name = "x2" if kind == "numpy" else "weight"
    assert f"column '{name}', row 7" in str(refused.value)


def test_text_in_an_array_is_refused_by_its_column(data):
    X = data.X.astype(object)
    X[3, 4] = "oops"
    with pytest.raises(ValueError, match="'x4'.*oops"):
        quick().fit(X, data.y)


def test_another_number_of_columns_is_refused(data):
    model = quick().fit(data.X, data.y)
    with pytest.raises(ValueError, match="4 features.*expecting 6"):
        model.predict(data.X[:, :4])


def test_another_number_of_named_columns_is_refused(data):
    X = pd.DataFrame(data.X, columns=NAMES)
    model = quick().fit(X, data.y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.drop(columns="site"))


def test_other_names_of_columns_are_refused(data):
    X = pd.DataFrame(data.X, columns=NAMES)
    model = quick().fit(X, data.y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"age": "years"}))


def test_another_number_of_rows_than_of_outcomes_is_refused(data, task, outcome):
    with pytest.raises(ValueError, match="X has 120 rows, y has 119"):
        quick(task).fit(data.X, outcome[1:])


def test_missing_outcomes_are_refused(data):
    y = data.y.copy()
    y[3] = np.nan
    with pytest.raises(ValueError, match="y contains NaN"):
        quick().fit(data.X, y)
