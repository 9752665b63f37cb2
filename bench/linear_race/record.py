"""The Markdown record of the race for linear models."""

import sys

from linear_race.cells import LAMBDAS
from linear_race.engines import ENGINES, NAMES, OWN
from race.environment import machine, output
from race.record import Notes, digits, table


def standing(attempts, target):
    """The run that counts: the first that is accurate enough, or none."""
    return next((run for run in attempts.runs if run.violation <= target), None)


def row(engine, attempts, ours, options, notes):
    """An engine's line on a cell."""
    counts = standing(attempts, options.target)
    marks = ""
    if attempts.failed:
        marks += f" {notes.mark(attempts.failed)}"
    note = ENGINES[engine].notes.get(options.kind)
    if note:
        marks += f" {notes.mark(note)}"
    if not attempts.runs:
        return [NAMES.get(engine, engine) + marks, "–", "–", "–", "–", "–", "–", "–"]
    run = counts or attempts.runs[-1]
    if run.share != 0.01:
        marks += f" {notes.mark(f'down to {run.share:g} of the largest λ only')}"
    ratio = "–"
    if counts and ours and run.share == ours.share:
        ratio = f"{digits(run.seconds / ours.seconds)}×"
    first = attempts.runs[0]
    return [
        NAMES.get(engine, engine) + marks,
        f"{run.tolerance:g}",
        digits(run.seconds),
        digits(run.processor_seconds),
        f"{run.violation:.1e}" + ("" if counts else " **not met**"),
        ratio,
        digits(first.seconds),
        f"{first.violation:.1e}",
    ]


def section(cell, results, options, notes):
    """A cell: who was how fast."""
    options.kind = cell.kind
    ours = standing(results[OWN], options.target) if OWN in results else None
    header = [
        "package",
        "tolerance",
        "seconds",
        "of the processor",
        "violation",
        "÷ threshnet",
        "seconds at its default",
        "violation there",
    ]
    rows = [row(engine, attempts, ours, options, notes) for engine, attempts in results.items()]
    peers = {engine: standing(attempts, options.target) for engine, attempts in results.items()}
    peers = {engine: run for engine, run in peers.items() if run and engine != OWN}
    verdict = "No peer got there."
    if peers:
        best = min(peers, key=lambda engine: peers[engine].processor_seconds)
        others = sorted(run.processor_seconds for run in peers.values())
        margin = f", {others[1] / others[0]:.1f} times as fast as the next" if others[1:] else ""
        verdict = (
            f"The fastest peer is {NAMES.get(best, best)}, "
            f"{digits(peers[best].processor_seconds)} s of the processor{margin}."
        )
    return f"## {cell}\n\n{table(header, rows, text=1)}\n\n{verdict}\n"


def record(results, packaged, options, load):
    """The whole record; `packaged` has the Python package's reports by cell."""
    notes = Notes()
    sections = "\n".join(section(cell, found, options, notes) for cell, found in results.items())
    versions, instruction_set = {}, "–"
    for found in results.values():
        for attempts in found.values():
            for run in attempts.runs:
                versions |= run.report.get("versions", {})
                if run.engine == OWN:
                    versions[OWN] = run.report["version"]
                    instruction_set = run.report["instruction_set"]
    versions["rustc"] = output("rustc", "--version").split()[1]
    through = "\n".join(
        f"- {cell}: {digits(report['seconds'])} s, {digits(report['processor_seconds'])} s of the "
        "processor"
        for cell, report in packaged.items()
    )
    package = f"\n## Through the Python package\n\n{through}\n" if through else ""
    return f"""# Linear models, {options.date}

The LASSO along {LAMBDAS} λ from the largest to 0.01 of it, on all rows and on those of five \
folds that are the same for all; columns standardised beforehand, no ridge, one thread. Seconds \
are those of the fits alone. The violation is the largest of the optimality conditions of the same \
objective at any λ of the path on all rows, as a share of the largest λ, computed for all from \
their coefficients in 64 bit. Every package starts at its own default tolerance, which is made \
smaller until the violation is at most {options.target:g}; that run counts.

{sections}{package}
{notes}

## How

- command: `make bench-linear FLAGS='{" ".join(sys.argv[1:])}'`
- machine: {machine(instruction_set, load)}
- versions: {", ".join(f"{name} {version}" for name, version in versions.items())}
"""
