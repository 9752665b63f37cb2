"""The outside packages on small problems, their scores, and the whole of run_peers.py."""

import contextlib
import csv
import os
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

# Where CI is set nobody reads what was skipped: there a package that is missing is an error.
for package in () if os.environ.get("CI") else ("sksurv", "stg", "lassonet", "optuna", "lightgbm"):
    pytest.importorskip(package, reason=f"{package} is an outside package: make test-peers")
from sklearn.linear_model import LogisticRegression, lasso_path  # noqa: E402
from sklearn.metrics import log_loss, roc_auc_score  # noqa: E402
from sksurv.ensemble import RandomSurvivalForest  # noqa: E402
from sksurv.linear_model import CoxPHSurvivalAnalysis  # noqa: E402
from sksurv.metrics import cumulative_dynamic_auc, integrated_brier_score  # noqa: E402

STUDIES = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(STUDIES))

from peers import (  # noqa: E402
    boosting,
    clinical,
    elastic_net,
    forests,
    lasso,
    lassonet_path,
    ridge,
    stg_optuna,
)
from peers.arrays import Arrays, Rows, read  # noqa: E402
from peers.failure import Failure  # noqa: E402
from peers.fitted import Fitted  # noqa: E402
from peers.fitting import rows  # noqa: E402
from peers.methods import Fit, check_asked  # noqa: E402
from peers.program import Program, Replicate  # noqa: E402
from peers.results import COLUMNS  # noqa: E402
from peers.scores import (  # noqa: E402
    mean_auc,
    proportional,
    score,
    selection_errors,
    survival,
)

# STG's, of its own use of torch.
pytestmark = pytest.mark.filterwarnings("ignore:Implicit dimension choice for softmax")

# As the program has it in simulated studies.
METRICS = {
    "regression": "r2",
    "binary": "accuracy",
    "multiclass": "accuracy",
    "cox": "c_index",
}
CLASSES = {"binary": 2, "multiclass": 3}
# Most of a small path's time goes into the package's search for its first λ.
QUICK_PATH = {"n_iters": (300, 20), "path_multiplier": 1.5, "lambda_start": 1.0}


def draw(task, n, d, generator):
    """Rows in which columns 0 and 1 matter."""
    x = generator.normal(size=(n, d))
    f = 2 * x[:, 0] - 2 * x[:, 1]
    if task == "regression":
        return Rows(x, f + 0.3 * generator.normal(size=n))
    if task == "binary":
        return Rows(x, (f > 0).astype(int))
    if task == "multiclass":
        return Rows(x, np.digitize(f, [-1, 1]))
    time_to_event = generator.exponential(size=n) * np.exp(-f)
    return Rows(x, np.column_stack([time_to_event, generator.random(n) < 0.7]))


def problem(task, n=200, d=8, **changes):
    generator = np.random.default_rng(1)
    train, test = draw(task, n, d, generator), draw(task, n, d, generator)
    usual = {
        "metric": METRICS[task],
        "support": np.array([0, 1]),
        "classes": CLASSES.get(task),
        "clinical": np.arange(4),
        "times": np.quantile(train.y[:, 0], [0.2, 0.4, 0.6]) if task == "cox" else None,
    }
    return Arrays(task=task, train=train, tests={"": test}, seed=5, **usual | changes)


def replicate(study="table1", task="regression", number=1):
    return Replicate(study, "made-up", 200, 8, task, "", number, 0)


def score_of(fitted, arrays, method):
    fit = Fit(method, replicate(task=arrays.task), 3)
    (row,) = rows(fit, arrays, fitted, 1.0)
    return row["score"]


# The methods


@pytest.mark.parametrize(("task", "above"), [("regression", 0.8), ("binary", 0.8), ("cox", 0.75)])
def test_forests_predict(task, above):
    arrays = problem(task)
    on_all = score_of(forests.fit(arrays, trees=50), arrays, "rf")
    on_true = score_of(forests.fit_oracle(arrays, trees=50), arrays, "oracle-rf")
    assert above < on_all < on_true <= 1


