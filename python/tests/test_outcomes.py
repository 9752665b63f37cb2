"""What can be given as y for numbers and classes."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import nameless, quick

NUMBERS = {
    "list": np.ndarray.tolist,
    "series": lambda y: pd.Series(y, index=range(100, 100 + len(y))),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "read-only view": lambda y: np.broadcast_to(np.repeat(y, 2)[::2], y.shape),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_are_taken_from_anything_flat(kind, data):
    expected = nameless(quick().fit(data.X, data.y))
    assert nameless(quick().fit(data.X, NUMBERS[kind](data.y))) == expected


def test_whole_numbers_and_32_bits_are_numbers(data):
    y = np.round(data.y * 10)
    expected = quick().fit(data.X, y)._model.to_json()
    for dtype in (np.int64, np.int8, np.float32):
        assert quick().fit(data.X, y.astype(dtype))._model.to_json() == expected


def test_predictions_are_on_the_scale_of_the_numbers(data):
    far = quick().fit(data.X, 1000 + 50 * data.y)
    np.testing.assert_allclose(
        far.predict(data.X), 1000 + 50 * quick().fit(data.X, data.y).predict(data.X), rtol=1e-4
    )


def test_a_constant_outcome_is_refused(data):
    with pytest.raises(ValueError, match="the outcome is constant"):
        quick().fit(data.X, np.ones(len(data.X)))


LABELS = {
    "list of text": lambda y: np.array(["no", "yes"])[y].tolist(),
    "objects": lambda y: np.array(["no", "yes"], dtype=object)[y],
    "categories": lambda y: pd.Series(pd.Categorical(np.array(["no", "yes"])[y])),
    "polars": lambda y: pl.Series(np.array(["no", "yes"])[y].tolist()),
    "pyarrow": lambda y: pa.array(np.array(["no", "yes"])[y].tolist()),
}


@pytest.mark.parametrize("kind", LABELS)
def test_classes_are_taken_from_anything_flat(kind, data):
    y = LABELS[kind](data.classification)
    model = quick("classification").fit(data.X, y)
    assert list(model.classes_) == ["no", "yes"]
    expected = quick("classification").fit(data.X, data.classification)
    np.testing.assert_array_equal(model.predict_proba(data.X), expected.predict_proba(data.X))
    assert model.score(data.X, np.asarray(y)) == expected.score(data.X, data.classification)


def test_one_class_is_refused(data):
    with pytest.raises(ValueError, match="one class"):
        quick("classification").fit(data.X, np.zeros(len(data.X)))


def test_numbers_that_are_no_classes_are_refused(data):
    with pytest.raises(ValueError, match="continuous"):
        quick("classification").fit(data.X, data.y)


def test_several_outcomes_at_once_are_refused(data):
    with pytest.raises(ValueError, match="1d array"):
        quick().fit(data.X, np.column_stack([data.y, data.y]))


def test_text_is_no_outcome_of_a_regression(data):
    with pytest.raises(ValueError, match="could not convert"):
        quick().fit(data.X, ["high"] * len(data.X))
