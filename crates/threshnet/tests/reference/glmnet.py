"""Freezes what glmnet says, for the tests to compare with.

    apt-get install r-base-core r-cran-glmnet r-cran-jsonlite
    pip install numpy scipy
    python glmnet.py

writes glmnet.json next to this file: two designs (more columns than rows, and fewer), an outcome
of every kind for each, and glmnet's coefficients in glmnet's parametrisation at a few lambdas, for
alpha 1 and an elastic net, with and without case weights, standardised or not. Data are multiples
of 1/16, so 32-bit code reads them exactly.

The test makes of them what minimises threshnet's objective (docs/coming-from.md). So does this
script, in code of its own, and writes nothing unless the optimality conditions of that objective
hold to 1e-6.
"""

import itertools
import json
import subprocess
from pathlib import Path

import numpy as np
from scipy.special import expit, softmax

HERE = Path(__file__).parent
RNG = np.random.default_rng(20251118)
SHARES = [0.6, 0.3, 0.12]  # of the largest lambda
FAMILIES = ["gaussian", "binomial", "multinomial", "cox"]
CLASSES = 3


# --- the designs -----------------------------------------------------------------------


def grid(values):
    """Rounds to multiples of 1/16."""
    return np.round(np.asarray(values) * 16) / 16


def design(n, d):
    """Correlated columns of several units, none centred, and outcomes that five matter to."""
    shared = RNG.normal(0, 1, (n, 1))
    units = RNG.choice([0.5, 1.0, 2.0], d)
    x = grid((0.5 * shared + RNG.normal(0, 1, (n, d)) + RNG.uniform(-1, 1, d)) * units)
    signal = (x[:, :5] / units[:5]) @ [1.0, -0.8, 0.6, -0.5, 0.4]
    signal -= signal.mean()
    levels = np.quantile(signal, [1 / 3, 2 / 3])
    noisy = signal + RNG.normal(0, 0.8, n)
    # Few times, so that many are tied, and rows that are censored before the first event.
    event_time = RNG.exponential(6 * np.exp(-signal))
    censoring_time = RNG.exponential(8, n)
    time = np.clip(np.ceil(np.minimum(event_time, censoring_time)), 2, 9)
    event = event_time <= censoring_time
    time[:2], event[:2] = 1, False
    return {
        "x": x.T,
        "outcomes": {
            "y": grid(3 * signal + RNG.normal(0, 2, n) + 5),
            "labels": (RNG.random(n) < expit(1.5 * signal + 0.5)).astype(int),
            "classes": np.digitize(noisy, levels),
            "time": time,
            "event": event,
            "weights": RNG.choice([0.5, 1.0, 1.5, 3.0], n),
        },
    }


# --- threshnet's objective, independently of threshnet ------------------------------------


def ours(case, design, lam, answer):
    """What threshnet has in place of a case: standardised columns and outcome, the weights and
    biases on them, lambda and ridge."""
    x, outcomes = design["x"].T, design["outcomes"]
    family, alpha, y = case["family"], case["alpha"], outcomes["y"]
    weights = outcomes["weights"] if case["weighted"] else np.ones(len(x))
    share = weights / weights.sum()
    deviation = np.sqrt(share @ (y - share @ y) ** 2)
    center, scale, y_center, y_scale = np.zeros(x.shape[1]), np.ones(x.shape[1]), 0.0, 1.0
    if case["standardize"]:
        center = share @ x
        scale = np.sqrt(share @ (x - center) ** 2)
        if family == "gaussian":
            y_center, y_scale = share @ y, deviation
    table = np.array(answer)
    if family == "cox":
        table = np.column_stack([np.zeros(len(table)), table])
    intercept, slopes = table[:, 0], table[:, 1:]
    # (glmnet divides y by its deviation before it looks at the ridge, whatever it is told)
    per_event = weights.sum() / weights[outcomes["event"]].sum()
    of_lasso, of_ridge = {
        "gaussian": (2 / y_scale, 2 / deviation),
        "cox": (per_event, per_event),
    }.get(family, (1.0, 1.0))
    return {
        "z": (x - center) / scale,
        "y": (y - y_center) / y_scale,
        "share": share,
        "weights": weights,
        "w": slopes * scale / y_scale,
        "b": (intercept + slopes @ center - y_center) / y_scale,
        "lambda": of_lasso * lam * alpha,
        "ridge": of_ridge * lam * (1 - alpha) / 2,
    }