def test_low_memory_changes_no_risk():
    arrays = problem("cox", n=80)
    usual = RandomSurvivalForest(n_estimators=20, random_state=arrays.seed)
    usual.fit(arrays.train.x, survival(arrays.train.y))
    x = arrays.tests[""].x
    np.testing.assert_allclose(forests.fit(arrays, trees=20).predict(x), usual.predict(x))


def test_fewer_event_times_keep_who_was_at_risk():
    y = np.array([[1, 0], [2, 1], [3, 0], [4, 1], [5, 1], [6, 0], [7, 1], [8, 0.0]])
    # the events at 2, 4, 5 and 7 become two, at 4 and 7
    expected = [[1, 0], [4, 1], [1, 0], [4, 1], [7, 1], [4, 0], [7, 1], [7, 0]]
    np.testing.assert_array_equal(forests.on_grid(y, 2), expected)
    arrays = problem("cox")
    assert 0.75 < score_of(forests.fit(arrays, trees=50, times=20), arrays, "rsf") < 1


def test_as_many_event_times_as_there_are_change_no_risk():
    arrays = problem("cox", n=80)
    plenty = forests.fit(arrays, trees=20, times=1000)
    x = arrays.tests[""].x
    np.testing.assert_allclose(plenty.predict(x), forests.fit(arrays, trees=20).predict(x))


@pytest.mark.parametrize("task", ["regression", "binary"])
def test_stg_finds_the_columns(task):
    arrays = problem(task)
    fitted = stg_optuna.fit(arrays, trials=5, epochs=400)
    assert {0, 1} <= set(fitted.selected)
    assert score_of(fitted, arrays, "stg") > 0.8
    assert 1e-3 <= fitted.penalty <= 10


def test_stg_repeats_and_searches_larger_penalties_if_wide():
    arrays = problem("regression", n=30, d=25)
    assert arrays.wide and not problem("regression", n=30, d=24).wide
    first, second = (stg_optuna.fit(arrays, trials=3, epochs=20) for _ in range(2))
    assert first.penalty == second.penalty >= 1e-2
    x = arrays.tests[""].x
    np.testing.assert_array_equal(first.predict(x), second.predict(x))


def test_stg_is_refused_on_survival():
    with pytest.raises(Failure, match="survival"):
        stg_optuna.fit(problem("cox"), trials=1, epochs=1)
    with pytest.raises(Failure, match="stg.*survival.*--only"):
        check_asked(["stg"], [replicate(task="cox")])
    # It runs where it can when a study has both.
    check_asked(["stg"], [replicate(), replicate(task="cox")])


@pytest.mark.parametrize(("task", "above"), [("regression", 0.8), ("binary", 0.8), ("cox", 0.75)])
def test_lassonet_finds_the_columns(task, above):
    arrays = problem(task)
    fitted = lassonet_path.fit(arrays, **QUICK_PATH)
    assert {0, 1} <= set(fitted.selected)
    assert score_of(fitted, arrays, "lassonet") > above
    assert fitted.penalty > 0


@pytest.mark.parametrize(
    "fit",
    [
        lambda arrays: stg_optuna.fit(arrays, trials=3, epochs=400),
        lambda arrays: lassonet_path.fit(arrays, **QUICK_PATH),
    ],
)
def test_networks_scale_columns_and_outcome_if_asked(fit):
    """Columns and an outcome in other units, one of them constant, give the same model."""
    usual = problem("regression", standardize=True)
    units = np.array([1000.0, 1, 1, 1, 1, 1, 1, 0])
    shift = np.full(8, 50.0)

    def change(table):
        return Rows(table.x * units + shift, 0.01 * table.y - 300)

    odd = replace(usual, train=change(usual.train), tests={"": change(usual.tests[""])})
    assert score_of(fit(odd), odd, "lassonet") > 0.7


@pytest.mark.parametrize(("task", "above"), [("regression", 0.8), ("binary", 0.8), ("cox", 0.75)])
def test_the_lasso_finds_the_columns_and_repeats(task, above):
    arrays = problem(task, standardize=True)
    first, second = lasso.fit(arrays), lasso.fit(arrays)
    assert {0, 1} <= set(first.selected) and len(first.selected) < 8
    assert score_of(first, arrays, "lasso") > above
    assert first.penalty > 0
    x = arrays.tests[""].x
    np.testing.assert_array_equal(first.predict(x), second.predict(x))
    effects = first.predict(np.eye(8)) - first.predict(np.zeros((1, 8)))
    np.testing.assert_array_equal(np.flatnonzero(np.abs(effects) > 1e-12), first.selected)


