"""The rows of outside packages, and what they run on: what needs none of the packages."""

import csv
import fcntl
import sys
from dataclasses import replace
from pathlib import Path

import pytest

STUDIES = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(STUDIES))

from peers.failure import Failure  # noqa: E402
from peers.methods import Fit, applies, check_asked, usual  # noqa: E402
from peers.program import Replicate  # noqa: E402
from peers.results import COLUMNS, FURTHER, Results  # noqa: E402
from peers.workers import Workers, limit  # noqa: E402

HEADER = ",".join(COLUMNS) + "\n"


def replicate(study="table1", task="regression"):
    return Replicate(study, "made-up", 200, 8, task, "", 1, 0)


def test_methods_apply_to_their_outcomes_only():
    regression = replicate()
    cox = replicate(task="cox")
    real = replicate("survival-real", "cox")
    digits = replicate("mnist", "binary")
    assert applies("rf", regression) and applies("rf", digits) and not applies("rf", cox)
    assert applies("rsf", cox) and applies("rsf", real) and not applies("rsf", regression)
    assert applies("oracle-rsf", cox) and not applies("oracle-rsf", real)
    assert applies("oracle-rf", regression) and not applies("oracle-rf", digits)
    for method in ("lasso", "ridge", "enet", "boosting", "lassonet"):
        tasks = ("regression", "binary", "multiclass", "cox")
        assert all(applies(method, replicate("battery", task)) for task in tasks)
    assert applies("rf", replicate(task="multiclass"))
    assert not applies("clinical", replicate("battery", "cox"))
    assert applies("clinical", replace(replicate("battery", "cox"), clinical=3))
    assert not applies("clinical", replace(replicate("battery", "binary"), clinical=3))
    assert "lasso" in usual("battery") and "stg" not in usual("battery")
    assert "lasso" not in usual("table1") and "stg" in usual("table1")
    with pytest.raises(Failure, match="no method 'forest'"):
        check_asked(["forest"], [regression])
    with pytest.raises(Failure, match="no known columns"):
        check_asked(["oracle-rsf"], [real])


def test_a_setting_is_part_of_a_row_where_the_method_has_it():
    cox = replicate(task="cox")
    assert Fit("rsf", cox, 10).variants == {"": ""}
    assert Fit("rsf", cox, 10, times=150).variants == {"": "times=150"}
    assert Fit("oracle-rsf", cox, 10, times=150).variants == {"": "times=150"}
    assert Fit("lassonet", cox, 10, times=150).variants == {"": ""}
    digits = replicate("mnist", "binary")
    tests = {"noisy": "noisy trials=10", "clean": "clean trials=10"}
    assert Fit("stg", digits, 10, times=150).variants == tests


def test_given_folds_are_rows_of_their_own():
    battery = replicate("battery", "cox")
    assert Fit("rsf", battery, 10, times=50, folds=True).variants == {"": "times=50 folds"}
    assert Fit("lasso", battery, 10, folds=True).variants == {"": "folds"}


def test_a_slow_method_of_the_battery_gets_fewer_splits(tmp_path):
    def fit(number, method="lasso", study="battery"):
        drawn = replace(replicate(study), number=number, seed=number, metric="r2")
        return Fit(method, drawn, 10)

    def row(fit, seconds):
        return fit.timed_out()[0] | {"seconds": seconds, "score": 0.5, "second": 0.25}

    with Results(tmp_path, "battery") as results:
        assert fit(9).is_worth(results)
        results.append([row(fit(1), 121)])
        assert fit(3).is_worth(results) and not fit(4).is_worth(results)
        assert fit(4, "ridge").is_worth(results)
        results.append(fit(2).timed_out())
    # and it is known to who goes on
    with Results(tmp_path, "battery") as results:
        assert not fit(3).is_worth(results)
        assert fit(4, study="table1").is_worth(results)
    first, second = csv.DictReader((tmp_path / "results.csv").read_text().splitlines())
    assert (first["metric"], first["second"], first["score"]) == ("r2", "0.25", "0.5")
    assert (second["metric"], second["score"], second["seconds"]) == ("r2", "", "600")
    assert set(first) == {*COLUMNS, *FURTHER}


def test_a_process_that_is_out_of_time_says_so():
    with Workers(busy, 1) as workers:
        outcomes = dict(workers.run([0.2, 0]))
    assert outcomes[0.2].timed_out and outcomes[0].result == "done"


def busy(seconds):
    """Computes until it is ended, where there is a limit."""
    limit(seconds)
    while seconds:
        pass
    return "done"


def finished(number):
    row = dict.fromkeys(COLUMNS, "")
    known = {"study": "table1", "model": "survival", "method": "rsf", "n": 300, "d": 20}
    return row | known | {"censoring": "0.2", "replicate": number, "seed": 0, "score": 0.5}


def test_rows_are_added_once(tmp_path):
    with Results(tmp_path / "new") as results:
        results.append([finished(1)])
        results.append([finished(1), finished(2)])
    with Results(tmp_path / "new") as results:
        results.append([finished(2)])
    text = (tmp_path / "new" / "results.csv").read_bytes()
    line = b"table1,survival,rsf,,300,20,0.2,%d,0,,,,0.5,,,,\n"
    assert text == HEADER.encode() + line % 1 + line % 2


def test_an_unfinished_line_is_cut(tmp_path):
    path = tmp_path / "results.csv"
    with Results(tmp_path) as results:
        results.append([finished(1), finished(2)])
    text = path.read_text()
    for cut in (1, 10, 30):
        path.write_text(text[:-cut])
        with Results(tmp_path) as results:
            results.append([finished(1), finished(2)])
        assert path.read_text() == text
    path.write_text(HEADER[:20])
    with Results(tmp_path):
        assert path.read_text() == HEADER


def test_a_file_that_a_study_has_open_gets_rows_but_is_not_cut(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(HEADER + "table1,half")
    with open(path) as study:
        fcntl.flock(study, fcntl.LOCK_EX)
        with Results(tmp_path):
            assert path.read_text() == HEADER + "table1,half"
    # and the lock is not kept from a study that starts later
    with Results(tmp_path) as results, open(path) as study:
        fcntl.flock(study, fcntl.LOCK_EX | fcntl.LOCK_NB)
        results.append([finished(1)])
    assert path.read_text().count("\n") == 2


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "results.csv"
    for other in ("a,b\n1,2\n", "a,b\n1,2", "a,b", "study,thesis"):
        path.write_text(other)
        with pytest.raises(Failure, match="--out"):
            Results(tmp_path)
        assert path.read_text() == other
