"""Who races, and how long each takes until its solutions are as accurate as is asked."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from linear_race.cells import SHARES, lambdas_file
from race.environment import output, say

HERE = Path(__file__).parent
ALL = ("squared", "logistic", "cox")


@dataclass(frozen=True)
class Engine:
    """A package: what it can do, its tolerances, loosest first, and notes."""

    kinds: tuple
    tolerances: tuple
    # Of kinds whose intercept is penalised or missing: that condition is not asked of it.
    unbiased: tuple = ()
    notes: dict = field(default_factory=dict)


OWN = "threshnet"
# A peer's first tolerance is its default. threshnet's is the violation itself, far below what is
# asked of the others: it takes none above 1e-6.
ENGINES = {
    OWN: Engine(ALL, (1e-6, 1e-7)),
    "glmnet": Engine(ALL, (1e-7, 1e-9, 1e-11, 1e-13)),
    "lasso_path": Engine(("squared",), (1e-4, 1e-6, 1e-8, 1e-10)),
    "liblinear": Engine(
        ("logistic",),
        (1e-4, 1e-5, 1e-6, 1e-7),
        ("logistic",),
        {"logistic": "it penalises the intercept, which is not asked to be optimal"},
    ),
    "coxnet": Engine(("cox",), (1e-7, 1e-9, 1e-11, 1e-13)),
    "skglm": Engine(ALL, (1e-4, 1e-5, 1e-6)),
    "adelie": Engine(ALL, (1e-7, 1e-9, 1e-11, 1e-13)),
    "celer": Engine(
        ("squared", "logistic"),
        (1e-4, 1e-6, 1e-8, 1e-10),
        ("logistic",),
        {"logistic": "it has no intercept"},
    ),
}
NAMES = {
    "lasso_path": "scikit-learn (`lasso_path`)",
    "liblinear": "scikit-learn (liblinear)",
    "coxnet": "scikit-survival (Coxnet)",
}


@dataclass
class Run:
    """An engine at a tolerance."""

    engine: str
    tolerance: float
    share: float
    seconds: float
    processor_seconds: float
    # The largest over lambdas, as a share of the largest lambda.
    violation: float
    # At which it is, as a share of the largest.
    worst_at: float
    report: dict


@dataclass
class Attempts:
    """All runs of an engine on a cell, and why there are no more."""

    runs: list
    failed: str = ""


class Referee:
    """Runs engines on the data of one cell in a folder."""

    def __init__(self, binary, problem, folder, options):
        self.binary = binary
        self.problem = problem
        self.folder = folder
        self.options = options

    def attempts(self, engine):
        """Tighter and tighter, until the target or the end of patience."""
        found = Attempts([])
        share = SHARES[0]
        for tolerance in ENGINES[engine].tolerances:
            while True:
                try:
                    run = self.run(engine, tolerance, share)
                    break
                except subprocess.TimeoutExpired:
                    found.failed = f"killed after {self.options.seconds:.0f} s at {tolerance:g}"
                    return found
                except subprocess.CalledProcessError as error:
                    said = (error.stderr.strip().splitlines() or ["no message"])[-1]
                    # No path of this machine belongs in a record.
                    said = re.sub(r"\S*/\S*", "…", said)[:160]
                    found.failed = f"at {tolerance:g}, down to {share:g}: {said}"
                    say(f"  {engine}: {found.failed}")
                    if found.runs or share == SHARES[-1]:
                        return found
                    share = SHARES[-1]
            found.runs.append(run)
            say(
                f"  {engine}, {tolerance:g}: {run.seconds:.2f} s "
                f"({run.processor_seconds:.2f} of the processor), violation {run.violation:.1e} "
                f"at {run.worst_at:.3f}"
            )
            if run.violation <= self.options.target:
                break
        return found

    def run(self, engine, tolerance, share):
        lambdas = lambdas_file(self.folder, share)
        kind = self.problem.kind
        arguments = (kind, self.folder, lambdas, tolerance)
        command = {
            OWN: (self.binary, "fit", *arguments),
            "glmnet": ("Rscript", HERE / "glmnet.R", *arguments),
        }.get(engine, (sys.executable, HERE / "fits.py", engine, *arguments))
        printed = output(*command, timeout=self.options.seconds, stderr=subprocess.PIPE)
        report = json.loads(printed.splitlines()[-1])
        lambdas = np.load(lambdas)
        if engine == "glmnet":
            path = np.fromfile(self.folder / "glmnet.bin").reshape(len(lambdas), -1)
        else:
            path = np.load(self.folder / f"{engine}.npy")
        biased = kind != "cox" and kind not in ENGINES[engine].unbiased
        violations = self.problem.violation(path, lambdas, biased) / lambdas[0]
        return Run(
            engine,
            tolerance,
            share,
            report["seconds"],
            report["processor_seconds"],
            float(violations.max()),
            float(lambdas[violations.argmax()] / lambdas[0]),
            report,
        )

    def package(self, tolerance, share):
        """threshnet's Python package on the same work: its report, once its path is the same."""
        weights = np.load(self.folder / f"{OWN}.npy")[:, :-1]
        arguments = (self.problem.kind, self.folder, lambdas_file(self.folder, share), tolerance)
        report = json.loads(output(sys.executable, HERE / "fits.py", "package", *arguments))
        gap = np.abs(np.load(self.folder / "package.npy") - np.abs(weights)).max()
        if gap > 1e-6:
            raise SystemExit(f"the package's path is not the library's: they differ by {gap:.1e}")
        return report
