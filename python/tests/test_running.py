"""Fits beside other threads, under Ctrl-C, and with progress."""

import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from conftest import quick
from joblib import cpu_count

from threshnet import ThreshNetRegressor


def model_of(model):
    return model._model.to_json()


def test_ten_threads_fit_the_same_models_as_one(data):
    def fit(seed):
        return model_of(quick(random_state=seed).fit(data.X, data.y))

    in_turn = [fit(seed) for seed in range(10)]
    with ThreadPoolExecutor(10) as pool:
        at_once = list(pool.map(fit, range(10)))
    assert at_once == in_turn
    assert len(set(in_turn)) == 10


@pytest.mark.parametrize("validation", ["cv:4", "draws:4", "holdout:0.25"])
def test_the_number_of_jobs_does_not_change_the_model(validation, data):
    models = [
        quick(validation=validation, n_jobs=n_jobs).fit(data.X, data.y)
        for n_jobs in (None, 1, 2, 5, -1)
    ]
    assert len(set(map(model_of, models))) == 1
    assert len({model.path_["validation_loss"].tobytes() for model in models}) == 1


def test_other_threads_go_on_while_a_fit_runs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1500))
    counts, done = [0, 0], threading.Event()

    def count(number):
        while not done.is_set():
            counts[number] += 1
            time.sleep(0.001)

    threads = [threading.Thread(target=count, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    try:
        before = list(counts)
        ThreshNetRegressor(protocol="paper", n_jobs=1, random_state=0).fit(X, X[:, 0])
        after = list(counts)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    # (a fit that held them up would let each count once, if at all)
    for number in range(2):
        assert after[number] - before[number] > 5


LONG = """
    import numpy as np
    from threshnet import ThreshNetRegressor

    X = np.asfortranarray(np.random.default_rng(0).normal(size=(500, 2000)))
    model = ThreshNetRegressor({settings}random_state=0)
    print("fitting", flush=True)
    try:
        model.fit(X, X[:, 0])
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    X = X[:50, :5]
    small = ThreshNetRegressor(protocol="paper", epochs=5, first_epochs=5).fit(X, X[:, 0])
    print("ok", small.predict(X).shape, flush=True)
"""


@pytest.mark.parametrize(
    "settings",
    [
        "validation='draws:200', ",
        "stability=200, n_jobs=1, ",
        "stability=200, n_jobs=2, ",
        "fdr=0.2, ",
        "verbose=1, ",
    ],
)
def test_ctrl_c_ends_a_fit_and_python_goes_on(settings):
    script = textwrap.dedent(LONG.format(settings=settings))
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "fitting\n"
        time.sleep(1.5)
        assert process.poll() is None, "the fit is too short to tell"
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    # (a fit that is not interrupted says nothing, and would go on for minutes)
    assert said.splitlines() == ["interrupted", "ok (50,)"], errors


def test_an_error_in_the_progress_of_a_fit_ends_it(data, monkeypatch):
    class Broken(Exception):
        pass

    def refuse(bar, done):
        raise Broken

    monkeypatch.setattr("threshnet._progress.Bar.__call__", refuse)
    with pytest.raises(Broken):
        quick(verbose=1).fit(data.X, data.y)


def test_a_bar_is_shown_only_where_asked_for(data, capfd):
    quick(verbose=1).fit(data.X, data.y)
    shown = capfd.readouterr().err
    assert "fitting" in shown
    assert "λ" in shown
    quick(verbose=0).fit(data.X, data.y)
    assert capfd.readouterr() == ("", "")


def test_runs_of_a_controlled_selection_are_counted_in_a_bar(data, capfd):
    quick(verbose=1, stability=3).fit(data.X, data.y)
    assert "selecting" in capfd.readouterr().err
    quick(stability=3).fit(data.X, data.y)
    assert capfd.readouterr() == ("", "")


def test_the_bar_ends_where_the_fit_does(data, monkeypatch):
    from threshnet import _progress

    told = []
    monkeypatch.setattr(_progress.Bar, "begin", lambda bar, total: told.append(total))
    monkeypatch.setattr(_progress.Bar, "__call__", lambda bar, done: told.append(done))
    quick(verbose=1, validation="cv:3").fit(data.X, data.y)
    total, *steps = told
    assert steps[-1] == total
    assert steps == sorted(steps)


def test_the_bar_of_a_path_ends_where_the_path_does(data, monkeypatch):
    from threshnet import _progress, threshnet_path

    told = []
    monkeypatch.setattr(_progress.Bar, "begin", lambda bar, total: told.append(total))
    monkeypatch.setattr(_progress.Bar, "__call__", lambda bar, done: told.append(done))
    found = threshnet_path(data.X, data.y, verbose=1, lambdas="0.05:0.5:7")
    assert len(found.lambdas) == 7
    assert (told[0], told[-1]) == (7, 7)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads as Linux does")
@pytest.mark.skipif(cpu_count() < 2, reason="a machine of one core has one thread")
def test_a_single_path_has_the_threads_it_was_given():
    from threshnet import threshnet_path

    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 300))
    y = X[:, 0] + rng.normal(size=400)

    def count():
        return len(list(Path("/proc/self/task").iterdir()))

    def settled():
        """Threads of earlier fits end a moment after these."""
        counts = [count()]
        for _ in range(250):
            time.sleep(0.02)
            counts.append(count())
            if len(counts) >= 15 and len(set(counts[-15:])) == 1:
                break
        return counts[-1]

    def threads(n_jobs):
        """The most that there are while a path is traced, beside the one that counts them."""
        before, seen, ended = settled(), [], threading.Event()

        def look():
            while not ended.is_set():
                seen.append(count())
                time.sleep(0.002)

        watcher = threading.Thread(target=look)
        watcher.start()
        threshnet_path(X, y, n_jobs=n_jobs, lambdas="0.01:0.5:20")
        ended.set()
        watcher.join()
        return max(seen) - before

    assert threads(2) == threads(1) + 1


def test_no_random_state_follows_numpys_seed(data):
    def fit(seed):
        np.random.seed(seed)
        return model_of(quick(random_state=None).fit(data.X, data.y))

    assert fit(1) == fit(1)
    assert fit(1) != fit(2)


def test_a_random_state_moves_on_from_fit_to_fit(data):
    def fits():
        model = quick(random_state=np.random.RandomState(4))
        return [model_of(model.fit(data.X, data.y)) for _ in range(2)]

    first, second = fits()
    assert first != second
    assert fits() == [first, second]


@pytest.mark.parametrize("number", [np.int64(7), np.uint8(7)])
def test_whole_numbers_of_any_kind_are_seeds(number, data):
    expected = model_of(quick(random_state=7).fit(data.X, data.y))
    assert model_of(quick(random_state=number).fit(data.X, data.y)) == expected
