"""The path of solutions and the grid that it was chosen from."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import ESTIMATORS, QUICK, quick

from threshnet import threshnet_path


def test_the_lambdas_and_ridges_are_those_asked_for(fitted):
    np.testing.assert_allclose(fitted.lambdas_, QUICK["lambdas"])
    np.testing.assert_allclose(fitted.ridges_, QUICK["ridges"])


def test_the_grid_has_a_row_for_every_ridge_and_lambda(fitted):
    grid = pd.DataFrame(fitted.path_)
    pairs = {(ridge, value) for ridge in fitted.ridges_ for value in fitted.lambdas_}
    assert len(grid) == len(pairs) == 6
    assert set(zip(grid["ridge"], grid["lambda"], strict=True)) == pairs
    assert list(grid.columns) == [
        "ridge",
        "lambda",
        "size",
        "train_loss",
        "validation_loss",
        "validation_se",
        "epochs",
        "status",
    ]


def test_the_chosen_row_is_the_one_with_the_least_held_out_loss(fitted):
    grid = pd.DataFrame(fitted.path_)
    (chosen,) = fitted.chosen_
    row = grid.loc[chosen]
    assert row["validation_loss"] == grid["validation_loss"].min()
    assert (row["lambda"], row["ridge"]) == (fitted.best_lambda_, fitted.best_ridge_)
    assert fitted.validation_ == (row["validation_loss"], row["validation_se"])


def test_every_draw_chooses_a_row(data):
    model = quick(validation="draws:4").fit(data.X, data.y)
    assert len(model.chosen_) == 4
    assert set(model.chosen_) <= set(range(len(model.path_["lambda"])))
    assert model.frequencies_.shape == (data.X.shape[1],)
    np.testing.assert_allclose((model.frequencies_ * 4) % 1, 0)
    assert model.frequencies_[0] == 1


def test_a_hold_out_has_no_frequencies(fitted):
    assert fitted.frequencies_ is None
    assert fitted.selection_ is None


def test_norms_along_the_path_have_a_column_per_lambda(data, fitted):
    assert fitted.norms_path_.shape == (data.X.shape[1], len(fitted.lambdas_))
    np.testing.assert_array_equal(fitted.support_path_, fitted.norms_path_ > 0)


def test_the_path_holds_the_sizes_of_the_grid(fitted):
    grid = pd.DataFrame(fitted.path_)
    traced = grid[grid["ridge"] == fitted.best_ridge_].set_index("lambda")["size"]
    np.testing.assert_array_equal(traced[fitted.lambdas_], fitted.support_path_.sum(axis=0))


def test_the_chosen_lambda_of_a_hold_out_is_the_model(data, fitted):
    there = fitted.at(lambda_=fitted.best_lambda_)
    # (what was held out speaks for the model alone)
    chosen = json.loads(fitted._model.to_json())
    of_held_out = {"conformal", "recalibration"} & chosen.keys()
    assert "conformal" in of_held_out
    own = {key: part for key, part in chosen.items() if key not in of_held_out}
    assert json.loads(there._model.to_json()) == own
    step = list(fitted.lambdas_).index(fitted.best_lambda_)
    np.testing.assert_array_equal(fitted.norms_, fitted.norms_path_[:, step])


def test_another_lambda_is_another_model_and_the_first_stays(data, fitted):
    before = fitted._model.to_json(), fitted.best_lambda_
    other = max(fitted.lambdas_, key=lambda value: abs(value - fitted.best_lambda_))
    smallest, largest = fitted.lambdas_[[0, -1]]
    there = fitted.at(lambda_=np.clip(other * 1.01, smallest, largest))
    assert there.best_lambda_ == other
    assert not np.array_equal(there.predict(data.X), fitted.predict(data.X))
    step = list(fitted.lambdas_).index(other)
    np.testing.assert_array_equal(there.norms_, fitted.norms_path_[:, step])
    assert (fitted._model.to_json(), fitted.best_lambda_) == before


def test_a_number_of_columns_gives_at_most_these(data, fitted):
    sizes = fitted.support_path_.sum(axis=0)
    for count in range(sizes.min(), data.X.shape[1] + 1):
        there = fitted.at(n_features=count)
        assert there.get_support().sum() == sizes[sizes <= count].max()
        assert there.best_lambda_ == fitted.lambdas_[sizes == sizes[sizes <= count].max()].max()
        assert there.predict(data.X).shape == (len(data.X),)


def test_of_points_with_as_many_columns_the_largest_lambda_is_taken(data):
    model = quick(lambdas=[0.1, 5.0, 10.0]).fit(data.X, data.y)
    assert model.support_path_.sum(axis=0)[1:].tolist() == [0, 0]
    assert model.at(n_features=0).best_lambda_ == 10


def test_curves_belong_to_the_point_of_the_path(data):
    model = quick("survival").fit(data.X, data.survival)
    null = model.at(lambda_=model.lambdas_[-1])
    assert not null.get_support().any()
    alive = null.predict_survival_function(data.X, return_array=True)
    assert np.ptp(alive, axis=0).max() == 0
    np.testing.assert_array_equal(null.unique_times_, model.unique_times_)
    assert not np.allclose(alive[0], model.predict_survival_function(data.X, True)[0])


def test_fewer_columns_than_the_path_has_are_refused(data):
    model = quick(lambdas=[0.001, 0.002]).fit(data.X, data.y)
    fewest = model.support_path_.sum(axis=0).min()
    assert fewest > 0
    with pytest.raises(ValueError, match=f"ends with {fewest} columns.*extend `lambdas`"):
        model.at(n_features=fewest - 1)


def test_a_point_is_named_in_one_way(fitted):
    for given in ({}, {"lambda_": 0.1, "n_features": 1}):
        with pytest.raises(ValueError, match="give one of lambda_ and n_features"):
            fitted.at(**given)


def test_a_path_without_a_choice_uses_all_rows(data, task, outcome):
    settings = {name: QUICK[name] for name in ("lambdas", "epochs", "first_epochs")}
    lambdas, norms, estimator = threshnet_path(
        data.X, outcome, task=task, ridge=0.02, random_state=1, **settings
    )
    np.testing.assert_allclose(lambdas, QUICK["lambdas"])
    assert norms.shape == (data.X.shape[1], len(lambdas))
    assert isinstance(estimator, ESTIMATORS[task])
    np.testing.assert_array_equal(estimator.training_rows_, np.arange(len(data.X)))
    np.testing.assert_allclose(estimator.ridges_, [0.02])
    np.testing.assert_array_equal(estimator.norms_, norms[:, 0])
    assert estimator.best_lambda_ == lambdas[0]
    assert estimator.at(lambda_=lambdas[-1]).predict(data.X).shape == (len(data.X),)


def test_a_path_is_that_of_a_fit_without_validation(data):
    given = without(QUICK, "ridges", "validation", "linear") | {"lambdas": [0.05, 0.1]}
    found = threshnet_path(data.X, data.y, ridge=0.01, **given)
    only = quick(lambdas=[0.05], ridges=[0.01], validation="none").fit(data.X, data.y)
    assert found.estimator.at(lambda_=0.05)._model.to_json() == only._model.to_json()


def without(settings, *names):
    return {name: value for name, value in settings.items() if name not in names}


@pytest.mark.parametrize("name", ["validation", "stability", "fdr", "linear", "ridges"])
def test_a_path_takes_nothing_that_only_chooses(data, name):
    with pytest.raises(ValueError, match=f"^{name}: a path"):
        threshnet_path(data.X, data.y, **{name: 1})


@pytest.mark.parametrize("value", [-5, 1e6, float("nan")])
def test_a_lambda_beyond_the_path_is_refused(fitted, value):
    with pytest.raises(ValueError, match="^lambda_: .* is not between"):
        fitted.at(lambda_=value)


def test_after_a_controlled_selection_there_is_no_other_point(data):
    model = quick(stability=3).fit(data.X, data.y)
    with pytest.raises(ValueError, match="no other point"):
        model.at(n_features=1)


def test_a_path_of_an_unknown_task_is_refused(data):
    with pytest.raises(ValueError, match="task: 'ranking' is none of regression"):
        threshnet_path(data.X, data.y, task="ranking")


def test_the_certificate_is_small_at_a_stationary_point(data):
    exact = {"solver": "proximal", "learning_rate": None, "epochs": None, "first_epochs": None}
    model = quick(**exact, hidden=()).fit(data.X, data.y)
    assert set(model.certificate_) == {"active", "inactive", "rest"}
    assert model.status_ == "converged"
    assert max(model.certificate_.values()) < 1e-5


def test_the_certificate_is_large_after_one_epoch(data):
    model = quick(epochs=1, first_epochs=1).fit(data.X, data.y)
    assert max(model.certificate_.values()) > 1e-3


def test_contenders_tell_whether_a_network_is_needed(data):
    model = quick(linear="compare").fit(data.X, data.y)
    network, *linear = model.contenders_
    assert network["hidden"] == [10, 5]
    assert network["chosen"]
    assert linear
    assert all(rival["hidden"] == [] and not rival["chosen"] for rival in linear)
    assert all(rival["loss"] > network["loss"] for rival in linear)


def test_a_linear_model_takes_over_where_it_predicts_better(data):
    y = data.X[:, 0] - data.X[:, 2]
    model = quick(linear="choose", epochs=300).fit(data.X, y)
    (chosen,) = (rival for rival in model.contenders_ if rival["chosen"])
    assert chosen["hidden"] == []


def test_no_contenders_where_none_are_wanted(data):
    assert len(quick(linear="leave").fit(data.X, data.y).contenders_) <= 1
