"""Freezes what scikit-learn and scikit-survival say, for the tests to compare with.

    pip install numpy scipy scikit-learn==1.9.* scikit-survival==0.28.*
    python make.py

writes metrics.json, linear.json and paths.json next to this file; each records the versions
it was made with. Inputs are multiples of 1/1024, so 32-bit code reads them exactly.

linear.json holds minimisers of the objective without a hidden layer,

    mean loss + lambda * sum_j |w_j| + ridge * (|w|^2 + b^2),

the squared loss without 1/2, the Cox loss divided by the number of events and
without a bias. A package is the oracle of each: its own objective is made equal to
ours (the comments say how), its solution is polished by Newton's method on its
support, and both must agree to 1e-6. What is written satisfies the optimality
conditions of *our* objective to 1e-9, or nothing is written.

paths.json holds what packages find at several values of their own penalty, in their own
units, with an intercept that is not penalised: what docs/coming-from.md converts.
"""

import json
import platform
import warnings
from pathlib import Path

import numpy as np
import scipy
import sklearn
import sksurv
from scipy.special import expit, log_softmax, softmax
from sklearn.linear_model import ElasticNet, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error, r2_score, roc_auc_score
from sksurv.linear_model import CoxnetSurvivalAnalysis, CoxPHSurvivalAnalysis
from sksurv.metrics import (
    concordance_index_censored,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
)
from sksurv.util import Surv

VERSIONS = {
    "python": platform.python_version(),
    "numpy": np.__version__,
    "scipy": scipy.__version__,
    "scikit-learn": sklearn.__version__,
    "scikit-survival": sksurv.__version__,
}
RNG = np.random.default_rng(20240607)


def grid(values, step=1024):
    """Rounds to multiples of 1/step."""
    return np.round(np.asarray(values) * step) / step


