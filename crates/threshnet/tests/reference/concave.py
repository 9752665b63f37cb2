"""Freezes what skglm says of MCP and SCAD, for the tests to compare with.

    pip install numpy scipy scikit-learn==1.9.* skglm==0.5
    python concave.py

writes concave.json next to this file: for the designs of glmnet.json, columns (and a number)
standardised, skglm's coefficients, its own lambda and gamma, and its own objective where it
stopped. skglm minimises

    loss + sum_j rho(|w_j|; lambda, gamma),

the loss half the mean square, the mean logistic loss, or Breslow's Cox loss divided by rows:
threshnet's without the factor c = 2, 1, rows/events. c times MCP is MCP with lambda c and gamma/c.
SCAD bends at lambda whatever gamma is, so c times SCAD is SCAD of other columns only: skglm has
them times sqrt(c), which makes its weights w/sqrt(c) and lambda = ours/sqrt(c).

The objectives are not convex: a point that is stationary is all that is claimed.
"""

import itertools
import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from skglm.datafits import Cox, Logistic, Quadratic
from skglm.penalties import SCAD, MCPenalty
from skglm.solvers import AndersonCD, ProxNewton

HERE = Path(__file__).parent
# Of skglm's optimality conditions, in its units: what it is asked for, and what will do, for it
# gives up where rounding keeps it from the last digit.
TOLERANCE, SUFFICIENT = 1e-9, 1e-8
SHARES = [0.6, 0.3]  # of the largest lambda
# skglm's step is one over the curvature of the loss in a column, at most 4 for two classes; a
# gamma below it (below it and one more for SCAD) is not solved by its thresholds.
GAMMAS = {
    "gaussian": {"mcp": [1.5, 3.0], "scad": [3.7]},
    "binomial": {"mcp": [5.0, 9.0], "scad": [6.0]},
    "cox": {"mcp": [6.0, 12.0], "scad": [8.0]},
}
PENALTIES = {"mcp": MCPenalty, "scad": SCAD}
DATAFITS = {"gaussian": Quadratic, "binomial": Logistic, "cox": Cox}


def standardised(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def outcome(family, design):
    """As skglm wants it, and c."""
    given = {key: np.array(values) for key, values in design["outcomes"].items()}
    if family == "gaussian":
        return standardised(given["y"]), 2.0
    if family == "binomial":
        return 2.0 * given["labels"] - 1, 1.0
    event = given["event"]
    return np.column_stack([given["time"], event]).astype(float), len(event) / event.sum()


def solved(case, design):
    z = np.asfortranarray(standardised(np.array(design["x"]).T))
    y, factor = outcome(case["family"], design)
    if case["penalty"] == "scad":
        z *= np.sqrt(factor)
    solver = (
        ProxNewton(p0=60, tol=TOLERANCE, fit_intercept=False)
        if case["family"] == "cox"
        else AndersonCD(p0=60, tol=TOLERANCE)
    )
    datafit = DATAFITS[case["family"]]()
    datafit.initialize(z, y)
    at_zero = np.zeros(len(z))
    if case["family"] == "binomial":
        share = (y == 1).mean()
        at_zero += np.log(share / (1 - share))
    slopes = datafit.raw_grad(y, at_zero)
    largest = np.abs(z.T @ slopes).max()
    coefficients, at = None, None
    for share in [0.9, 0.75, *SHARES]:
        lam = float(f"{share * largest:.4g}")
        penalty = PENALTIES[case["penalty"]](lam, case["gamma"])
        if coefficients is not None:
            at = z @ coefficients[: z.shape[1]] + coefficients[z.shape[1] :].sum()
        with warnings.catch_warnings():
            warnings.simplefilter("error", category=UserWarning)
            coefficients, _, violation = solver.solve(
                z, y, DATAFITS[case["family"]](), penalty, w_init=coefficients, Xw_init=at
            )
        assert violation <= SUFFICIENT, (case, lam, violation)
        slopes, bias = coefficients[: z.shape[1]], coefficients[z.shape[1] :]
        # (beyond 10 classes are separated, and nothing holds the weights)
        if share not in SHARES or np.abs(slopes).max() > 10:
            continue
        objective = datafit.value(y, slopes, z @ slopes + bias.sum()) + penalty.value(slopes)
        yield {
            **case,
            "lambda": lam,
            "slopes": {str(j): float(f"{v:.12g}") for j, v in enumerate(slopes) if v != 0.0},
            "intercept": float(f"{bias.sum():.12g}"),
            "objective": objective,
        }


def main():
    designs = json.loads((HERE / "glmnet.json").read_text())["designs"]
    cases = [
        row
        for family, design in itertools.product(GAMMAS, designs)
        for penalty, gammas in GAMMAS[family].items()
        for gamma in gammas
        for row in solved(
            {"family": family, "design": design, "penalty": penalty, "gamma": gamma},
            designs[design],
        )
    ]
    versions = {name: version(name) for name in ("skglm", "numpy", "numba")}
    rows = ",\n".join(map(json.dumps, cases))
    text = f'{{"versions": {json.dumps(versions)},\n"cases": [\n{rows}\n]}}\n'
    json.loads(text, parse_constant=lambda _: 1 / 0)  # no NaN, no infinity
    (HERE / "concave.json").write_text(text)
    print(f"{len(cases)} cases, {len(text)} bytes")


if __name__ == "__main__":
    main()
