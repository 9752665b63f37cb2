"""Freezes what glmnet says of penalty factors and adelie of groups, for the tests to compare with.

    apt-get install r-base-core r-cran-glmnet
    pip install numpy scipy adelie==1.1.52
    python terms.py

writes terms.json next to this file: LASSO solutions for the designs of glmnet.json, columns (and a
number) standardised, in threshnet's own lambda. Some columns stay (factor 0), some are dropped
(glmnet's `exclude`), some have other factors; columns of a group are not neighbours.

threshnet minimises mean loss + lambda * sum_g f_g * sqrt(p_g) * |w_g|. The squared loss of glmnet
and adelie is half of threshnet's, and their Cox loss is divided by rows and not by events. glmnet
rescales its factors so that they sum to the number of columns, which is undone here. Nothing is
written unless the optimality conditions of threshnet's objective hold to 1e-6, in code of its own.
"""

import itertools
import json
import subprocess
from importlib.metadata import version
from pathlib import Path

import adelie
import numpy as np
from glmnet import slopes_of_loss

HERE = Path(__file__).parent
FAMILIES = ["gaussian", "binomial", "cox"]
SHARES = [0.5, 0.2]  # of the largest lambda
# By number of the column.
FACTORS = {0: 0.0, 7: 0.0, 1: 0.5, 2: 2.0, 5: 3.0, 3: np.inf}
# A fit of glmnet at the last lambda of a path, each solution of which starts the next; prints the
# intercept, none for Cox, and the slopes.
FIT = """
y <- if (family == "cox") Surv(time, event) else outcome
path <- sort(lambda * 1.25^(0:12), decreasing = TRUE)
fit <- glmnet(z, y, family = family, standardize = FALSE, lambda = path, penalty.factor = factors,
              exclude = exclude, thresh = 1e-14, maxit = 1e8)
stopifnot(length(fit$lambda) == length(path), fit$jerr == 0)
cat(format(as.vector(coef(fit, s = lambda, exact = FALSE)), digits = 17), "\\n")
"""
GROUPS = {"a": [0, 4, 8], "b": [1, 9], "c": [2, 3, 10, 11]}


def standardised(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def problem_of(family, design):
    """Columns and outcome as threshnet sees them."""
    outcomes = {name: np.array(values) for name, values in design["outcomes"].items()}
    z = standardised(np.array(design["x"]).T)
    rows = len(z)
    problem = {
        "z": z,
        "y": standardised(outcomes["y"]),
        "share": np.full(rows, 1 / rows),
        "weights": np.ones(rows),
    }
    return problem, outcomes


def factors_of(case, d):
    factors = np.ones(d)
    for column, factor in case["factors"].items():
        factors[column] = factor
    return factors


def divided(case, d):
    """The columns of every group."""
    grouped = list(case["groups"].values())
    alone = [[j] for j in range(d) if not any(j in members for members in grouped)]
    return grouped + alone


def gradient_at(case, problem, outcomes, slopes, intercept):
    at = problem | {"w": slopes[None, :], "b": np.array([intercept])}
    slopes = slopes_of_loss({**case, "weighted": False}, at, outcomes)
    return (slopes.T @ problem["z"])[0], slopes.sum()


def violation(case, problem, outcomes, slopes, intercept):
    """Of threshnet's optimality conditions: 0 at the minimiser."""
    gradient, of_bias = gradient_at(case, problem, outcomes, slopes, intercept)
    factors, worst = factors_of(case, len(slopes)), 0.0
    for members in divided(case, len(slopes)):
        own = [j for j in members if np.isfinite(factors[j])]
        if not own:
            assert not slopes[members].any()
            continue
        w, bound = slopes[own], case["lambda"] * factors[own[0]] * np.sqrt(len(own))
        norm = np.linalg.norm(w)
        pull = gradient[own] + (bound * w / norm if norm > 0 else 0)
        worst = max(worst, np.linalg.norm(pull) - (0 if norm > 0 else bound))
    return worst if case["family"] == "cox" else max(worst, abs(of_bias))


def their_lambda(case, outcomes, lam):
    """threshnet's lambda as one of a loss that is a mean over rows, of squares half of it."""
    if case["family"] == "cox":
        return lam * outcomes["event"].mean()
    return lam / 2 if case["family"] == "gaussian" else lam


def in_r(values):
    """Numbers as R reads them."""
    return f"c({', '.join(repr(float(value)) for value in np.ravel(values, order='F'))})"


def asked_of_glmnet(case, problem, outcomes, lam):
    """The fit as a program of R."""
    factors = factors_of(case, problem["z"].shape[1])
    exclude = np.flatnonzero(np.isinf(factors)) + 1
    factors[np.isinf(factors)] = 1.0
    y = problem["y"] if case["family"] == "gaussian" else outcomes["labels"]
    own_lambda = their_lambda(case, outcomes, lam) * factors.sum() / len(factors)
    given = {
        "z": f"matrix({in_r(problem['z'])}, nrow = {len(y)})",
        "family": f'"{case["family"]}"',
        "outcome": in_r(y),
        "time": in_r(outcomes["time"]),
        "event": in_r(outcomes["event"]),
        "lambda": repr(float(own_lambda)),
        "factors": in_r(factors),
        "exclude": in_r(exclude),
    }
    return "\n".join(f"{name} <- {value}" for name, value in given.items()) + FIT


def run_in_r(programs):
    """The version of glmnet, and what each program prints."""
    head = """suppressPackageStartupMessages({library(glmnet); library(survival)})
glmnet.control(fdev = 0, devmax = 1)
cat(as.character(packageVersion("glmnet")), "\\n")
"""
    done = subprocess.run(
        ["Rscript", "-"],
        input=head + "\n".join(programs),
        capture_output=True,
        text=True,
        check=True,
    )
    first, *others = done.stdout.strip().splitlines()
    return first.strip(), [np.array(line.split(), dtype=float) for line in others]


def solved_by_adelie(case, problem, outcomes, lam):
    """(intercept, slopes), columns brought together by group for it."""
    d = problem["z"].shape[1]
    factors = factors_of(case, d)
    groups = [[j for j in members if np.isfinite(factors[j])] for members in divided(case, d)]
    groups = [members for members in groups if members]
    order = np.concatenate(groups)
    sizes = np.array([len(members) for members in groups])
    glm = {
        "gaussian": lambda: adelie.glm.gaussian(problem["y"]),
        "binomial": lambda: adelie.glm.binomial(outcomes["labels"].astype(float)),
        "cox": lambda: adelie.glm.cox(
            start=np.zeros(len(problem["z"])),
            stop=outcomes["time"].astype(float),
            status=outcomes["event"].astype(float),
            tie_method="breslow",
        ),
    }[case["family"]]()
    largest = their_lambda(case, outcomes, lam)
    state = adelie.grpnet(
        np.asfortranarray(problem["z"][:, order]),
        glm,
        groups=np.concatenate([[0], np.cumsum(sizes)[:-1]]),
        penalty=np.array([factors[members[0]] for members in groups]) * np.sqrt(sizes),
        lmda_path=largest * 1.25 ** np.arange(12, -1, -1),
        alpha=1.0,
        intercept=case["family"] != "cox",
        early_exit=False,
        tol=1e-14,
        irls_tol=1e-12,
        irls_max_iters=int(1e5),
        max_iters=int(1e6),
        progress_bar=False,
    )
    slopes = np.zeros(d)
    slopes[order] = state.betas[-1].toarray()[0]
    return (float(state.intercepts[-1]), slopes)


def largest_lambda(case, problem, outcomes):
    """At least what lets nothing in but the columns that stay."""
    gradient, _ = gradient_at(case, problem, outcomes, np.zeros(problem["z"].shape[1]), 0.0)
    return np.abs(gradient).max()


def row(case, slopes, intercept):
    return case | {
        "factors": {str(j): None if np.isinf(f) else f for j, f in case["factors"].items()},
        "slopes": {str(j): float(f"{v:.12g}") for j, v in enumerate(slopes) if v != 0.0},
        "intercept": float(f"{intercept:.12g}"),
    }


def main():
    designs = json.loads((HERE / "glmnet.json").read_text())["designs"]
    cases, answers, of_glmnet = [], [], []
    kinds = {
        "glmnet": (FACTORS, {}),
        "adelie": ({}, GROUPS),
        # (columns of a group have one factor)
        "adelie with factors": ({0: 0.0, 4: 0.0, 8: 0.0, 1: 2.0, 9: 2.0, 5: np.inf}, GROUPS),
    }
    for family, name, share, by in itertools.product(FAMILIES, designs, SHARES, kinds):
        factors, groups = kinds[by]
        case = {"by": by, "family": family, "design": name, "factors": factors, "groups": groups}
        problem, outcomes = problem_of(family, designs[name])
        case["lambda"] = float(f"{share * largest_lambda(case, problem, outcomes):.4g}")
        cases.append(case)
        if by == "glmnet":
            of_glmnet.append(asked_of_glmnet(case, problem, outcomes, case["lambda"]))
            answers.append(None)
        else:
            answers.append(solved_by_adelie(case, problem, outcomes, case["lambda"]))
    glmnets, found_by_glmnet = run_in_r(of_glmnet)
    found_by_glmnet = iter(found_by_glmnet)
    rows, worst = [], 0.0
    for case, answer in zip(cases, answers, strict=True):
        if answer is None:
            values = next(found_by_glmnet)
            cox = case["family"] == "cox"
            answer = (0.0, values) if cox else (values[0], values[1:])
        intercept, slopes = answer
        problem, outcomes = problem_of(case["family"], designs[case["design"]])
        found = violation(case, problem, outcomes, slopes, intercept)
        assert found < 1e-6, (case, found)
        worst = max(worst, found)
        rows.append(row(case, slopes, intercept))
    versions = {"glmnet": glmnets, "adelie": version("adelie")}
    lines = ",\n".join(map(json.dumps, rows))
    text = f'{{"versions": {json.dumps(versions)},\n"cases": [\n{lines}\n]}}\n'
    (HERE / "terms.json").write_text(text)
    print(f"{len(rows)} cases, {len(text)} bytes, violation at most {worst:.1e}")


if __name__ == "__main__":
    main()
