"""`fit(folds=...)`: cross-validation on folds that are given."""

import json

import numpy as np
import pytest
from conftest import ESTIMATORS, nameless, quick


def fitted(data, task, given, **settings):
    model = quick(task, validation=None, **settings)
    return model.fit(data.X, getattr(data, task), folds=given)


@pytest.mark.parametrize("task", ESTIMATORS)
def test_folds_are_what_they_are_whatever_their_names(data, task):
    thirds = np.arange(len(data.X)) % 3
    numbers = fitted(data, task, thirds)
    names = fitted(data, task, np.array(["a", "b", "c"])[thirds])
    assert nameless(numbers) == nameless(names)
    report = json.loads(numbers._report)
    assert report["validation"]["how"] == {"kind": "folds", "count": 3}
    drawn = quick(task, validation="cv:3").fit(data.X, getattr(data, task))
    assert drawn.validation_ != numbers.validation_
    # every row is predicted by the networks of the other folds
    rows, folds = numbers.held_out_["rows"], numbers.held_out_["folds"]
    assert sorted(rows) == list(range(len(thirds)))
    assert all(len(np.unique(thirds[rows[folds == fold]])) == 1 for fold in range(3))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (np.zeros(120), "two or more"),
        (np.arange(119) % 3, "X has 120 rows, folds has 119"),
        (np.arange(240).reshape(120, 2), "1d array"),
    ],
)
def test_what_are_no_folds_of_these_rows_is_refused(data, given, says):
    with pytest.raises(ValueError, match=says):
        fitted(data, "regression", given)


def test_folds_and_a_validation_are_one_too_many(data):
    with pytest.raises(ValueError, match="validation: folds are given"):
        quick(validation="cv:3").fit(data.X, data.y, folds=np.arange(120) % 3)
