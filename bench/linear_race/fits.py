"""The Python packages' side of bench/linear.py.

    fits.py ENGINE KIND FOLDER LAMBDAS TOLERANCE

ENGINE is one of `PATHS`, or `package`, the Python package of threshnet. Reads what cells.py writes,
writes ENGINE.npy (for each lambda the weights and a bias) and prints JSON. A peer's path is traced
on all rows and on those of each fold, whose held-out rows are scored at every lambda. Before the
clock starts it does the same on a few rows and columns, so that nothing is compiled while it runs.
"""

import json
import sys
import time
import warnings
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
from cells import Problem

WITHOUT_LIMIT = 10**6  # of iterations: they end by tolerance


def lasso(problem, lambdas, tolerance):
    """scikit-learn's lasso_path, on which LassoCV is built, with its centring."""
    from sklearn.linear_model import lasso_path

    mean, level = problem.x.mean(axis=0), problem.y.mean()
    x, y = problem.x - mean, problem.y - level
    _, weights, _ = lasso_path(x, y, alphas=lambdas / 2, tol=tolerance, max_iter=WITHOUT_LIMIT)
    return np.column_stack([weights.T, level - mean @ weights])


def liblinear(problem, lambdas, tolerance):
    """scikit-learn's LogisticRegression; liblinear penalises the intercept, too."""
    from sklearn.linear_model import LogisticRegression

    x, y = problem.x, problem.y
    rows = []
    for lam in lambdas:
        model = LogisticRegression(
            C=1 / (len(y) * lam),
            l1_ratio=1.0,
            solver="liblinear",
            intercept_scaling=100,
            tol=tolerance,
            max_iter=WITHOUT_LIMIT,
            random_state=0,
        ).fit(x, y)
        rows.append(np.r_[model.coef_[0], model.intercept_])
    return np.array(rows)


def coxnet(problem, lambdas, tolerance):
    """scikit-survival; its loss is divided by rows."""
    from sksurv.linear_model import CoxnetSurvivalAnalysis
    from sksurv.util import Surv

    alphas = lambdas * problem.event.mean()
    outcome = Surv.from_arrays(problem.event == 1, problem.y)
    model = CoxnetSurvivalAnalysis(
        l1_ratio=1.0, alphas=alphas, tol=tolerance, max_iter=WITHOUT_LIMIT
    ).fit(problem.x, outcome)
    return np.column_stack([model.coef_.T, np.zeros(model.coef_.shape[1])])


def skglm(problem, lambdas, tolerance):
    """AndersonCD for least squares; for the others ProxNewton, as in its own estimators."""
    from skglm.datafits import Cox, Logistic, Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD, ProxNewton

    x, y = problem.x, problem.y
    if problem.kind == "squared":
        solver = AndersonCD(tol=tolerance)
        return solver.path(x, y, Quadratic(), L1(1.0), alphas=lambdas / 2)[1].T
    if problem.kind == "logistic":
        datafit, outcome, scale, bias = Logistic(), 2 * y - 1, 1.0, 1
    else:
        event = problem.event
        datafit, outcome, scale, bias = Cox(), np.column_stack([y, event]), event.mean(), 0
    solver = ProxNewton(tol=tolerance, fit_intercept=bool(bias))
    rows, at = [], np.zeros(x.shape[1] + bias)
    for lam in lambdas * scale:
        eta = x @ at[: x.shape[1]] + at[x.shape[1] :].sum()
        at, _, _ = solver.solve(x, outcome, datafit, L1(lam), at.copy(), eta)
        rows.append(at if bias else np.r_[at, 0.0])
    return np.array(rows)


def adelie(problem, lambdas, tolerance):
    """The group elastic net with groups of one column."""
    from adelie import glm, grpnet

    y, event = problem.y, problem.event
    if problem.kind == "cox":
        start, scale = np.zeros(len(y)), event.mean()
        family = glm.cox(start=start, stop=y, status=event, tie_method="breslow")
    elif problem.kind == "logistic":
        family, scale = glm.binomial(y=y), 1.0
    else:
        family, scale = glm.gaussian(y=y), 0.5
    state = grpnet(
        X=problem.x,
        glm=family,
        lmda_path=lambdas * scale,
        tol=tolerance,
        irls_tol=tolerance,
        early_exit=False,
        intercept=event is None,
        n_threads=1,
        progress_bar=False,
    )
    return np.column_stack([state.betas.toarray(), state.intercepts])


