"""The Markdown record of the race for linear models."""

import sys
from dataclasses import dataclass
from itertools import pairwise

from linear_race.cells import LAMBDAS, SHARES, Cell
from linear_race.engines import ENGINES, NAMES, OWN
from race.environment import machine, output
from race.record import Notes, digits, table


def standing(attempts, target):
    """The run that counts: the first that is accurate enough, or none."""
    return next((run for run in attempts.runs if run.violation <= target), None)


@dataclass
class Results:
    """What came of a cell."""

    cell: Cell
    # By engine.
    attempts: dict
    # threshnet's runs to compare with, by the smallest lambda as a share of the largest.
    ours: dict
    # Of its Python package, or none.
    packaged: dict | None

    def section(self, target, notes):
        """Who was how fast."""
        header = [
            "package",
            "tolerance",
            "seconds",
            "of the processor",
            "violation",
            "÷ threshnet",
            "seconds at the first",
            "violation there",
        ]
        rows = [self.row(engine, target, notes) for engine in self.attempts]
        return f"## {self.cell}\n\n{table(header, rows, text=1)}\n\n{self.verdict(target)}\n"

    def row(self, engine, target, notes):
        """An engine's line."""
        attempts = self.attempts[engine]
        remarks = [attempts.failed, ENGINES[engine].notes.get(self.cell.kind)]
        run = standing(attempts, target) or (attempts.runs[-1] if attempts.runs else None)
        if run and run.share != SHARES[0]:
            remarks.append(f"down to {run.share:g} of the largest λ only")
        marks = "".join(f" {notes.mark(remark)}" for remark in remarks if remark)
        name = NAMES.get(engine, engine) + marks
        if run is None:
            return [name, *["–"] * 7]
        met, first = run.violation <= target, attempts.runs[0]
        ours = self.ours.get(run.share) if met else None
        ratio = run.processor_seconds / ours.processor_seconds if ours else None
        return [
            name,
            f"{run.tolerance:g}",
            digits(run.seconds),
            digits(run.processor_seconds),
            f"{run.violation:.1e}" + ("" if met else " **not met**"),
            f"{digits(ratio)}×" if ratio else "–",
            digits(first.seconds),
            f"{first.violation:.1e}",
        ]

    def verdict(self, target):
        """Which peer is the one to beat."""
        standings = {
            engine: standing(attempts, target)
            for engine, attempts in self.attempts.items()
            if engine != OWN
        }
        seconds = {
            engine: run.processor_seconds
            for engine, run in standings.items()
            if run and run.share == SHARES[0]
        }
        if not seconds:
            return "No peer got there."
        best, *others = sorted(seconds, key=seconds.get)
        margin = ""
        if others:
            times = seconds[others[0]] / seconds[best]
            margin = f", {times:.1f} times as fast as {NAMES.get(others[0], others[0])}"
        return (
            f"The fastest peer is {NAMES.get(best, best)}, {digits(seconds[best])} s of the "
            f"processor{margin}."
        )


def record(results, options, load):
    """The whole record."""
    notes = Notes()
    sections = "\n".join(found.section(options.target, notes) for found in results)
    versions, instruction_set = {}, "–"
    runs = [run for found in results for some in found.attempts.values() for run in some.runs]
    for run in runs:
        versions |= run.report.get("versions", {})
        if run.engine == OWN:
            versions[OWN] = run.report["version"]
            instruction_set = run.report["instruction_set"]
    versions["rustc"] = output("rustc", "--version").split()[1]
    through = "\n".join(
        f"- {found.cell}: {digits(found.packaged['seconds'])} s, "
        f"{digits(found.packaged['processor_seconds'])} s of the processor"
        for found in results
        if found.packaged
    )
    package = f"\n## Through the Python package\n\n{through}\n" if through else ""
    # No path of this machine belongs in a record.
    flags = ["DIR" if before == "--data" else flag for before, flag in pairwise(sys.argv)]
    return f"""# Linear models, {options.date}

The LASSO along {LAMBDAS} λ from the largest to 0.01 of it, on all rows and on those of five \
folds that are the same for all; columns standardised beforehand, no ridge, one thread. Seconds \
are those of the fits alone. The violation is the largest of the optimality conditions of the same \
objective at any λ of the path on all rows, as a share of the largest λ, computed for all from \
their coefficients in 64 bit. Every peer starts at its own default tolerance and threshnet at \
{ENGINES[OWN].tolerances[0]:g}; it is made smaller until the violation is at most \
{options.target:g}, and that run counts. Ratios are of the processor's seconds, which other work \
on the machine does not add to.

{sections}{package}
{notes}

## How

- command: `make bench-linear FLAGS='{" ".join(flags)}'`
- machine: {machine(instruction_set, load)}
- versions: {", ".join(f"{name} {version}" for name, version in versions.items())}
"""
