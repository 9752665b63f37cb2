"""Sparse matrices: the same answers as their dense form, which is never made."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from conftest import ESTIMATORS, quick
from scipy import sparse
from sklearn.base import clone

import threshnet
from threshnet import _inputs

# A linear fit with one solution, which does not depend on rounding.
LINEAR = {
    "hidden": (),
    "solver": "proximal",
    "tolerance": 1e-9,
    "lambdas": [0.02],
    "ridges": [0.02],
    "validation": "none",
    "first_epochs": 20_000,
    "random_state": 0,
}

FORMATS = ["csc", "csr", "coo", "lil", "dok", "bsr"]


@pytest.fixture(scope="module")
def counts():
    """Counts of which one in ten is not zero, two columns of them matter, and outcomes."""
    rng = np.random.default_rng(7)
    X = rng.integers(1, 6, (250, 40)) * (rng.random((250, 40)) < 0.1)
    X[:, 9] = 0
    signal = X[:, 0] - 0.8 * X[:, 1]
    noisy = signal + 0.3 * rng.normal(size=250)
    return SimpleNamespace(
        X=sparse.csc_array(X.astype(float)),
        dense=X.astype(float),
        regression=noisy,
        classification=(noisy > 0.1).astype(int),
        survival=threshnet.survival(rng.exponential(np.exp(-2 * signal)), rng.random(250) < 0.9),
    )


@pytest.fixture
def never_dense(monkeypatch):
    """Refuses to make any matrix dense."""

    def refuse(*_, **__):
        raise AssertionError("a sparse matrix was made dense")

    for of in (sparse.csc_array, sparse.csr_array, sparse.coo_array, sparse.csc_matrix):
        for method in ("toarray", "todense"):
            monkeypatch.setattr(of, method, refuse)


def model_of(X, y, **settings):
    return quick(**settings).fit(X, y)._model.to_json()


def weights(model):
    """The numbers of the selected columns, and the weights from each."""
    selected = model.get_support(indices=True)
    return selected, model.norms_[selected]


def test_a_linear_fit_is_that_of_the_dense_matrix(counts, task):
    y = getattr(counts, task)
    one, other = (ESTIMATORS[task](**LINEAR).fit(X, y) for X in (counts.X, counts.dense))
    np.testing.assert_array_equal(weights(one)[0], weights(other)[0])
    assert set(weights(one)[0]) >= {0, 1}
    np.testing.assert_allclose(weights(one)[1], weights(other)[1], atol=1e-5)
    np.testing.assert_allclose(one.predict(counts.X), other.predict(counts.dense), atol=1e-4)
    assert one.score(counts.X, y) == pytest.approx(other.score(counts.dense, y), abs=1e-4)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8])
def test_every_format_and_type_gives_the_same_bits(form, kind, dtype, counts):
    X = getattr(sparse, f"csc_{kind}")(counts.X.astype(dtype)).asformat(form)
    assert model_of(X, counts.regression) == model_of(counts.X, counts.regression)
    model = quick().fit(counts.X, counts.regression)
    np.testing.assert_array_equal(model.predict(X), model.predict(counts.dense))


def test_true_is_1_however_often_it_is_stored(counts):
    yes = sparse.csc_array(counts.dense > 0)
    twice = sparse.csc_array(
        (np.repeat(yes.data, 2), np.repeat(yes.indices, 2), 2 * yes.indptr), shape=yes.shape
    )
    expected = model_of(yes.astype(float), counts.regression)
    assert model_of(yes, counts.regression) == expected
    assert model_of(twice, counts.regression) == expected


def in_long_indices(X):
    X = X.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def backwards(X):
    """The cells of every column from the last row to the first."""
    order = np.concatenate([np.arange(b, a, -1) - 1 for a, b in pairwise(X.indptr)])
    return sparse.csc_array((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def in_halves(X):
    """Every cell twice, with half its value."""
    halves = np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr
    return sparse.csc_array(halves, shape=X.shape)


def with_zeros(X):
    """A column without a cell has its zeros stored, too."""
    rows = np.arange(X.shape[0])
    zeros = sparse.coo_array((np.zeros(len(rows)), (rows, np.full(len(rows), 9))), shape=X.shape)
    parts = X.tocoo(), zeros
    return sparse.coo_array(
        (
            np.concatenate([part.data for part in parts]),
            tuple(np.concatenate([part.coords[axis] for part in parts]) for axis in (0, 1)),
        ),
        shape=X.shape,
    )


def read_only(X):
    X = X.copy()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


LAYOUTS = [in_long_indices, backwards, in_halves, with_zeros, read_only]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_bits_and_stays_as_it_is(layout, counts):
    X = layout(counts.X)
    before = [getattr(X, name).copy() for name in ("data", "indices", "indptr") if hasattr(X, name)]
    assert model_of(X, counts.regression) == model_of(counts.X, counts.regression)
    after = [getattr(X, name) for name in ("data", "indices", "indptr") if hasattr(X, name)]
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


def test_64_bit_floats_in_csc_stay_where_they_are(counts):
    found = _inputs.features(quick(), counts.X).x
    for name in ("data", "indices", "indptr"):
        assert np.shares_memory(getattr(found, name), getattr(counts.X, name))


def test_nothing_is_made_dense(counts, task, never_dense):
    X, y = counts.X, getattr(counts, task)
    several = {"lambdas": [0.05, 0.1], "validation": "holdout:0.25"}
    model = ESTIMATORS[task](**LINEAR | several).fit(X, y)
    assert model.predict(X).shape == y.shape
    assert model.score(X, y) > 0.5
    assert model.at(lambda_=0.05).predict(X).shape == y.shape
    assert model.effects(X) and model.interactions(X) is not None
    path = threshnet.threshnet_path(X, y, task=task, lambdas=[0.05, 0.2], random_state=0)
    assert path.norms.shape == (40, 2)


@pytest.mark.parametrize(
    "settings",
    [{"screen": 10}, {"batch_size": 64}, {"stability": 5, "n_jobs": 2}, {"fdr": 0.5, "n_jobs": 2}],
    ids=str,
)
def test_screens_batches_and_control_take_them(settings, counts, never_dense):
    one = quick(**settings).fit(counts.X, counts.regression)
    other = quick(**settings).fit(counts.dense, counts.regression)
    assert {0, 1} <= set(one.get_support(indices=True))
    assert {0, 1} <= set(other.get_support(indices=True))
    again = quick(**settings | {"n_jobs": 1}).fit(counts.X, counts.regression)
    assert again._model.to_json() == one._model.to_json()


def test_weights_go_with_them(counts):
    rows = np.repeat(np.arange(250), np.arange(250) % 3)
    linear = threshnet.ThreshNetRegressor(**LINEAR)
    often = clone(linear).fit(counts.X[rows], counts.regression[rows])
    weighted = clone(linear).fit(counts.X, counts.regression, np.arange(250) % 3)
    np.testing.assert_array_equal(weights(often)[0], weights(weighted)[0])
    np.testing.assert_allclose(weights(often)[1], weights(weighted)[1], atol=1e-5)


def test_effects_have_the_values_of_the_rows(counts):
    from threshnet import plots

    model = quick().fit(counts.X, counts.regression)
    axes = plots.plot_effects(model, counts.X, columns=[0])
    assert axes is not None
    rows = _inputs.features_of(model, counts.X, model.get_support(indices=True))
    np.testing.assert_array_equal(rows.numbers(0), counts.dense[:, 0])


WIDE = """
import resource
import numpy as np
from conftest import quick
from scipy import sparse
rng = np.random.default_rng(0)
rows, columns, cells = 2000, 200_000, 400_000
of = rng.integers(0, rows, cells), rng.integers(0, columns, cells)
X = sparse.coo_array((rng.random(cells), of), shape=(rows, columns)).tocsc()
y = 5 * X[:, [3]].toarray()[:, 0] + rng.normal(size=rows)
model = quick(lambdas=[0.2, 0.3], ridges=[0.01], first_epochs=1, epochs=1).fit(X, y)
model.predict(X)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_grows_with_the_stored_cells():
    """A dense matrix would have 3.2 GB, in single precision 1.6 GB."""
    command = [sys.executable, "-c", WIDE]
    run = subprocess.run(command, check=True, cwd=Path(__file__).parent, capture_output=True)
    # (KB on Linux, bytes on a Mac)
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(run.stdout) * unit < 1_000_000_000


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf")])
@pytest.mark.parametrize("form", FORMATS)
def test_missing_and_infinite_numbers_are_refused_by_column_and_row(value, word, form, counts):
    bad = counts.X.tolil()
    bad[7, 2] = bad[3, 5] = value
    bad = bad.asformat(form)
    model = quick().fit(counts.X, counts.regression)
    with pytest.raises(ValueError, match=f"{word}.*column 'x2', row 7"):
        model.predict(bad)
    with pytest.raises(ValueError, match=f"{word}.*column 'x2', row 7"):
        model.fit(bad, counts.regression)