@pytest.mark.parametrize("task", ["regression", "binary", "cox"])
def test_the_lasso_takes_the_folds_that_it_is_given(task):
    """What is learned from either half is wrong about the other, so no column should be taken."""
    arrays = problem(task, standardize=True)
    halves = np.arange(100), np.arange(100, 200)
    x = arrays.train.x * np.where(np.arange(200) < 100, -1, 1)[:, None]
    arrays = arrays.learning_from(x)
    fitted = lasso.fit(arrays, [halves, halves[::-1]])
    assert fitted.penalty == pytest.approx(lasso.largest_penalty(arrays))
    assert (
        lasso.fit(arrays, lasso.deal(task, arrays.train.y, arrays.seed)).penalty
        == lasso.fit(arrays).penalty
    )


@pytest.mark.parametrize("task", ["regression", "binary", "cox"])
def test_the_largest_penalty_is_where_the_first_column_enters(task):
    arrays = problem(task, standardize=True)
    around = np.array([1.001, 0.98]) * lasso.largest_penalty(arrays)
    x, y = arrays.scaling()(arrays.train.x), arrays.train.y
    if task == "regression":
        coefficients = lasso_path(x, y - y.mean(), alphas=around)[1]
    elif task == "cox":
        coefficients = lasso.coxnet(1.0, alphas=around).fit(x, survival(y)).coef_
    else:
        coefficients = np.column_stack([logistic(x, y, penalty) for penalty in around])
    assert not coefficients[:, 0].any()
    assert np.count_nonzero(coefficients[:, 1]) == 1


def logistic(x, y, penalty):
    model = LogisticRegression(
        C=1 / (len(y) * penalty), l1_ratio=1.0, solver="saga", tol=1e-9, max_iter=100_000
    )
    return model.fit(x, y).coef_[0]


def test_the_logistic_lasso_of_many_columns_is_at_its_optimum():
    """The solver's zeros are zeros: |xⱼ'(y − p)| / n is λ on selected columns and below on others.

    saga fails this one, with hundreds of columns too many, and so does liblinear at its default.
    """
    arrays = problem("binary", n=60, d=3000, standardize=True)
    fitted = lasso.fit(arrays)
    x, y = arrays.scaling()(arrays.train.x), arrays.train.y
    slope = np.abs(x.T @ (y - 1 / (1 + np.exp(-fitted.predict(arrays.train.x))))) / len(y)
    assert slope.max() < 1.01 * fitted.penalty
    assert slope[fitted.selected].min() > 0.99 * fitted.penalty


def test_the_partial_likelihood_is_that_of_coxs_model():
    """At η = 0 every event is one of those at risk; a tie is at risk with its like."""
    y = np.array([[3.0, 1], [1, 1], [2, 0], [3, 1], [4, 0]])
    assert lasso.partial_likelihood(y, np.zeros(5)) == pytest.approx(-np.log(5 * 3 * 3))
    eta = np.array([0.5, -1.0, 2.0, 0.1, 0.3])
    late = np.exp(eta[[0, 3, 4]]).sum()
    expected = eta[[0, 1, 3]].sum() - 2 * np.log(late) - np.log(np.exp(eta).sum())
    assert lasso.partial_likelihood(y, eta) == pytest.approx(expected)


def test_a_column_that_is_constant_among_training_rows_stays_small():
    """Its mean is rounded, and a deviation that is rounding would blow up other rows."""
    arrays = problem("regression", standardize=True)
    x = arrays.train.x.copy()
    x[:, 7] = 0.1
    scaled = replace(arrays, train=Rows(x, arrays.train.y)).scaling()(np.full((1, 8), 1.1))
    assert x.std(axis=0)[7] > 0 and scaled[0, 7] == pytest.approx(1)


def test_a_path_that_diverges_is_chosen_from_or_fails_in_one_line():
    arrays = problem("regression")
    huge = arrays.learning_from(arrays.train.x * 1e30)
    with pytest.raises(Failure, match="lassonet diverged"):
        lassonet_path.fit(huge, **QUICK_PATH)


ALL = {
    "lasso": lasso.fit,
    "ridge": ridge.fit,
    "enet": elastic_net.fit,
    "boosting": boosting.fit,
    "lassonet": lambda arrays: lassonet_path.fit(arrays, **QUICK_PATH),
}


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize(
    ("task", "above"), [("regression", 0.8), ("binary", 0.8), ("multiclass", 0.65), ("cox", 0.72)]
)
def test_what_the_battery_runs_predicts_and_repeats(method, task, above):
    arrays = problem(task, standardize=True)
    first, second = ALL[method](arrays), ALL[method](arrays)
    assert score_of(first, arrays, method) > above
    x = arrays.tests[""].x
    np.testing.assert_array_equal(first.predict(x), second.predict(x))
    if method == "ridge":
        assert first.selected is None
    else:
        assert {0, 1} <= set(first.selected)
    if task == "multiclass":
        assert first.predict(x).shape == (200, 3)
        np.testing.assert_allclose(first.predict(x).sum(axis=1), 1)


def test_a_forest_knows_several_classes():
    arrays = problem("multiclass")
    fitted = forests.fit(arrays, trees=50)
    assert score_of(fitted, arrays, "rf") > 0.7
    np.testing.assert_allclose(fitted.predict(arrays.train.x).sum(axis=1), 1)


@pytest.mark.parametrize("fit", [lasso.fit, ridge.fit, elastic_net.fit, boosting.fit])
def test_a_class_of_two_rows_is_no_failure(fit):
    """Folds then lack it; probabilities are of all classes all the same."""
    arrays = problem("multiclass", n=60)
    y = np.where(arrays.train.y == 2, 1, arrays.train.y)
    y[:2] = 2
    fitted = fit(replace(arrays, train=Rows(arrays.train.x, y)))
    assert fitted.predict(arrays.train.x).shape == (60, 3)


def test_a_ridge_on_main_directions_is_the_ridge():
    """Of more columns than rows; the package alone, on the columns, at the chosen strength."""
    arrays = problem("binary", n=40, d=60, standardize=True)
    fitted = ridge.fit(arrays)
    scale, test = arrays.scaling(), arrays.tests[""]
    model = LogisticRegression(C=1 / fitted.penalty, tol=1e-10, max_iter=10_000)
    model.fit(scale(arrays.train.x), arrays.train.y)
    expected = model.decision_function(scale(test.x))
    np.testing.assert_allclose(fitted.predict(test.x), expected, atol=0.01)


def test_few_rows_are_split_by_boosting():
    """LightGBM's default leaf of 20 rows would leave 50 rows in one."""
    arrays = problem("binary", n=50, metric="auc")
    assert score(arrays.metric, arrays, arrays.tests[""], boosting.fit(arrays)) > 0.7


def test_the_clinical_model_sees_the_clinical_columns_alone():
    arrays = problem("cox", standardize=True)
    fitted = clinical.fit(arrays)
    assert fitted.selected.tolist() == [0, 1, 2, 3]
    x = arrays.tests[""].x.copy()
    before = fitted.predict(x)
    x[:, 4:] = 99
    np.testing.assert_array_equal(fitted.predict(x), before)
    assert score_of(fitted, arrays, "clinical") > 0.75


# Scores


@pytest.mark.parametrize(
    "fit",
    [
        lambda arrays: forests.fit(arrays, trees=50),
        lambda arrays: lassonet_path.fit(arrays, **QUICK_PATH),
        lambda arrays: stg_optuna.fit(arrays, trials=2, epochs=100),
        lasso.fit,
    ],
)
def test_classes_are_ranked_by_margins(fit):
    """An AUC is of an order, not of two classes; and 0 lies between them."""
    arrays = problem("binary")
    test = arrays.tests[""]
    fitted = fit(arrays)
    margin = fitted.predict(test.x)
    assert len(np.unique(margin)) > 10
    assert score("accuracy", arrays, test, fitted) > 0.75
    assert score("auc", arrays, test, fitted) == roc_auc_score(test.y, margin) > 0.85
    # and it makes probabilities that are worth something
    share = fitted.probability(margin)
    assert score("log_loss", arrays, test, fitted) == log_loss(test.y, share) < np.log(2)


def test_an_unknown_score_is_named():
    arrays = problem("binary", metric="kappa")
    with pytest.raises(Failure, match="unknown score 'kappa'"):
        score(arrays.metric, arrays, arrays.tests[""], Fitted(lambda x: x[:, 0]))


def test_rows_after_the_last_time_change_no_auc():
    arrays = problem("cox")
    test = arrays.tests[""].y
    risk = arrays.tests[""].x[:, 0]
    times = np.quantile(test[:, 0], [0.2, 0.4, 0.6])
    expected = cumulative_dynamic_auc(survival(test), survival(test), risk, times)[1]
    assert mean_auc(test, test, risk, times) == pytest.approx(expected, abs=1e-12)
    # Here an event after the last training row has no censoring weight.
    training = test[test[:, 0] < np.quantile(test[:, 0], 0.9)]
    training[training[:, 0].argmax(), 1] = 1
    with pytest.raises(ValueError, match="time must be smaller"):
        cumulative_dynamic_auc(survival(training), survival(test), risk, times)
    assert 0.5 < mean_auc(training, test, risk, times) < 1


def test_survival_under_proportional_hazards_is_the_packages():
    arrays = problem("cox")
    outcome = survival(arrays.train.y)
    model = CoxPHSurvivalAnalysis().fit(arrays.train.x, outcome)
    x, times = arrays.tests[""].x, arrays.times
    expected = [[curve(t) for t in times] for curve in model.predict_survival_function(x)]
    found = proportional(arrays.train, model.predict)(x, times)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    # before the first event all are alive
    assert (proportional(arrays.train, model.predict)(x, np.array([0.0])) == 1).all()


def test_the_brier_score_is_the_packages_on_the_times_that_rows_span():
    arrays = problem("cox", second="ibs")
    test = arrays.tests[""]
    fitted = lasso.fit(arrays)
    predicted = proportional(arrays.train, fitted.predict)(test.x, arrays.times)
    expected = integrated_brier_score(
        survival(arrays.train.y), survival(test.y), predicted, arrays.times
    )
    assert score("ibs", arrays, test, fitted) == pytest.approx(expected, abs=1e-12)
    assert expected < 0.25
    # a time that no row reaches is left out
    later = replace(arrays, times=np.append(arrays.times, 1e9))
    early = Rows(
        test.x, np.column_stack([test.y[:, 0].clip(max=arrays.times[-1] + 1), test.y[:, 1]])
    )
    assert score("ibs", later, early, fitted) == pytest.approx(expected, abs=1e-12)


def test_a_survival_forest_has_curves_of_its_own():
    arrays = problem("cox", second="ibs")
    fitted = forests.fit(arrays, trees=50, times=20)
    curves = fitted.survival(arrays.tests[""].x, np.array([0.0, *arrays.times]))
    assert (curves[:, 0] == 1).all() and (np.diff(curves, axis=1) <= 0).all()
    assert score("ibs", arrays, arrays.tests[""], fitted) < 0.2


def test_selection_errors_are_shares():
    assert selection_errors([0, 1], [0, 1], 10) == (0, 0)
    assert selection_errors([0, 5, 6], [0, 1], 10) == (0.25, 0.5)
    assert selection_errors([], [0, 1], 10) == (0, 1)


# Rows


def test_row_of_a_method_that_selects():
    arrays = problem("regression")
    fitted = Fitted(lambda x: 2 * x[:, 0] - 2 * x[:, 1], np.array([0, 1, 7]), 0.25)
    (row,) = rows(Fit("stg", replicate(), 50), arrays, fitted, 1.23456)
    assert set(row) == set(COLUMNS)
    assert (row["variant"], row["selected"], row["size"]) == ("trials=50", "0 1 7", 3)
    assert (row["fpr"], row["fnr"], row["lambda"]) == (1 / 6, 0, 0.25)
    assert (row["ridge"], row["seconds"], row["censoring"]) == ("", 1.235, "")
    assert 0.9 < row["score"] < 1