def celer(problem, lambdas, tolerance):
    """celer_path; of two classes it has no intercept."""
    from celer import celer_path

    if problem.kind == "logistic":
        alphas, y = lambdas * len(problem.y), 2 * problem.y - 1
        _, weights, _ = celer_path(problem.x, y, "logreg", alphas=alphas, tol=tolerance)
        return np.column_stack([weights.T, np.zeros(len(lambdas))])
    mean, level = problem.x.mean(axis=0), problem.y.mean()
    x, y = np.asfortranarray(problem.x - mean), problem.y - level
    _, weights, _ = celer_path(x, y, "lasso", alphas=lambdas / 2, tol=tolerance)
    return np.column_stack([weights.T, level - mean @ weights])


PATHS = {
    "lasso_path": (lasso, "scikit-learn"),
    "liblinear": (liblinear, "scikit-learn"),
    "coxnet": (coxnet, "scikit-survival"),
    "skglm": (skglm, "skglm"),
    "adelie": (adelie, "adelie"),
    "celer": (celer, "celer"),
}


def losses(problem, eta):
    """The loss of held-out rows at every lambda; of a survival outcome within these rows."""
    y, event = problem.y, problem.event
    if problem.kind == "squared":
        return np.mean((y[:, None] - eta) ** 2, axis=0)
    if problem.kind == "logistic":
        return np.mean(np.logaddexp(0, eta) - y[:, None] * eta, axis=0)
    order = np.argsort(-y, kind="stable")
    at_risk = np.logaddexp.accumulate(eta[order], axis=0)
    return event[order] @ (at_risk - eta[order]) / max(event.sum(), 1.0)


def cross_validated(trace, problem, folds, lambdas):
    """The path on all rows, and the lambda with the lowest loss over folds."""
    path = trace(problem, lambdas)
    score = np.zeros(len(lambdas))
    for fold in np.unique(folds):
        of_fold = trace(problem.rows(folds != fold), lambdas)
        held_out = problem.rows(folds == fold)
        score += losses(held_out, held_out.x @ of_fold[:, :-1].T + of_fold[:, -1])
    return path, int(score.argmin())


def peer(engine, problem, folds, lambdas, tolerance):
    """The path of a peer, and the seconds that it took."""
    tracer, _ = PATHS[engine]

    def trace(some, values):
        path = tracer(some, values, tolerance)
        if len(path) < len(values):
            raise SystemExit(f"its path ends at the {len(path)}th lambda")
        return path

    few = replace(problem, x=np.asfortranarray(problem.x[:, :20]))
    cross_validated(trace, few, folds, lambdas[:3])
    start, before = time.perf_counter(), time.process_time()
    path, _ = cross_validated(trace, problem, folds, lambdas)
    return path, time.perf_counter() - start, time.process_time() - before


def package(problem, lambdas, tolerance):
    """The norms of the path of threshnet's Python package, which deals the folds itself."""
    import threshnet

    y = problem.y
    if problem.kind == "cox":
        y = threshnet.survival(y, problem.event == 1)
    model = {
        "squared": threshnet.ThreshNetRegressor,
        "logistic": threshnet.ThreshNetClassifier,
        "cox": threshnet.ThreshNetSurvival,
    }[problem.kind](
        hidden=(),
        penalty="lasso",
        lambdas=lambdas[::-1],
        ridges=[0.0],
        validation="cv:5",
        linear="leave",
        tolerance=tolerance,
        standardize=False,
        random_state=0,
        n_jobs=1,
    )
    start, before = time.perf_counter(), time.process_time()
    model.fit(problem.x, y)
    seconds = time.perf_counter() - start, time.process_time() - before
    return np.asarray(model.norms_path_).T[::-1], *seconds


def main():
    engine, kind, folder, lambdas, tolerance = sys.argv[1:]
    folder = Path(folder)
    event = np.load(folder / "event.npy") if kind == "cox" else None
    problem = Problem(kind, np.load(folder / "x.npy"), np.load(folder / "y.npy"), event)
    folds, lambdas = np.load(folder / "folds.npy")[0], np.load(lambdas)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they have not solved shows in the violation
        if engine == "package":
            path, seconds, worked = package(problem, lambdas, float(tolerance))
            used = "threshnet"
        else:
            path, seconds, worked = peer(engine, problem, folds, lambdas, float(tolerance))
            used = PATHS[engine][1]
    np.save(folder / f"{engine}.npy", path)
    versions = {name: version(name) for name in (used, "numpy")}
    print(json.dumps({"seconds": seconds, "processor_seconds": worked, "versions": versions}))


if __name__ == "__main__":
    main()
