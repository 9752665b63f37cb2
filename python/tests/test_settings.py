"""Settings that cannot be used are refused by the name they have in Python."""

import numpy as np
import pytest
from conftest import quick

from threshnet import ThreshNetSurvival

REFUSED = [
    ({"epochs": -1}, "epochs: -1"),
    ({"epochs": 0}, "epochs: 0 is not a whole number from 1"),
    ({"first_epochs": 1.5}, "first_epochs: 1.5"),
    ({"penalty": "ridge"}, "penalty: ridge is none of lasso, mcp, scad"),
    ({"penalty": "lasso", "concavity": 3.0}, "concavity: the lasso has none"),
    ({"concavity": -1.0}, "concavity: -1 is not a number above 0"),
    ({"lambdas": [0.2, 0.1]}, "lambdas: 0.2 before 0.1"),
    ({"lambdas": []}, "lambdas: the list is empty"),
    ({"lambdas": ["few"]}, "lambdas: "),
    ({"lambdas": "1:0.1:5"}, "lambdas: MIN:MAX:COUNT"),
    ({"ridges": [-1.0]}, "ridges: -1"),
    ({"ridges": "auto"}, "ridges: "),
    ({"lambdas": "auto"}, "lambdas: "),
    ({"validation": "cv:5x3"}, "validation: "),
    ({"hidden": (0,)}, "hidden: "),
    ({"hidden": (-3,)}, "hidden: "),
    ({"hidden": (2.5,)}, "hidden: "),
    ({"hidden": 5.5}, "hidden: give the width of each"),
    ({"epochs": 200.0}, "epochs: 200.0 is not a whole number"),
    ({"activation": "step"}, "activation: "),
    ({"linear": "always"}, "linear: "),
    ({"validation": "cv"}, "validation: give"),
    ({"validation": "cv:500"}, "validation: 500 folds of 120 rows"),
    ({"validation": "none"}, "validation: "),
    ({"rule": "best"}, "rule: "),
    ({"frequency": 0.5}, "frequency: it is the share of repeated fits"),
    ({"refit": "maybe"}, "refit: maybe is neither yes nor no"),
    ({"protocol": "mine"}, "protocol: "),
    ({"solver": "newton"}, "solver: "),
    ({"learning_rate": -1.0}, "learning_rate: -1"),
    ({"solver": "proximal", "learning_rate": 0.1}, "learning_rate: the proximal solver"),
    ({"threshold_step": 5.0}, "threshold_step: "),
    ({"tolerance": -1.0}, "tolerance: -1"),
    ({"batch_size": 0}, "batch_size: "),
    ({"path": "up"}, "path: "),
    ({"screen": 1}, "screen: "),
    ({"outer": "five"}, "outer: give `cv:FOLDS`"),
    ({"random_state": -1}, "random_state: -1"),
    ({"random_state": 2**64}, "random_state: 18446744073709551616"),
    ({"stability": 5, "fdr": 0.2}, "fdr: stability selection bounds another error"),
    ({"max_false": 2.0}, "max_false: it bounds what stability selection"),
    ({"epochs": 10**18}, "epochs: 1000000000000000000 is not"),
    ({"stability": 10**19}, "stability: 10000000000000000000 is not"),
    ({"validation": "draws:1000000000"}, "validation: draws from 2 to 1000"),
    ({"lambdas": "1e-3:0.5:1000000000"}, "lambdas: COUNT is a whole number from 1 to 10000"),
    ({"stability": 1}, "stability: 1 is not a whole number from 3 to 10000"),
    ({"stability": -1}, "stability: -1"),
    ({"stability": "many"}, "stability: many is not a whole number"),
    ({"stability": 5, "max_false": -1.0}, "max_false: -1"),
    ({"stability": 5, "max_false": 1e-9}, "max_false: 5 pairs"),
    ({"fdr": 2.0}, "fdr: 2"),
    ({"fdr": "low"}, "fdr: low is not a number between 0 and 1"),
]


@pytest.mark.parametrize(("settings", "words"), REFUSED, ids=lambda value: str(value)[:40])
def test_a_setting_that_cannot_be_used_is_refused_by_name(settings, words, data):
    with pytest.raises(ValueError) as refused:
        quick(**settings).fit(data.X, data.y)
    assert words in str(refused.value)
    assert "--" not in str(refused.value)


def test_ties_are_one_of_two(data):
    with pytest.raises(ValueError, match="ties: .*none of breslow, efron"):
        ThreshNetSurvival(ties="exact").fit(data.X, data.survival)


@pytest.mark.parametrize("widths", [[4, 3], (4, 3), np.array([4, 3])])
def test_widths_are_any_sequence_of_whole_numbers(widths, data):
    expected = quick(hidden=(4, 3)).fit(data.X, data.y)._model.to_json()
    assert quick(hidden=widths).fit(data.X, data.y)._model.to_json() == expected


def test_a_grid_is_numbers_or_the_text_of_the_command_line(data):
    texts = quick(lambdas="0.05,0.2", ridges="0.001:0.1:3").fit(data.X, data.y)
    numbers = quick(lambdas=np.array([0.05, 0.2]), ridges=texts.ridges_).fit(data.X, data.y)
    np.testing.assert_allclose(texts.ridges_, [0.001, 0.01, 0.1])
    assert numbers._model.to_json() == texts._model.to_json()


def test_one_lambda_and_one_ridge_need_no_validation(data):
    model = quick(lambdas=0.1, ridges=0.01, validation="none").fit(data.X, data.y)
    assert model.best_lambda_ == 0.1
    assert len(model.training_rows_) == len(data.X)


def test_a_fit_can_start_from_another_model(data, tmp_path):
    first = quick().fit(data.X, data.y)
    first.save(tmp_path)
    given = {"epochs": 1, "first_epochs": 1}
    fresh = quick(**given).fit(data.X, data.y)
    from_model = quick(init=first, **given).fit(data.X, data.y)
    from_file = quick(init=tmp_path, **given).fit(data.X, data.y)
    assert from_model._model.to_json() == from_file._model.to_json()
    assert from_model.score(data.X, data.y) > fresh.score(data.X, data.y)


def test_a_start_with_other_widths_is_refused(data):
    first = quick(hidden=(3,)).fit(data.X, data.y)
    with pytest.raises(ValueError, match="init: "):
        quick(hidden=(4,), init=first).fit(data.X, data.y)