def test_row_of_the_battery_has_two_scores():
    arrays = problem("binary", metric="auc", second="log_loss")
    drawn = replace(replicate("battery", "binary"), metric="auc")
    (row,) = rows(Fit("lasso", drawn, 1), arrays, Fitted(lambda x: x[:, 0] - x[:, 1]), 1.0)
    assert row["metric"] == "auc"
    assert row["score"] > 0.95 and 0 < row["second"] < 0.5


def test_row_of_a_method_that_does_not():
    arrays = problem("regression")
    (row,) = rows(Fit("rf", replicate(), 50), arrays, Fitted(lambda x: x[:, 0]), 1.0)
    assert {row[name] for name in ("variant", "fpr", "fnr", "size", "lambda", "selected")} == {""}


def test_columns_outside_the_area_are_false():
    arrays = problem("binary", support=None, area=np.array([0, 1, 2, 3]))
    fitted = Fitted(lambda x: x[:, 0], np.array([0, 1, 7]))
    fit = Fit("lassonet", replicate(task="binary"), 3)
    (row,) = rows(fit, arrays, fitted, 1.0)
    assert (row["fpr"], row["fnr"], row["size"]) == (0.25, "", 3)


def test_digits_have_a_row_for_each_kind_of_test_rows():
    arrays = problem("binary", support=None)
    arrays = replace(arrays, tests={"noisy": arrays.tests[""], "clean": arrays.train})
    fitted = Fitted(lambda x: x[:, 0] - x[:, 1], np.arange(1001))
    noisy, clean = rows(Fit("stg", replicate("mnist", "binary"), 7), arrays, fitted, 1.0)
    assert (noisy["variant"], clean["variant"]) == ("noisy trials=7", "clean trials=7")
    assert (noisy["size"], noisy["selected"], noisy["fpr"]) == (1001, "", "")
    assert noisy["score"] == clean["score"] == 1


# The whole

FAKE = '''#!{python}
"""Stands for threshnet: two regression cells, and digits."""
import json, sys
from pathlib import Path
import numpy as np

words = sys.argv[1:]
study = words[1]
flags = dict(zip(words[2:], words[3:]))
only = [token for token in flags.get("--only", "").split(",") if token]
cells = {{"table1": ["30x4", "40x4"], "mnist": ["30x4"]}}[study]
model = {{"table1": "regression", "mnist": "mnist"}}[study]
task, score = {{"table1": ("regression", "r2"), "mnist": ("binary", "accuracy")}}[study]
asked = [token for token in only if token[0] == "r" and token[1:].isdigit()]
numbers = [int(asked[0][1:])] if asked else range(1, int(flags["--reps"]) + 1)
chosen = [cell for cell in cells if cell in only or not any("x" in token for token in only)]
if "--list" in words:
    print("model,n,d,task,censoring,replicate,seed,metric,clinical")
    for cell in chosen:
        for number in numbers:
            print(f"{{model}},{{cell.replace('x', ',')}},{{task}},,{{number}},3,,0")
    sys.exit()
for cell in chosen:
    n, d = map(int, cell.split("x"))
    for number in numbers:
        folder = Path(flags["--export"]) / f"{{model}}-{{cell}}" / f"r{{number}}"
        folder.mkdir(parents=True)
        generator = np.random.default_rng(number)
        for name in ("train", "test"):
            x = generator.normal(size=(n, d))
            np.save(folder / f"{{name}}_x.npy", x)
            y = x[:, 0] if study == "table1" else (x[:, 0] > 0).astype(float)
            np.save(folder / f"{{name}}_y.npy", y)
        if study == "mnist":
            np.save(folder / "test_x_clean.npy", x)
        info = dict(study=study, model=model, n=n, d=d, censoring=None, replicate=number, seed=3,
                    support=[0] if study == "table1" else None, area=None, times=None,
                    standardize=False, task=task, score=score, second=None, clinical=[],
                    classes=2 if study == "mnist" else None)
        (folder / "info.json").write_text(json.dumps(info))
'''


