"""Selection with error control, wherever joblib runs it."""

import joblib
import numpy as np
import pytest
from conftest import quick

CONTROLS = {"stability": {"stability": 5, "max_false": 1.0}, "fdr": {"fdr": 0.5}}


@pytest.fixture(scope="module", params=CONTROLS)
def control(request):
    return CONTROLS[request.param]


@pytest.fixture(scope="module")
def alone(data, control):
    """The fit by one worker, to which others must be equal."""
    return quick(**control, n_jobs=1).fit(data.X, data.y)


def same(model, other):
    assert model._model.to_json() == other._model.to_json()
    assert model.selection_.keys() == other.selection_.keys()
    for name, value in model.selection_.items():
        np.testing.assert_array_equal(value, other.selection_[name])


def test_two_workers_find_the_same(data, control, alone):
    same(quick(**control, n_jobs=2).fit(data.X, data.y), alone)


@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
@pytest.mark.parametrize("verbose", [0, 1])
def test_every_backend_finds_the_same(data, control, alone, backend, verbose):
    with joblib.parallel_config(backend, n_jobs=2):
        same(quick(**control, verbose=verbose).fit(data.X, data.y), alone)


def test_a_dask_cluster_finds_the_same(data, control, alone, cluster):
    seen = len(cluster.get_task_stream())
    with joblib.parallel_config("dask"):
        same(quick(**control).fit(data.X, data.y), alone)
    assert len(cluster.get_task_stream()) > seen


@pytest.fixture(scope="module")
def cluster():
    """A client of two workers on this machine."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            host="127.0.0.1",
        ) as workers,
        Client(workers) as client,
    ):
        client.get_task_stream()
        yield client


def test_every_task_can_be_controlled(data, task, outcome):
    model = quick(task, stability=5).fit(data.X, outcome)
    assert model.get_support()[0]
    np.testing.assert_array_equal(model.get_support(indices=True), model.selection_["selected"])


def test_stability_selects_what_most_half_samples_select(data):
    model = quick(**CONTROLS["stability"]).fit(data.X, data.y)
    chosen = model.selection_
    assert chosen["false_at_most"] <= 1
    assert model.frequencies_.shape == (data.X.shape[1],)
    np.testing.assert_array_equal(model.frequencies_, chosen["frequencies"])
    np.testing.assert_allclose((model.frequencies_ * 10) % 1, 0, atol=1e-9)
    stable = np.flatnonzero(model.frequencies_ >= chosen["threshold"])
    np.testing.assert_array_equal(chosen["selected"], stable)
    np.testing.assert_array_equal(model.get_support(indices=True), stable)
    assert set(stable) >= {0, 1}


def test_fewer_false_columns_need_a_higher_share_of_half_samples(data):
    strict, lax = (
        quick(stability=10, max_false=allowed).fit(data.X, data.y).selection_
        for allowed in (1.0, 3.0)
    )
    assert strict["threshold"] > lax["threshold"]
    assert set(strict["selected"]) <= set(lax["selected"])
    assert strict["false_at_most"] <= 1 < lax["false_at_most"] <= 3


def test_only_the_strongest_columns_count_where_very_few_may_be_false(data):
    chosen = quick(stability=10, max_false=0.1).fit(data.X, data.y).selection_
    assert chosen["counted"] == 1
    assert chosen["false_at_most"] <= 0.1
    assert chosen["selected"].tolist() == [0]


def test_knockoffs_select_the_columns_that_beat_theirs(data):
    model = quick(**CONTROLS["fdr"]).fit(data.X, data.y)
    chosen = model.selection_
    assert model.frequencies_ is None
    assert chosen["statistics"].shape == (data.X.shape[1],)
    beaten = np.flatnonzero(chosen["statistics"] >= chosen["threshold"])
    np.testing.assert_array_equal(chosen["selected"], beaten)
    np.testing.assert_array_equal(model.get_support(indices=True), beaten)
    assert set(beaten) >= {0, 1}


def test_a_rate_that_few_columns_cannot_reach_selects_none(data):
    model = quick(fdr=0.05).fit(data.X, data.y)
    assert not model.get_support().any()
    assert np.ptp(model.predict(data.X)) == 0


def test_only_shares_have_a_threshold(data):
    stable = quick(stability=5).fit(data.X, data.y)
    assert stable.threshold_ == stable.selection_["threshold"]
    assert quick(fdr=0.5).fit(data.X, data.y).threshold_ is None
    drawn = quick(validation="draws:4").fit(data.X, data.y)
    assert (drawn.get_support() <= (drawn.frequencies_ >= drawn.threshold_)).all()
    assert quick(validation="draws:4", frequency=0.7).fit(data.X, data.y).threshold_ == 0.7
