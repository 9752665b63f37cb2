"""The command line reads the sparse matrices that scipy writes, as the package takes them."""

import gzip
import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy import io, sparse
from test_command_line import SHORT, needs_binary, table, threshnet_says

import threshnet

pytestmark = needs_binary


def save_npz(file, X, form, compressed=True):
    sparse.save_npz(file, X.asformat(form), compressed=compressed)
    return file


def write_mtx(file, X, **how):
    io.mmwrite(file, X, **how)
    return file


def write_gzipped(file, X):
    with gzip.open(file, "wb") as stream:
        io.mmwrite(stream, X)
    return file


FILES = {
    "csc": lambda folder, X: save_npz(folder / "x.npz", X, "csc"),
    "csr, not compressed": lambda folder, X: save_npz(folder / "x.npz", X, "csr", compressed=False),
    "coo": lambda folder, X: save_npz(folder / "x.npz", X, "coo"),
    "matrix market": lambda folder, X: write_mtx(folder / "x.mtx", X.tocsr()),
    "gzipped": lambda folder, X: write_gzipped(folder / "x.mtx.gz", X),
}


@pytest.fixture(scope="module")
def counts():
    """Counts of which one in ten is not zero, and an outcome of two columns of them."""
    rng = np.random.default_rng(3)
    X = rng.integers(1, 6, (150, 25)) * (rng.random((150, 25)) < 0.1)
    return sparse.csc_array(X), X[:, 0] - 0.8 * X[:, 1] + 0.1 * rng.normal(size=150)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, bool])
def test_both_fit_the_same_model(file, dtype, counts, tmp_path):
    X, y = counts[0].astype(dtype), counts[1]
    path = FILES[file](tmp_path, X)
    np.save(tmp_path / "y.npy", y)
    settings = SHORT | {"validation": "holdout:0.2"}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
    fit = ["fit", path, "--outcome", tmp_path / "y.npy", "--seed", 3, "--out", tmp_path / "fit"]
    threshnet_says(*fit, "--quiet", *flags)
    found = json.loads((tmp_path / "fit" / "model.json").read_text())
    model = threshnet.ThreshNetRegressor(**settings, random_state=3).fit(X, y)
    expected = json.loads(model._model.to_json())
    assert found["networks"] == expected["networks"]
    assert found["standardisation"] == expected["standardisation"]
    theirs = table(threshnet_says("predict", tmp_path / "fit", path))["prediction"]
    np.testing.assert_allclose(theirs, model.predict(X), rtol=1e-14)


SQUARES = {
    "general": [[0, 2.5, 0], [1, 0, 0], [0, -3, 4]],
    "symmetric": [[1, 2, 0], [2, 0, 3], [0, 3, 5]],
    "skew-symmetric": [[0, 2, -1], [-2, 0, 3], [1, -3, 0]],
}


# (only places have no values, and these no sign)
KINDS = [
    (sparse.coo_array, "pattern", "general"),
    (sparse.coo_array, "pattern", "symmetric"),
    *itertools.product((sparse.coo_array, np.asarray), ("real", "integer"), SQUARES),
]


@pytest.mark.parametrize(("kind", "field", "symmetry"), KINDS)
def test_every_kind_of_matrix_market_is_what_scipy_reads(kind, field, symmetry, tmp_path):
    square = np.array(SQUARES[symmetry])
    square = np.trunc(square) if field == "integer" else square
    write_mtx(tmp_path / "x.mtx", kind(square), field=field, symmetry=symmetry)
    expected = io.mmread(tmp_path / "x.mtx")
    expected = expected.toarray() if sparse.issparse(expected) else expected
    # A model that says what is in a column.
    for column in range(3):
        model = threshnet.ThreshNetRegressor(
            protocol="paper", hidden=(), lambdas=[1e-6], ridges=[1e-6], validation="none"
        ).fit(echo(column), echo(column)[f"x{column + 1}"])
        model.save(tmp_path / "model.json")
        said = table(threshnet_says("predict", tmp_path / "model.json", tmp_path / "x.mtx"))
        given = pd.DataFrame(expected, columns=["x1", "x2", "x3"])
        np.testing.assert_allclose(said["prediction"], model.predict(given), rtol=1e-14)


def echo(column):
    """Rows of which one column varies."""
    values = np.zeros((20, 3))
    values[:, column] = np.linspace(-5, 5, 20)
    return pd.DataFrame(values, columns=["x1", "x2", "x3"])
