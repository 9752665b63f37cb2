"""Ways to select: F1 of the support, gain in test score and cost of every candidate."""

from dataclasses import dataclass
from statistics import median

import numpy
from matplotlib import pyplot
from matplotlib.ticker import LogFormatter, NullFormatter

from drawing.designs import f1
from drawing.statistics import mean_and_error
from drawing.style import BLUE, GREY, METHODS, ORANGE, PAGE

STUDY = "candidates"
PAPER = ("gmcp", "")
# The default was chosen by the first seed; the others confirm.
TUNING = 77
# Replicate r of a study with seed S has seed S · 10⁶ + r.
STRIDE = 1_000_000
ROW_HEIGHT, REST = 0.17, 0.9
LOOKS = {
    True: ("data to choose by", {"color": ORANGE, "marker": "D", "markerfacecolor": "white"}),
    False: ("fresh data", {"color": BLUE, "marker": "o"}),
}


@dataclass(frozen=True)
class Judged:
    """A fit beside the paper's GMCPNet on the same data."""

    f1: float
    gain: float
    cost: float


def tunes(row):
    return row.seed // STRIDE == TUNING


def label(candidate):
    method, variant = candidate
    return f"{METHODS[method].name}, {variant or 'as in the paper'}"


def by_candidate(rows):
    """{candidate: {cell: fits}} of what GMCPNet fitted too, candidates in the rows' order."""
    rows = [row for row in rows if None not in (row.fpr, row.fnr, row.score)]

    def cell(row):
        return row.model, row.n, row.d, row.censoring

    paper = {(*cell(row), row.seed): row for row in rows if (row.method, row.variant) == PAPER}
    found = {}
    for row in rows:
        beside = paper.get((*cell(row), row.seed))
        if beside is not None:
            judged = Judged(f1(row), row.score - beside.score, row.seconds / beside.seconds)
            cells = found.setdefault((row.method, row.variant), {})
            cells.setdefault(cell(row), []).append(judged)
    return found


def over_cells(cells, value, middle=numpy.mean):
    """Mean over cells of what is in the middle of a cell's fits, and its standard error."""
    return mean_and_error(middle([value(fit) for fit in fits]) for fits in cells.values())


def panels(cells):
    """What the panels show of a candidate; R² has no mean where a fit may be arbitrarily bad."""
    return (
        over_cells(cells, lambda fit: fit.f1),
        over_cells(cells, lambda fit: fit.gain, median),
        over_cells(cells, lambda fit: fit.cost),
    )


def draw(results):
    rows = results.rows(STUDY)
    order = list(by_candidate(rows))
    if not order:
        return None
    figure, axes = pyplot.subplots(
        1, 3, sharey=True, figsize=(PAGE, REST + ROW_HEIGHT * len(order))
    )
    for tuning, (name, style) in LOOKS.items():
        found = by_candidate([row for row in rows if tunes(row) == tuning])
        if not found:
            continue
        shown = numpy.array([panels(cells) for cells in found.values()])
        places = [order.index(candidate) + (-0.12 if tuning else 0.12) for candidate in found]
        for number, ax in enumerate(axes):
            means, errors = shown[:, number].T
            handle = ax.errorbar(means, places, xerr=errors, linestyle="none", lw=0.8, **style)
        handle.set_label(name)
    axes[0].set_xlabel("F1 of the support")
    axes[1].set_xlabel("Test score: gain on GMCPNet")
    axes[1].axvline(0, color=GREY, lw=0.6)
    axes[2].set_xlabel("Cost, ratio to GMCPNet")
    axes[2].set_xscale("log")
    axes[2].xaxis.set_major_formatter(LogFormatter())
    axes[2].xaxis.set_minor_formatter(NullFormatter())
    axes[0].set_yticks(range(len(order)), labels=[label(candidate) for candidate in order])
    axes[0].invert_yaxis()
    for ax in axes:
        ax.grid(color="#E5E5E5", linewidth=0.5)
        ax.set_axisbelow(True)
    figure.legend(loc="outside lower center", ncols=2)
    return figure