def plain(value):
    """Arrays as lists, for JSON."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def write(name, cases):
    """One line per field, so that a change shows up as a readable diff."""
    rows = [
        "{\n"
        + ",\n".join(f"  {json.dumps(k)}: {json.dumps(plain(v))}" for k, v in c.items())
        + "\n}"
        for c in cases
    ]
    text = f'{{"versions": {json.dumps(VERSIONS)},\n"cases": [\n' + ",\n".join(rows) + "\n]}\n"
    assert len(text) < 60_000, len(text)
    json.loads(text, parse_constant=lambda c: 1 / 0)  # no NaN, no infinity
    Path(__file__).with_name(name).write_text(text)
    print(f"{name}: {len(cases)} cases, {len(text)} bytes")


# --- metrics.json ------------------------------------------------------------------


def regression_metrics(name, noise):
    y = grid(RNG.normal(2, 3, 30))
    prediction = grid(y + RNG.normal(0, noise, 30))
    return {
        "name": name,
        "task": "regression",
        "y": y,
        "prediction": prediction,
        "r2": r2_score(y, prediction),
        "mse": mean_squared_error(y, prediction),
    }


def binary_metrics():
    labels = RNG.integers(0, 2, 50)
    # Eighths, so that scores are tied; the first two certain and wrong, the next two right.
    probability = grid(np.clip(0.3 + 0.3 * labels + RNG.normal(0, 0.3, 50), 0, 1), 8)
    labels[:4], probability[:4] = [0, 1, 0, 1], [1, 0, 0, 1]
    return {
        "name": "tied scores, certain and wrong probabilities",
        "task": "binary",
        "labels": labels,
        "probability": probability,
        "accuracy": accuracy_score(labels, probability >= 0.5),
        "auc": roc_auc_score(labels, probability),
        "log_loss": log_loss(labels, probability),
    }


def multiclass_metrics(name, step):
    labels = RNG.integers(0, 4, 40)
    logits = RNG.normal(0, 2, (40, 4))
    logits[np.arange(40), labels] += 2
    p = grid(softmax(logits, axis=1), step)
    p[0] = np.eye(4)[(labels[0] + 1) % 4]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # coarse steps do not sum to one: on purpose
        loss = log_loss(labels, p, labels=range(4))
    return {
        "name": name,
        "task": "multiclass",
        "labels": labels,
        "probabilities": p.T,
        "accuracy": accuracy_score(labels, p.argmax(axis=1)),
        "log_loss": loss,
    }


def survival_metrics(name, train, test, risk, times):
    (train_time, train_event), (time, event) = train, test
    risk = np.asarray(risk, dtype=float)
    gaps = np.diff(np.unique(risk))
    assert gaps.min() > 1e-6, "scikit-survival ties risks up to 1e-8 apart, we only equal ones"
    fit, score = Surv.from_arrays(train_event, train_time), Surv.from_arrays(event, time)
    tauc, mean = cumulative_dynamic_auc(fit, score, risk, times)
    return {
        "name": name,
        "task": "cox",
        "train_time": train_time,
        "train_event": train_event,
        "time": time,
        "event": event,
        "risk": risk,
        "times": times,
        "c_index": concordance_index_censored(event, time, risk)[0],
        "uno_c": concordance_index_ipcw(fit, score, risk)[0],
        "tauc": tauc,
        "tauc_mean": mean,
    }


def censored(n, censoring, rounding):
    """Times, events, and the log hazard they came from."""
    hazard = RNG.normal(0, 1, n)
    event_time = RNG.exponential(6 * np.exp(-hazard))
    censoring_time = RNG.exponential(censoring, n)
    time = rounding(np.minimum(event_time, censoring_time))
    return time, event_time <= censoring_time, hazard


def metrics():
    def months(t):
        return np.clip(np.ceil(t), 1, 12)

    def exact(t):
        return grid(np.minimum(t, 20)) + 1 / 1024

    cases = [
        regression_metrics("a good prediction", 1),
        regression_metrics("a prediction worse than the mean", 5),
        binary_metrics(),
        multiclass_metrics("four classes, one certain and wrong row", 1024),
        multiclass_metrics("probabilities that do not sum to one", 16),
    ]

    train_time, train_event, _ = censored(60, 8, months)
    time, event, hazard = censored(50, 8, months)
    train_event[train_time == 12] = True  # so that G stays positive to the end
    cases.append(
        survival_metrics(
            "times 1..12, most of them tied, tied risks",
            (train_time, train_event),
            (time, event),
            grid(hazard, 2),
            [1.0, 2.5, 4.0, 7.0, 11.0],
        )
    )

    train_time, train_event, _ = censored(60, 1.5, exact)
    time, event, hazard = censored(60, 1.5, exact)
    last = train_time[train_event].max()
    event &= time < last
    assert event.mean() < 0.3
    cases.append(
        survival_metrics(
            "heavy censoring",
            (train_time, train_event),
            (time, event),
            grid(hazard),
            np.quantile(time[event], [0.2, 0.5, 0.8]),
        )
    )

    train_time, train_event, _ = censored(40, 8, months)
    time, event, hazard = censored(40, 8, months)
    train_event[:] = True
    train_time[0] = 12
    time[:3], event[:3] = [13, 14, 15], False
    cases.append(
        survival_metrics(
            "training rows without censoring, censored rows past their end",
            (train_time, train_event),
            (time, event),
            grid(hazard, 4),
            [3.0, 6.0, 12.0],
        )
    )

    train_time, train_event, _ = censored(40, 8, months)
    time, event, hazard = censored(40, 8, months)
    train_time[0], train_event[train_time == 12] = 12, False
    event[time == 12] = False
    cases.append(
        survival_metrics(
            "last training rows censored, one time",
            (train_time, train_event),
            (time, event),
            -grid(hazard, 4),
            [5.0],
        )
    )
    write("metrics.json", cases)


# --- linear.json: losses -------------------------------------------------------------
# Each returns value, gradient and Hessian in theta, the weights of the columns of z.


def squared(z, y):
    def loss(theta):
        residual = z @ theta - y
        return np.mean(residual**2), 2 * z.T @ residual / len(y), 2 * z.T @ z / len(y)

    return loss


def logistic(z, labels):
    def loss(theta):
        eta = z @ theta
        p = expit(eta)
        value = np.mean(np.logaddexp(0, eta) - labels * eta)
        return value, z.T @ (p - labels) / len(eta), (z.T * (p * (1 - p))) @ z / len(eta)

    return loss


def cross_entropy(z, labels, classes):
    def loss(theta):
        n, eta = len(z), z @ theta.reshape(classes, -1).T
        p, hot = softmax(eta, axis=1), np.eye(classes)[labels]
        curvature = np.einsum("ik,kl->ikl", p, np.eye(classes)) - np.einsum("ik,il->ikl", p, p)
        hessian = np.einsum("ikl,ia,ib->kalb", curvature, z, z) / n
        value = -log_softmax(eta, axis=1)[np.arange(n), labels].mean()
        return value, ((p - hot).T @ z / n).ravel(), hessian.reshape(theta.size, theta.size)

    return loss


def cox(x, time, event, ties):
    def loss(theta):
        eta = x @ theta
        value, gradient, hessian = 0.0, np.zeros(len(theta)), np.zeros((len(theta),) * 2)
        for t in np.unique(time[event]):
            dying = event & (time == t)
            for k in range(dying.sum()):
                # Efron lets the rows that die together leave the risk set one by one.
                share = k / dying.sum() if ties == "efron" else 0.0
                mass = ((time >= t) - share * dying) * np.exp(eta)
                mean = mass @ x / mass.sum()
                value += np.log(mass.sum())
                gradient += mean
                hessian += (x.T * mass) @ x / mass.sum() - np.outer(mean, mean)
            value -= eta[dying].sum()
            gradient -= x[dying].sum(axis=0)
        d = event.sum()
        return value / d, gradient / d, hessian / d

    return loss


def certify(loss, package, lam, ridge, lasso):
    """Polishes a package's solution and checks that it solves our problem.

    `lasso` marks the entries of theta that lambda applies to (no bias)."""
    free = ~lasso | (np.abs(package) > 1e-7)
    theta = np.where(free, package, 0.0)
    subgradient = lam * lasso * np.sign(theta)
    for _ in range(20):
        _, gradient, hessian = loss(theta)
        gradient = gradient + 2 * ridge * theta + subgradient
        hessian = hessian + 2 * ridge * np.eye(len(theta))
        theta[free] -= np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
    assert np.abs(theta - package).max() < 1e-6, np.abs(theta - package).max()

    value, gradient, _ = loss(theta)
    gradient = gradient + 2 * ridge * theta
    assert np.abs(gradient + subgradient)[free].max() < 1e-9
    assert (np.sign(theta[lasso & free]) == np.sign(package[lasso & free])).all()
    # By a margin on both sides: the support is not a matter of rounding.
    assert (np.abs(gradient[~free]) < 0.98 * lam).all(), gradient[~free] / lam
    assert lam == 0 or np.abs(theta[lasso & free]).min() > 0.01, theta
    assert lam == 0 or 0 < (~free).sum() < lasso.sum(), "a lasso case should drop some columns"
    return theta, value + lam * np.abs(theta[lasso]).sum() + ridge * theta @ theta


# --- linear.json: cases --------------------------------------------------------------


def columns(n, d):
    """Correlated columns with means off zero, so that the bias matters."""
    shared = RNG.normal(0, 1, (n, 1))
    return grid(0.6 * shared + 0.8 * RNG.normal(0, 1, (n, d)) + RNG.uniform(-0.5, 0.5, d))


def with_constant(x):
    return np.column_stack([x, np.ones(len(x))])


def case(name, task, oracle, x, outcome, penalty, solution):
    lam, ridge = penalty
    return {
        "name": name,
        "task": task,
        "oracle": oracle,
        "x": x.T,
        **outcome,
        "lambda": lam,
        "ridge": ridge,
        **solution,
    }


def with_bias(loss, weights, bias, lam, ridge):
    theta, objective = certify(
        loss, np.r_[weights, bias], lam, ridge, np.arange(len(weights) + 1) < len(weights)
    )
    return {"weights": theta[:-1], "bias": theta[-1], "objective": objective}


def regression_cases():
    n = 40
    x = columns(n, 6)
    y = grid(x @ [1.5, -1.0, 0.5, 0.0, 0.0, 0.0] + 1.25 + RNG.normal(0, 0.7, n))
    for lam, ridge in [(0.6, 0.0), (0.4, 0.1), (0.0, 0.2)]:
        if lam == 0.0:
            # Ridge minimises |y - zw|^2 + alpha |w|^2; the constant column is the bias.
            oracle = "Ridge"
            model = Ridge(alpha=n * ridge, fit_intercept=False).fit(with_constant(x), y)
            w, b = model.coef_[:-1], model.coef_[-1]
        else:
            # With e = y - xw the best bias is mean(e)/(1 + ridge), and leaves
            # mean(e^2) - mean(e)^2/(1 + ridge) = mean((Me)^2), where M subtracts the
            # share 1 - sqrt(ridge/(1 + ridge)) of the mean. So the bias goes away and
            # ElasticNet, which minimises |Me|^2/2n + alpha (r |w|_1 + (1-r)/2 |w|^2),
            # sees half of our objective.
            oracle = "ElasticNet"
            share = 1 - np.sqrt(ridge / (1 + ridge))
            alpha = lam / 2 + ridge
            model = ElasticNet(
                alpha=alpha,
                l1_ratio=lam / 2 / alpha,
                fit_intercept=False,
                tol=1e-14,
                max_iter=10**6,
            ).fit(x - share * x.mean(axis=0), y - share * y.mean())
            w = model.coef_
            b = np.mean(y - x @ w) / (1 + ridge)
        solution = with_bias(squared(with_constant(x), y), w, b, lam, ridge)
        yield case(
            f"squared loss, lambda {lam}, ridge {ridge}",
            "regression",
            oracle,
            x,
            {"y": y},
            (lam, ridge),
            solution,
        )


def saga(z, labels, lam, ridge, **options):
    # C sum(loss) + r |w|_1 + (1-r)/2 |w|^2 is n C times mean loss + lambda |w|_1 +
    # ridge |w|^2 if r = n C lambda and 1 - r = 2 n C ridge.
    scale = 1 / (lam + 2 * ridge)
    return LogisticRegression(
        C=scale / len(z),
        l1_ratio=scale * lam,
        solver="saga",
        tol=1e-12,
        max_iter=10**6,
        random_state=0,
        **options,
    ).fit(z, labels)


def binary_cases():
    n = 50
    x = columns(n, 6)
    labels = (RNG.random(n) < expit(x @ [2.0, -1.5, 0.7, 0.0, 0.0, 0.0] + 0.8)).astype(int)
    z = with_constant(x)
    for lam, ridge in [(0.0, 0.02), (0.04, 0.0), (0.03, 0.01)]:
        if lam == 0.0:
            # C sum(loss) + |w|^2/2 is 1/(2 ridge) times ours; the constant column is the bias.
            oracle = "LogisticRegression"
            model = LogisticRegression(
                C=1 / (2 * ridge * n), solver="newton-cholesky", tol=1e-12, fit_intercept=False
            ).fit(z, labels)
            w, b = model.coef_[0, :-1], model.coef_[0, -1]
        elif ridge == 0.0:
            oracle = "LogisticRegression(saga), intercept"
            model = saga(x, labels, lam, ridge)
            w, b = model.coef_[0], model.intercept_[0]
        else:
            # The bias is penalised, but not by lambda. A column of constant s with weight
            # v = b/s has slope lambda sign(b)/s + 2 ridge b/s^2 in b; it should be
            # 2 ridge b, so s is the positive root of 2 ridge |b| (s^2 - 1) = lambda s.
            # The b in it is the package's own, found by iteration.
            oracle = "LogisticRegression(saga), scaled constant column"
            b = 1.0
            for _ in range(40):
                s = (lam + np.sqrt(lam**2 + 16 * ridge**2 * b**2)) / (4 * ridge * abs(b))
                model = saga(
                    np.column_stack([x, np.full(n, s)]), labels, lam, ridge, fit_intercept=False
                )
                w, b = model.coef_[0, :-1], s * model.coef_[0, -1]
        solution = with_bias(logistic(z, labels), w, b, lam, ridge)
        yield case(
            f"logistic loss, lambda {lam}, ridge {ridge}",
            "binary",
            oracle,
            x,
            {"labels": labels},
            (lam, ridge),
            solution,
        )


def multiclass_cases():
    n, classes, ridge = 50, 3, 0.01
    x = columns(n, 5)
    truth = RNG.normal(0, 1.5, (6, classes))
    labels = np.array([RNG.choice(classes, p=p) for p in softmax(with_constant(x) @ truth, axis=1)])
    # As for two classes; the ridge on all biases makes the solution unique.
    model = LogisticRegression(
        C=1 / (2 * ridge * n), solver="newton-cholesky", tol=1e-12, fit_intercept=False
    ).fit(with_constant(x), labels)
    theta, objective = certify(
        cross_entropy(with_constant(x), labels, classes),
        model.coef_.ravel(),
        0.0,
        ridge,
        np.zeros(model.coef_.size, dtype=bool),
    )
    theta = theta.reshape(classes, -1)
    solution = {"weights": theta[:, :-1], "bias": theta[:, -1], "objective": objective}
    yield case(
        f"cross-entropy, ridge {ridge}",
        "multiclass",
        "LogisticRegression",
        x,
        {"labels": labels},
        (0.0, ridge),
        solution,
    )


def cox_cases():
    n = 60
    x = columns(n, 6)
    event_time = RNG.exponential(4 * np.exp(-(x @ [0.9, -0.7, 0.4, 0.0, 0.0, 0.0])))
    censoring_time = RNG.exponential(8, n)
    time = np.clip(np.ceil(np.minimum(event_time, censoring_time)), 1, 8)
    event = event_time <= censoring_time
    d = event.sum()
    assert len(np.unique(time[event])) <= 8 < d < 0.8 * n
    y = Surv.from_arrays(event, time)
    lasso = np.ones(x.shape[1], dtype=bool)
    for ties, lam, ridge in [
        ("breslow", 0.0, 0.02),
        ("efron", 0.0, 0.02),
        ("breslow", 0.1, 0.0),
        ("breslow", 0.08, 0.03),
    ]:
        if lam == 0.0:
            # The loss is divided by n and the ridge is alpha |w|^2 / 2n.
            oracle = "CoxPHSurvivalAnalysis"
            w = CoxPHSurvivalAnalysis(alpha=2 * ridge * d, ties=ties, tol=1e-15).fit(x, y).coef_
        else:
            # The loss is divided by n, plus alpha (r |w|_1 + (1-r)/2 |w|^2); ties by Breslow.
            oracle = "CoxnetSurvivalAnalysis"
            alpha = (lam + 2 * ridge) * d / n
            w = (
                CoxnetSurvivalAnalysis(
                    alphas=[alpha], l1_ratio=lam / (lam + 2 * ridge), tol=1e-14, max_iter=10**6
                )
                .fit(x, y)
                .coef_[:, 0]
            )
        theta, objective = certify(cox(x, time, event, ties), w, lam, ridge, lasso)
        yield case(
            f"Cox, {ties}, lambda {lam}, ridge {ridge}",
            "cox",
            oracle,
            x,
            {"time": time, "event": event, "ties": ties},
            (lam, ridge),
            {"weights": theta, "objective": objective},
        )


def linear():
    write("linear.json", [*regression_cases(), *binary_cases(), *multiclass_cases(), *cox_cases()])


# --- paths.json ----------------------------------------------------------------------


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def path_case(name, x, outcome, fits):
    """The columns are raw, coefficients those of standardised columns, a row per penalty."""
    found = [
        {"l1_ratio": l1_ratio, "penalties": grid, "coefficients": plain(np.round(rows, 10))}
        for l1_ratio, grid, rows in fits
    ]
    return {"name": name, "x": x.T, **outcome, "fits": found}


def penalties(largest):
    return [float(f"{largest * share:.4g}") for share in (0.7, 0.3, 0.1, 0.03)]


def regression_path(n=30, d=40):
    x = grid(columns(n, d), 16)
    y = grid(3 * (x[:, :5] @ [1.5, -1.0, 0.5, 1.0, -2.0]) + 7 + RNG.normal(0, 2, n), 16)
    z, fits = standardised(x), []
    for l1_ratio in (1.0, 0.6):
        alphas = penalties(np.abs(z.T @ (y - y.mean())).max() / n / l1_ratio)
        models = [ElasticNet(alpha=a, l1_ratio=l1_ratio, tol=1e-13, max_iter=10**6) for a in alphas]
        fits.append((l1_ratio, alphas, [model.fit(z, y).coef_ for model in models]))
    return path_case("regression", x, {"y": y}, fits)


def binary_path(n=50, d=16):
    x = grid(columns(n, d), 16)
    labels = (x[:, :4] @ [1.5, -1.0, 0.5, 1.0] + RNG.logistic(0, 1, n) > 0).astype(int)
    z = standardised(x)
    alphas = penalties(np.abs(z.T @ (labels - labels.mean())).max() / n)
    options = {"solver": "saga", "tol": 1e-13, "max_iter": 10**6, "random_state": 0}
    # C sum(loss) + |w|_1
    models = [LogisticRegression(C=1 / (a * n), l1_ratio=1.0, **options) for a in alphas]
    found = [model.fit(z, labels).coef_[0] for model in models]
    return path_case("binary", x, {"labels": labels}, [(1.0, alphas, found)])


def cox_path(n=40, d=50):
    x = grid(columns(n, d), 16)
    event_time = RNG.exponential(4 * np.exp(-(x[:, :4] @ [0.9, -0.7, 0.4, 1.0])))
    censoring_time = RNG.exponential(8, n)
    time = np.maximum(np.ceil(4 * np.minimum(event_time, censoring_time)), 1)
    event = event_time <= censoring_time
    z, y, fits = standardised(x), Surv.from_arrays(event, time), []
    for l1_ratio in (1.0, 0.5):
        options = {"l1_ratio": l1_ratio, "max_iter": 10**7}
        largest = CoxnetSurvivalAnalysis(n_alphas=2, alpha_min_ratio=0.9, **options).fit(z, y)
        alphas = penalties(largest.alphas_[0])
        model = CoxnetSurvivalAnalysis(alphas=alphas, tol=1e-14, **options).fit(z, y)
        fits.append((l1_ratio, alphas, model.coef_.T))
    return path_case("cox", x, {"time": time, "event": event}, fits)


def paths():
    # Cases that others are added before stay as they are.
    global RNG
    RNG = np.random.default_rng(20261118)
    write("paths.json", [regression_path(), binary_path(), cox_path()])


if __name__ == "__main__":
    print(VERSIONS)
    metrics()
    linear()
    paths()
