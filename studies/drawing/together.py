"""Two columns that matter only together: how often both are found among ever more columns."""

import numpy
from matplotlib import pyplot
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from drawing.curves import line_style
from drawing.designs import wrong
from drawing.statistics import mean_and_error
from drawing.style import PAGE, by_series

STUDY, DESIGN = "quality", "xor"
PAPER = "paper"
HEIGHT = 2.6
# Two-sided, 95 %.
QUANTILE = 1.96


def interval(found, runs):
    """Wilson's interval for a share of which `found` of `runs` were seen."""
    share, weight = found / runs, QUANTILE**2 / runs
    middle = (share + weight / 2) / (1 + weight)
    reach = QUANTILE / (1 + weight) * numpy.sqrt(share * (1 - share) / runs + weight / (4 * runs))
    return max(middle - reach, 0), min(middle + reach, 1)


def by_width(rows):
    """The rows of every number of columns, in ascending order."""
    widths = {}
    for row in sorted(rows, key=lambda row: row.d):
        widths.setdefault(row.d, []).append(row)
    return widths


def look(series):
    style = line_style(series.method)
    if series.setting == PAPER:
        style |= {"markerfacecolor": "white", "linestyle": (0, (3, 1.5))}
    return style


def draw_found(axes, widths, style):
    found = [sum(wrong(row)[1] == 0 for row in rows) for rows in widths.values()]
    runs = [len(rows) for rows in widths.values()]
    shares = numpy.divide(found, runs)
    low, high = numpy.transpose([interval(*pair) for pair in zip(found, runs, strict=True)])
    reach = numpy.clip([shares - low, high - shares], 0, None)
    axes.errorbar(list(widths), 100 * shares, yerr=100 * reach, elinewidth=0.8, **style)


def draw_false(axes, widths, style):
    false = [mean_and_error(wrong(row)[0] for row in rows) for rows in widths.values()]
    means, errors = numpy.transpose(false)
    axes.errorbar(list(widths), means, yerr=errors, elinewidth=0.8, **style)


def draw(results):
    rows = [row for row in results.rows(STUDY) if row.model == DESIGN and row.fnr is not None]
    if not rows:
        return None
    groups = by_series(rows, lambda row: row.variant or PAPER)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(PAGE, HEIGHT))
    for series, own in groups.items():
        draw_found(left, by_width(own), look(series))
        draw_false(right, by_width(own), look(series))
    left.set_ylabel("Both columns found (% of fits)")
    left.set_ylim(-4, 104)
    right.set_ylabel("Other columns selected, per fit")
    # From none, and so that a few in a hundred fits look like few.
    right.set_ylim(-0.02, max(0.5, right.get_ylim()[1]))
    for axes in (left, right):
        axes.set_xscale("log")
        widths = list(by_width(rows))
        axes.set_xticks(widths, labels=[f"{d:,}".replace(",", " ") for d in widths])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("Number of columns, 500 rows")
        axes.grid(axis="y", color="#E5E5E5", linewidth=0.5)
        axes.set_axisbelow(True)
    handles = [Line2D([], [], **look(series)) for series in groups]
    labels = [series.label for series in groups]
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure
