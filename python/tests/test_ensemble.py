"""The ensemble of all that was fitted, beside the sparse model."""

import json
import pickle

import numpy as np
import pytest
from conftest import nameless, quick

import threshnet

DRAWS = {"validation": "draws:4", "linear": "choose"}


@pytest.mark.parametrize("task", ["regression", "classification", "survival"])
def test_ensemble_predicts_by_itself_and_says_what_sparsity_costs(data, task):
    y = getattr(data, task)
    model = quick(task, ensemble=True, **DRAWS).fit(data.X, y)
    price = model.price_of_sparsity_
    assert sum(member["share"] for member in price["members"]) == pytest.approx(1)
    assert {"ridge", "forest"} <= {member["kind"] for member in price["members"]}
    ensemble = model.ensemble_
    assert not np.allclose(ensemble.predict(data.X), 0)
    if task != "classification":
        assert not np.allclose(ensemble.predict(data.X), model.predict(data.X))
    assert ensemble.held_out_ is None
    assert model.held_out_ is not None


def test_ensemble_is_saved_loaded_and_pickled(data, tmp_path):
    model = quick(ensemble=True, **DRAWS).fit(data.X, data.y)
    said = model.ensemble_.predict(data.X)
    model.ensemble_.save(tmp_path / "ensemble.json")
    file = json.loads((tmp_path / "ensemble.json").read_text())
    assert file["forest"]["share"] + sum(file["shares"]) == pytest.approx(1)
    np.testing.assert_array_equal(threshnet.load(tmp_path / "ensemble.json").predict(data.X), said)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.ensemble_.predict(data.X), said)


def test_fit_without_an_ensemble_says_so(data):
    with_one = quick(ensemble=True, **DRAWS).fit(data.X, data.y)
    without = quick(ensemble=False, **DRAWS).fit(data.X, data.y)
    assert nameless(with_one) == nameless(without)
    assert without.price_of_sparsity_ is None
    with pytest.raises(AttributeError, match="no ensemble"):
        without.ensemble_  # noqa: B018
    with pytest.raises(ValueError, match="ensemble"):
        quick(ensemble=True).fit(data.X, data.y)
