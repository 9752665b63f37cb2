"""The Markdown record of a race."""

import sys
from string import ascii_lowercase

from race.cells import BAR, NAMES, SCORES, VARIANTS
from race.environment import machine, output
from race.sanity import SMALL, summary


class Notes:
    """Footnotes, each once."""

    def __init__(self):
        self.texts = []

    def mark(self, text):
        """The mark of a note, added unless it is there."""
        if text not in self.texts:
            self.texts.append(text)
        number = self.texts.index(text)
        letters = len(ascii_lowercase)
        prefix = ascii_lowercase[number // letters - 1] if number >= letters else ""
        return f"[{prefix}{ascii_lowercase[number % letters]}]"

    def __str__(self):
        return "\n".join(f"- {self.mark(text)} {text}" for text in self.texts)


def table(header, rows, text=2):
    """A Markdown table whose first columns hold text, the others numbers."""
    align = ["---" if i < text else "--:" for i in range(len(header))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, align, *rows))


def digits(seconds):
    """Three significant digits, without an exponent."""
    return f"{seconds:.0f}" if seconds >= 100 else f"{seconds:.3g}"


def speed(results, notes, options):
    """Seconds and ratios."""
    header = ["work", "outcome"]
    for variant in options.variants:
        header += [f"{NAMES[variant]}, s", "µs per epoch"]
    header += [f"{NAMES[peer]}, s (ratio)" for peer in options.peers]
    rows = []
    for cell, reports in results.items():
        ours = [summary(cell, reports[variant]) for variant in options.variants]
        row = [cell.work, cell.design]
        for figures in ours:
            row += [digits(figures.seconds), f"{figures.per_epoch * 1e6:.1f}"]
        row += [theirs(cell, reports[peer], ours, notes) for peer in options.peers]
        rows.append(row)
    return table(header, rows)


def theirs(cell, report, ours, notes):
    """A peer's seconds, and how many times ours they are."""
    figures = summary(cell, report)
    if figures is None:
        return f"– {notes.mark(report['failed'])}"
    ratios = " / ".join(f"{digits(figures.seconds / row.seconds)}×" for row in ours)
    marks = "".join(f" {notes.mark(note)}" for note in figures.notes)
    bound = f"{figures.bound} " if figures.bound else ""
    return f"{bound}{digits(figures.seconds)} ({ratios}){marks}"


def sanity(results, options):
    """Scores and columns of every engine."""
    header = ["work", "outcome", "engine", "test score", "columns there", "true of 4", "sane fit"]
    rows = []
    for cell, reports in results.items():
        for engine, report in reports.items():
            row = [cell.work, f"{cell.design}, {SCORES[cell.design]}", NAMES[engine]]
            figures = summary(cell, report)
            if figures is None:
                rows.append([*row, "–", "–", "–", "no result"])
                continue
            verdict = "–" if options.quick else figures.verdict
            numbers = [f"{figures.score:.3f}", f"{figures.size:g}", f"{figures.found:g}"]
            rows.append([*row, *numbers, verdict])
    return table(header, rows, text=3)


def predictions(results):
    """What the rule behind ≈ gives where the peer ran in full."""
    rows = [
        [cell.work, cell.design, digits(run["predicted"]), digits(run["seconds"])]
        for cell, reports in results.items()
        for run in reports.get("gcrnet", {}).get("runs", [])
        if "predicted" in run
    ]
    if not rows:
        return ""
    return f"""
## The rule behind gcrnet's ≈, where it ran in full

{table(["work", "outcome", "predicted, s", "measured, s"], rows)}

Predicted before the run, from a few epochs at a few numbers of columns and threshnet's columns \
and epochs.
"""


def starts(results):
    """The seconds behind our medians."""
    rows = [
        [str(cell), NAMES[engine], " ".join(digits(run["seconds"]) for run in report["runs"])]
        for cell, reports in results.items()
        for engine, report in reports.items()
        if engine in VARIANTS
    ]
    return table(["work", "engine", "seconds of each start"], rows, text=3)


def versions(results, options):
    """Of everything that ran."""
    first = next(iter(results.values()))
    found = {"threshnet": first[options.variants[0]]["version"]}
    found["rustc"] = output("rustc", "--version").split()[1]
    for reports in results.values():
        for peer in options.peers:
            found |= reports[peer].get("versions", {})
    return ", ".join(f"{name} {version}" for name, version in found.items())


def record(results, options, load):
    """The whole record."""
    notes = Notes()
    times = speed(results, notes, options)
    ours = next(iter(results.values()))[options.variants[0]]
    return f"""# The race, {options.date}

One thread each, the same arrays. Seconds, and how many times threshnet's they are.

{times}

threshnet: medians over {options.repeats} starts (5 at 500×10000 and 2000×1000). Peers: \
{options.peer_repeats}. ≈ scaled from less work, ≥ not ended within {options.peer_seconds:g} s. \
Every engine has hidden layers 10 and 5. threshnet and gcrnet solve the same: MCP, \
{options.lambdas} λ of the paper's grid, Adam at 0.001, γ = 1, full batch, ridge \
{options.ridge:g} (tuned fit: {options.ridges} ridges, 20 % held out). LassoNet and STG have λs \
and settings of their own: see bench/README.md.

{notes}

## Are these fits?

{sanity(results, options)}

Test score on 2000 fresh rows: the best step of a path, the chosen step of a tuned fit. True \
columns: the most in a step of at most {SMALL} columns of a path; those of the chosen step. Sane: \
{", ".join(f"{SCORES[design]} above {bar}" for design, bar in BAR.items())}, at least two true \
columns, and in a tuned fit at most half of all columns. Guessing the larger class has an accuracy \
of 0.67 to 0.69 here.
{predictions(results)}
## Our starts

{starts(results)}

## How

- command: `{" ".join(["python3", "bench/run.py", *sys.argv[1:]])}`
- data: simulated, seed {options.seed}
- machine: {machine(ours["instruction_set"], load)}
- versions: {versions(results, options)}
"""