@pytest.fixture
def binary(tmp_path):
    path = tmp_path / "threshnet"
    path.write_text(FAKE.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def command(binary, out, *words):
    program = [sys.executable, str(STUDIES / "run_peers.py"), *words]
    return [*program, "--binary", str(binary), "--out", str(out)]


def results_of(out):
    with open(out / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_goes_replicate_by_replicate_and_resumes(binary, tmp_path):
    out = tmp_path / "out"
    words = ("table1", "--methods", "oracle-rf", "--jobs", "2")
    first = subprocess.run(
        command(binary, out, *words, "--reps", "1"), capture_output=True, text=True
    )
    assert first.returncode == 0, first.stderr
    second = subprocess.run(
        command(binary, out, *words, "--reps", "2"), capture_output=True, text=True
    )
    assert second.returncode == 0, second.stderr
    assert "oracle-rf: 2 fits to do, 2 are there" in second.stderr
    found = [(row["replicate"], row["n"]) for row in results_of(out)]
    assert sorted(found[:2]) == [("1", "30"), ("1", "40")]
    assert sorted(found[2:]) == [("2", "30"), ("2", "40")]
    assert all(float(row["score"]) > 0.5 for row in results_of(out))


def test_digits_give_two_rows_in_a_run(binary, tmp_path):
    done = subprocess.run(
        command(binary, tmp_path, "mnist", "--methods", "rf", "--reps", "1"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert [row["variant"] for row in results_of(tmp_path)] == ["noisy", "clean"]


def test_what_the_program_says_is_passed_on(tmp_path):
    program = tmp_path / "threshnet"
    program.write_text("#!/bin/sh\necho 'error: --data: say where' >&2\nexit 2\n")
    program.chmod(0o755)
    with pytest.raises(Failure, match="^threshnet study mnist: --data: say where$"):
        Program(program, "mnist", ()).replicates(())


def test_no_time_is_no_fit(binary, tmp_path):
    done = subprocess.run(
        command(binary, tmp_path, "table1", "--reps", "3", "--minutes", "0", "--methods", "rf"),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, results_of(tmp_path)) == (0, [])
    assert "6 fits are left" in done.stderr


def test_errors_are_one_line(binary, tmp_path):
    for words, cause in [
        (("table1", "--methods", "rsf"), "rsf runs on nothing"),
        (("table1", "--methods", "rf", "--binary", "nowhere"), "nowhere"),
        (("table9", "--methods", "rf"), "table9"),
    ]:
        done = subprocess.run(
            [*command(binary, tmp_path, "--reps", "1"), *words], capture_output=True, text=True
        )
        assert done.returncode == 1
        assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
        assert cause in done.stderr


def ends(group):
    """Whether a process group is gone soon; Python's own helper process goes after the rest."""
    for _ in range(50):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_ctrl_c_ends_all_processes(binary, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    run = subprocess.Popen(
        command(binary, tmp_path, "table1", "--methods", "stg", "--reps", "5", "--trials", "99999"),
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(scratch)},
        start_new_session=True,
        # A shell that runs tests in the background has its children ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        # Until a process is at its first fit: it has a folder for the arrays in the run's own.
        end = time.monotonic() + 120
        while not list(scratch.glob("*/*")) and time.monotonic() < end:
            time.sleep(0.01)
        # As a terminal does: to all of them.
        os.killpg(run.pid, signal.SIGINT)
        _, said = run.communicate(timeout=120)
        assert run.returncode == 130 and "stopped" in said and "Traceback" not in said
        assert list(scratch.iterdir()) == [] and results_of(tmp_path) == []
        assert ends(run.pid)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)


def test_arrays_are_read_as_exported(binary, tmp_path):
    subprocess.run(
        [binary, "study", "mnist", "--only", "30x4,r2", "--export", tmp_path / "e"], check=True
    )
    arrays = read(tmp_path / "e" / "mnist-30x4" / "r2")
    assert set(arrays.tests) == {"noisy", "clean"} and arrays.task == "binary"
    assert arrays.train.y.dtype.kind == "i" and arrays.support is None
    learning, validation = arrays.split(0.1)
    assert (len(learning), len(validation)) == (27, 3)
