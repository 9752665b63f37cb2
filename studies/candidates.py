"""The table of the candidates, of the rows that version 0.1.0 left: no later one runs them.

python studies/candidates.py [FOLDER]    writes FOLDER/table.md of FOLDER/results.csv
"""

import sys
from pathlib import Path
from statistics import fmean, median

from drawing.designs import f1, wrong
from drawing.results import Malformed, read_rows
from drawing.style import METHODS

FOLDER = Path(__file__).resolve().parent / "results" / "candidates"
PAPER = ("gmcp", "")
# Replicate r of a study with seed S has seed S · 10⁶ + r.
STRIDE = 1_000_000
# The paper's protocol first, then what was tried against it, and the default.
VARIANTS = ["standardized", "quick", "skip", "1se", "relaxed", "cv5", "cv5+1se", "cv5x3"]
VARIANTS += ["starts5", "starts5-by-objective", "penalty", "auto-lambdas", "readmit", "shortcut"]
VARIANTS += ["draws12+quick+rate0.003+shortcut", "draws12+quick+rate0.003+depth", "draws12"]
VARIANTS += ["draws12+quick", "draws12+quick+rate0.003", "draws18+quick+rate0.003+ridges6"]
VARIANTS += ["draws36+quick+rate0.003+ridges3", "default"]
CANDIDATES = [PAPER, ("gscad", ""), *(("gmcp", variant) for variant in VARIANTS)]
CANDIDATES += [("gscad", "default")]
HEAD = """\
| candidate | cells | fits | F1 | false | missed | score, gain | seconds, ratio |
| --- | --: | --: | --: | --: | --: | --: | --: |
"""


def cell(row):
    return row.model, row.n, row.d, row.censoring


def judged(row, paper):
    """F1, false, missed, then gain in score and ratio of seconds to the paper's fit."""
    return f1(row), *wrong(row), row.score - paper.score, row.seconds / paper.seconds


def line(candidate, cells):
    """Means over cells of means over fits; of the score's median, for R² has no mean where a fit
    may be arbitrarily bad."""
    middles = [fmean, fmean, fmean, median, fmean]
    of_cells = [
        [middle(values) for middle, values in zip(middles, zip(*fits, strict=True), strict=True)]
        for fits in cells.values()
    ]
    score, false, missed, gain, ratio = (fmean(values) for values in zip(*of_cells, strict=True))
    method, variant = candidate
    name = f"{method} {variant or '(paper)'}"
    fits = sum(map(len, cells.values()))
    return (
        f"| {name} | {len(cells)} | {fits} | {score:.3f} | {false:.2f} | {missed:.2f} "
        f"| {gain:+.3f} | {ratio:.1f} |\n"
    )


def of_seed(rows):
    """A line for every candidate that was fitted to data to which the paper's method was."""
    paper = {(*cell(row), row.seed): row for row in rows if (row.method, row.variant) == PAPER}
    found = {}
    for row in rows:
        beside = paper.get((*cell(row), row.seed))
        if beside is not None:
            cells = found.setdefault((row.method, row.variant), {})
            cells.setdefault(cell(row), []).append(judged(row, beside))
    lines = (line(candidate, found[candidate]) for candidate in CANDIDATES if candidate in found)
    return HEAD + "".join(lines)


def markdown(rows):
    """A table for each seed: one was to choose by, another to confirm what was chosen."""
    rows = [row for row in rows if None not in (row.fpr, row.fnr, row.score)]
    seeds = {}
    for row in rows:
        seeds.setdefault(row.seed // STRIDE, []).append(row)
    return "".join(f"Seed {seed}.\n\n{of_seed(seeds[seed])}\n" for seed in sorted(seeds))


def main(arguments):
    folder = Path(arguments[0]) if arguments else FOLDER
    try:
        rows = read_rows(folder / "results.csv", METHODS)
        (folder / "table.md").write_text(markdown(rows))
    except (Malformed, OSError) as problem:
        sys.exit(f"error: {problem}")


if __name__ == "__main__":
    main(sys.argv[1:])