def broken(name, at, value):
    def change(X):
        X = X.copy()
        getattr(X, name)[at] = value
        return X

    return change


BROKEN = {
    "a negative row": broken("indices", 3, -1),
    "a row beyond the last": broken("indices", 3, 250),
    "a column that ends before it begins": broken("indptr", 2, 10_000),
}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("form", ["csc", "csr"])
def test_indices_of_no_cell_are_refused(what, form, counts):
    X = BROKEN[what](counts.X.asformat(form))
    with pytest.raises(ValueError, match="X is no valid sparse matrix"):
        quick().fit(X, counts.regression)


def test_cells_that_are_falsely_called_canonical_are_refused(counts):
    X = backwards(counts.X)
    X.has_canonical_format = True
    with pytest.raises(ValueError, match="sort them and add up those that occur twice"):
        quick().fit(X, counts.regression)


def test_columns_without_a_cell_are_never_selected(counts):
    model = quick(lambdas=[0.001], ridges=[0.01]).fit(counts.X, counts.regression)
    assert model.norms_[9] == 0
    empty = sparse.csc_array((250, 3))
    with pytest.raises(ValueError, match="every feature column is constant"):
        quick().fit(empty, counts.regression)


def test_another_shape_is_refused(counts):
    model = quick().fit(counts.X, counts.regression)
    with pytest.raises(ValueError, match="7 features.*expecting 40"):
        model.predict(counts.X[:, :7])
    with pytest.raises(ValueError, match="X has 250 rows, y has 249"):
        quick().fit(counts.X, counts.regression[1:])
    with pytest.raises(ValueError, match="2D"):
        quick().fit(sparse.coo_array(counts.regression), counts.regression)


def test_sparse_columns_of_a_frame_stay_sparse(counts, never_dense):
    names = [f"gene {j}" for j in range(40)]
    frame = pd.DataFrame.sparse.from_spmatrix(counts.X, columns=names)
    model = quick().fit(frame, counts.regression)
    assert list(model.feature_names_in_) == names
    assert model.predict(frame).shape == (250,)
    np.testing.assert_array_equal(model.norms_, quick().fit(counts.X, counts.regression).norms_)


def test_frames_with_some_sparse_columns_are_taken(counts):
    names = [f"gene {j}" for j in range(40)]
    frame = pd.DataFrame.sparse.from_spmatrix(counts.X, columns=names)
    mixed = frame.assign(site=np.where(np.arange(250) % 2, "north", "south"), age=1.5)
    model = quick().fit(mixed, counts.regression)
    assert {"gene 0", "gene 1"} <= set(model.get_feature_names_out())
