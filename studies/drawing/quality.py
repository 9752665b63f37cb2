"""The default beside the paper's protocol, cell by cell: columns got wrong, and the score."""

from dataclasses import dataclass

import numpy
from matplotlib import pyplot

from drawing.designs import CORRELATED, design, wrong
from drawing.statistics import mean_and_error
from drawing.style import BLUE, GREY, ORANGE, PAGE

STUDY = "quality"
# The designs of the paper's tables; cells of others are in our table alone.
DESIGNS = ("regression", "classification", "survival")
PAPER = [("gmcp", ""), ("gscad", "")]
DEFAULT = ("gmcp", "default")
ROW_HEIGHT, REST = 0.17, 0.9


@dataclass(frozen=True)
class Cell:
    """A design at a size."""

    d: int
    correlated: bool
    model: str
    n: int
    censoring: float | None

    @property
    def label(self):
        words = f"{'correlated ' if self.correlated else ''}{self.model}"
        share = f", C = {self.censoring:g}" if self.model == "survival" else ""
        return f"{words}{share}, {self.n} × {self.d}"


def cell_of(row):
    return Cell(row.d, row.model.startswith(CORRELATED), design(row), row.n, row.censoring)


def errors(row):
    """Falsely selected and missed columns."""
    return sum(wrong(row))


def by_cell(rows):
    """The rows of every cell by candidate and seed, in the order in which they are drawn."""
    cells = {}
    for row in rows:
        if design(row) in DESIGNS and row.fpr is not None:
            candidates = cells.setdefault(cell_of(row), {})
            candidates.setdefault((row.method, row.variant), {})[row.seed] = row
    order = sorted(cells, key=lambda c: (c.d, c.correlated, c.n, c.model, c.censoring or 0))
    return {cell: cells[cell] for cell in order}


def paired(fits, value, sign):
    """(the paper's better method, the default) on the same replicates, by this value."""
    ours = fits.get(DEFAULT, {})
    best = None
    for candidate in PAPER:
        theirs = fits.get(candidate, {})
        seeds = sorted(set(ours) & set(theirs))
        if seeds:
            pair = [[value(of[seed]) for seed in seeds] for of in (theirs, ours)]
            if best is None or sign * numpy.mean(pair[0]) > sign * numpy.mean(best[0]):
                best = pair
    return best


def draw(results):
    cells = by_cell(results.rows(STUDY))
    wrong = {cell: pair for cell, fits in cells.items() if (pair := paired(fits, errors, -1))}
    if not wrong:
        return None
    score = {cell: paired(cells[cell], lambda row: row.score, 1) for cell in wrong}
    places = numpy.arange(len(wrong))
    figure, (left, right) = pyplot.subplots(
        1, 2, sharey=True, figsize=(PAGE, REST + ROW_HEIGHT * len(wrong)), width_ratios=(3, 2)
    )
    for number, (label, colour, marker) in enumerate(
        [("the paper's protocol, the better of MCP and SCAD", ORANGE, "D"), ("default", BLUE, "o")]
    ):
        found = numpy.array([mean_and_error(pair[number]) for pair in wrong.values()])
        left.errorbar(
            found[:, 0], places, xerr=found[:, 1], fmt=marker, color=colour, label=label, lw=0.8
        )
    left.axvline(0, color=GREY, lw=0.6)
    left.set_xlabel("Columns got wrong per fit: false and missed")
    left.set_yticks(places, labels=[cell.label for cell in wrong])
    left.invert_yaxis()
    gains = [mean_and_error(numpy.subtract(ours, theirs)) for theirs, ours in score.values()]
    means, spreads = numpy.array(gains).T
    right.axvline(0, color=GREY, lw=0.6)
    right.errorbar(means, places, xerr=spreads, fmt="o", color=BLUE, lw=0.8)
    right.set_xlabel("Test score: gain of the default")
    for axes in (left, right):
        axes.grid(axis="x", color="#E5E5E5", linewidth=0.5)
        axes.set_axisbelow(True)
    figure.legend(loc="outside lower center", ncols=2)
    return figure