def slopes_of_loss(case, problem, outcomes):
    """The gradient of threshnet's mean loss in every predictor, by output and row."""
    eta = problem["z"] @ problem["w"].T + problem["b"]
    share, weights = problem["share"][:, None], problem["weights"]
    if case["family"] == "gaussian":
        return 2 * share * (eta - problem["y"][:, None])
    if case["family"] == "binomial":
        return share * (expit(eta) - outcomes["labels"][:, None])
    if case["family"] == "multinomial":
        return share * (softmax(eta, axis=1) - np.eye(CLASSES)[outcomes["classes"]])
    time, event = outcomes["time"], outcomes["event"]
    events = weights[event].sum()
    hazard = weights * np.exp(eta[:, 0])
    slopes = np.where(event, -weights, 0.0)
    for i in np.flatnonzero(event):
        at_risk = time >= time[i]
        slopes[at_risk] += weights[i] * hazard[at_risk] / hazard[at_risk].sum()
    return slopes[:, None] / events


def violation(case, problem, outcomes):
    """Of the optimality conditions: 0 at the minimiser. The bias is free of the ridge."""
    w, lam = problem["w"], problem["lambda"]
    slopes = slopes_of_loss(case, problem, outcomes)
    gradient = slopes.T @ problem["z"] + 2 * problem["ridge"] * w
    norms = np.linalg.norm(w, axis=0)
    active = norms > 0
    pull = gradient[:, active] + lam * w[:, active] / norms[active]
    of_active = np.linalg.norm(pull, axis=0).max(initial=0.0)
    of_others = (np.linalg.norm(gradient[:, ~active], axis=0) - lam).max(initial=0.0)
    of_bias = 0.0 if case["family"] == "cox" else np.abs(slopes.sum(axis=0)).max()
    return max(of_active, of_others, of_bias)


# --- glmnet ----------------------------------------------------------------------------


def plain(value):
    """Arrays as lists, whole numbers without a point."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


def asked(request):
    done = subprocess.run(
        ["Rscript", HERE / "glmnet.R"],
        input=json.dumps(plain(request)),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def sparse(answer, family):
    """Per output: the intercept, and slopes that are not 0 by number of the column."""
    outputs = []
    for values in answer:
        intercept, slopes = (0.0, values) if family == "cox" else (values[0], values[1:])
        found = {str(j): float(f"{v:.12g}") for j, v in enumerate(slopes) if v != 0.0}
        outputs.append({"intercept": float(f"{intercept:.12g}"), "slopes": found})
    return outputs


def main():
    designs = {"wide": design(40, 60), "tall": design(60, 12)}
    cases = [
        {
            "family": family,
            "design": name,
            "alpha": alpha,
            "weighted": weighted,
            "standardize": standardize,
            "shares": SHARES,
        }
        for family, name, alpha, weighted, standardize in itertools.product(
            FAMILIES, designs, [1.0, 0.4], [False, True], [True, False]
        )
    ]
    reply = asked({"designs": designs, "cases": cases})
    rows, worst = [], 0.0
    for case, reply_to in zip(cases, reply["answers"], strict=True):
        del case["shares"]
        of_case = designs[case["design"]]
        for lam, answer in zip(reply_to["lambdas"], reply_to["coefficients"], strict=True):
            problem = ours(case, of_case, lam, answer)
            found = violation(case, problem, of_case["outcomes"])
            assert found < 1e-6, (case, lam, found)
            worst = max(worst, found)
            selected = np.any(problem["w"] != 0, axis=0).sum()
            assert selected > 0, (case, lam)
            rows.append({**case, "lambda": lam, "coefficients": sparse(answer, case["family"])})
    parts = [f'"{name}": {json.dumps(plain(part))}' for name, part in designs.items()]
    text = (
        f'{{"versions": {json.dumps(reply["versions"])},\n"designs": {{\n'
        + ",\n".join(parts)
        + '\n},\n"cases": [\n'
        + ",\n".join(json.dumps(row) for row in rows)
        + "\n]}\n"
    )
    assert len(text) < 200_000, len(text)
    (HERE / "glmnet.json").write_text(text)
    print(f"{len(rows)} cases, {len(text)} bytes, violation at most {worst:.1e}")


if __name__ == "__main__":
    main()
