"""Do nested intervals and conformal regions cover what they state?

Draws data sets of 300 rows of a known truth. The truth of a nested interval is the fitted model's
metric on 100 000 fresh rows; that of a region, its share of fresh outcomes. Prints the table of
bench/records/…-coverage.md. Needs the Python package.
"""

import argparse
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import r2_score, roc_auc_score

import threshnet
from threshnet import ThreshNetClassifier, ThreshNetRegressor, ThreshNetSurvival, validate

ESTIMATORS = {
    "regression": ThreshNetRegressor,
    "binary": ThreshNetClassifier,
    "survival": ThreshNetSurvival,
}
METRICS = {"regression": "r2", "binary": "auc", "survival": "c_index"}
COVERAGE = 0.9


def drawn(task, rows, columns, rng):
    """X, what happens to each row, and what is seen of it; three columns matter."""
    X = rng.normal(size=(rows, columns))
    signal = X[:, 0] - 0.7 * X[:, 1] + 0.5 * X[:, 2]
    if task == "regression":
        y = signal + 1.5 * rng.normal(size=rows)
        return X, y, y
    if task == "binary":
        y = (rng.random(rows) < 1 / (1 + np.exp(-signal))).astype(int)
        return X, y, y
    time, end = rng.exponential(np.exp(-signal)), rng.exponential(3.0, size=rows)
    return X, time, threshnet.survival(np.minimum(time, end), time <= end)


def covered(model, task, X, truth):
    """The share of fresh outcomes that are in their region."""
    if task == "regression":
        lower, upper = model.predict_interval(X, COVERAGE).T
        return np.mean((lower <= truth) & (truth <= upper))
    if task == "binary":
        return model.predict_set(X, COVERAGE)[np.arange(len(X)), truth].mean()
    return np.mean(truth >= model.predict_lower_bound(X, COVERAGE))


def metric(model, task, X, truth, seen):
    """The main metric on fresh rows."""
    if task == "regression":
        return r2_score(truth, model.predict(X))
    if task == "binary":
        return roc_auc_score(truth, model.predict_proba(X)[:, 1])
    return model.score(X, seen)


def one(task, settings, outer, rows, columns, fresh, seed):
    """Whether intervals hold the truth, nested and held out; their errors; what regions cover."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng([seed, columns])
    X, _, y = drawn(task, rows, columns, rng)
    new, happened, seen = drawn(task, fresh, columns, rng)
    model = ESTIMATORS[task](random_state=seed, ensemble=False, **settings)
    model.fit(X, y)
    truth, name = metric(model, task, new, happened, seen), METRICS[task]
    naive = model.held_out_["metrics"][name]
    nothing = {"value": np.nan, "interval": (np.nan, np.nan)}
    nested = nothing if outer is None else validate(model, X, y, outer=outer)["metrics"][name]
    inside = [of["interval"][0] <= truth <= of["interval"][1] for of in (nested, naive)]
    error = [of["value"] - truth for of in (nested, naive)]
    return [*inside, *error, covered(model, task, new, happened)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--fresh", type=int, default=100_000)
    parser.add_argument("--outer", default="cv:5", help="none: without nested validation")
    parser.add_argument("--hidden", default="none", help="none (linear) or default (networks, too)")
    parser.add_argument("--tasks", nargs="+", default=list(ESTIMATORS))
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    settings = {"hidden": ()} if args.hidden == "none" else {}
    outer = None if args.outer == "none" else args.outer
    print(
        f"{args.sets} data sets of {args.rows} × {args.columns}, {args.outer}, hidden "
        f"{args.hidden}, regions of {COVERAGE}\n\n"
        "| task | nested 95 % covers | held-out 95 % covers | nested − truth | "
        "held-out − truth | regions cover |\n| --- | --: | --: | --: | --: | --: |"
    )
    for task in args.tasks:
        sizes = (args.rows, args.columns, args.fresh)
        tasks = (delayed(one)(task, settings, outer, *sizes, k) for k in range(args.sets))
        found = np.array(Parallel(n_jobs=args.jobs)(tasks), dtype=float)
        mean, se = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
        nested = ("", "")
        if outer is not None:
            nested = (f"{mean[0]:.1%}", f"{mean[2]:+.4f} ({se[2]:.4f})")
        print(
            f"| {task} | {nested[0]} | {mean[1]:.1%} | {nested[1]} | "
            f"{mean[3]:+.4f} ({se[3]:.4f}) | {mean[4]:.1%} ({se[4]:.1%}) |",
            flush=True,
        )


if __name__ == "__main__":
    main()
