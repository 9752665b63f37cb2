"""What is raced: a survival outcome of real or simulated genes, a number, and two classes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

LAMBDAS = 100
# The smallest lambda as a share of the largest, and where a package that fails there is tried.
SHARES = (0.01, 0.05)
AML = "surv_aml_bullinger116/AML_Bull.csv.gz"


@dataclass(frozen=True)
class Cell:
    """One data set."""

    kind: str
    n: int
    d: int
    seed: int = 0

    def __str__(self):
        return f"{self.kind} {self.n} × {self.d}"


CELLS = {
    "cox": Cell("cox", 116, 6283),
    "squared": Cell("squared", 200, 50_000),
    "logistic": Cell("logistic", 2000, 5000),
}
QUICK = {
    "cox": Cell("cox", 60, 80),
    "squared": Cell("squared", 50, 120),
    "logistic": Cell("logistic", 100, 60),
}


@dataclass
class Problem:
    """Standardised columns and an outcome: y, standardised or 0 and 1, or times and events."""

    kind: str
    x: np.ndarray
    y: np.ndarray
    event: np.ndarray | None = None

    def rows(self, rows):
        """Some rows, columns in the order that the packages want."""
        event = None if self.event is None else self.event[rows]
        return Problem(self.kind, np.asfortranarray(self.x[rows]), self.y[rows], event)

    def slopes(self, eta):
        """Of threshnet's mean loss in every predictor; eta has a column for each lambda."""
        n = len(self.x)
        if self.kind == "squared":
            return 2 * (eta - self.y[:, None]) / n
        if self.kind == "logistic":
            return (1 / (1 + np.exp(-eta)) - self.y[:, None]) / n
        # Breslow's: an event takes 1 and shares 1 over the rows at risk.
        order = np.argsort(-self.y, kind="stable")
        time, event = self.y[order], self.event[order].astype(float)
        hazard = np.exp(eta[order] - eta.max(axis=0))
        last = np.searchsorted(-time, -time, side="right") - 1
        at_risk = np.cumsum(hazard, axis=0)[last]
        # Rows of the same time meet the same events.
        first = np.searchsorted(-time, -time, side="left")
        shares = np.cumsum((event[:, None] / at_risk)[::-1], axis=0)[::-1][first]
        slopes = np.empty_like(eta)
        slopes[order] = (hazard * shares - event[:, None]) / event.sum()
        return slopes

    def largest_lambda(self):
        """Where the first column enters."""
        null = 0.0 if self.kind == "cox" else self.y.mean()
        if self.kind == "logistic":
            null = np.log(null / (1 - null))
        slopes = self.slopes(np.full((len(self.x), 1), null))
        return np.abs(self.x.T @ slopes).max()

    def violation(self, path, lambdas, biased):
        """The largest violation of the optimality conditions at each lambda; `path` has a row of
        weights and a bias for each. The condition of the bias counts if it is `biased`."""
        weights, bias = path[:, :-1], path[:, -1]
        slopes = self.slopes(self.x @ weights.T + bias)
        gradient = (self.x.T @ slopes).T
        lam = np.asarray(lambdas)[:, None]
        of_active = np.abs(gradient + lam * np.sign(weights))
        of_others = np.maximum(np.abs(gradient) - lam, 0)
        worst = np.where(weights != 0, of_active, of_others).max(axis=1)
        return np.maximum(worst, np.abs(slopes.sum(axis=0))) if biased else worst


def standardised(values):
    """Mean 0 and standard deviation 1, by n; constant columns are left out."""
    values = values[:, values.std(axis=0) > 0]
    return np.asfortranarray((values - values.mean(axis=0)) / values.std(axis=0))


def problem(cell, data):
    """The data of a cell: read from below `data` if they are there, or simulated."""
    if cell == CELLS["cox"] and data and (data / AML).exists():
        rows = np.genfromtxt(data / AML, delimiter=",", names=True)
        table = np.column_stack([rows[name] for name in rows.dtype.names])
        outcome = [rows.dtype.names.index(name) for name in ("time", "event")]
        time, event = table[:, outcome].T
        return Problem("cox", standardised(np.delete(table, outcome, axis=1)), time, event)
    rng = np.random.default_rng(cell.seed)
    # Columns in blocks of ten, correlated by a half within each.
    blocks = np.repeat(rng.normal(size=(cell.n, -(-cell.d // 10))), 10, axis=1)[:, : cell.d]
    x = standardised(np.sqrt(0.5) * (blocks + rng.normal(size=(cell.n, cell.d))))
    signal = x[:, :200:10] @ rng.normal(size=len(range(0, min(cell.d, 200), 10)))
    if cell.kind == "squared":
        y = signal + signal.std() * rng.normal(size=cell.n)
        return Problem("squared", x, (y - y.mean()) / y.std())
    if cell.kind == "logistic":
        return Problem("logistic", x, (rng.random(cell.n) < 1 / (1 + np.exp(-signal))) * 1.0)
    event_time = rng.exponential(np.exp(-signal / signal.std()))
    censoring_time = rng.exponential(2, cell.n)
    time = np.ceil(100 * np.minimum(event_time, censoring_time))
    return Problem("cox", x, time, (event_time <= censoring_time) * 1.0)


def write(problem, folder):
    """Everything that the engines read."""
    folder = Path(folder)
    np.save(folder / "x.npy", problem.x)
    np.save(folder / "y.npy", problem.y)
    if problem.event is not None:
        np.save(folder / "event.npy", problem.event)
    largest = problem.largest_lambda()
    for share in SHARES:
        np.save(lambdas_file(folder, share), np.geomspace(largest, share * largest, LAMBDAS))


def lambdas_file(folder, share):
    """Lambdas, descending, down to this share of the largest."""
    return Path(folder) / f"lambdas-{share}.npy"
