"""R², FPR and FNR against the number of columns: means as lines, standard deviations as bands."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy
from matplotlib import pyplot
from matplotlib.lines import Line2D

from drawing.scale import R2_FLOOR
from drawing.style import GREY, PAGE, by_series

BELOW = "_below"
RATES_SHOWN = (0, 10)
PENALTIES = ["glasso", "gmcp", "gscad"]


@dataclass(frozen=True)
class Metric:
    label: str
    value: Callable
    # Where the metric itself ends; a band of mean ± SD may not go further.
    low: float
    high: float
    # What its axis shows at least: zero, and that a rate of nothing is not a matter of decimals.
    shown: tuple = ()


def percent(share):
    return None if share is None else 100 * share


METRICS = [
    Metric("$R^2$ on test data", lambda row: row.score, -numpy.inf, 1),
    Metric("False positive rate (%)", lambda row: percent(row.fpr), 0, 100, RATES_SHOWN),
    Metric("False negative rate (%)", lambda row: percent(row.fnr), 0, 100, RATES_SHOWN),
]


def summary(rows, metric):
    """Number of columns, mean and standard deviation, in ascending order of the first."""
    by_columns = {}
    for row in rows:
        if metric.value(row) is not None:
            by_columns.setdefault(row.d, []).append(metric.value(row))
    columns = sorted(by_columns)
    means = numpy.array([numpy.mean(by_columns[d]) for d in columns])
    deviations = [
        numpy.std(by_columns[d], ddof=1) if len(by_columns[d]) > 1 else 0 for d in columns
    ]
    return columns, means, numpy.array(deviations)


def line_style(method):
    return {
        "color": method.colour,
        "linestyle": method.line,
        "marker": method.marker,
        "markerfacecolor": "white" if method.hollow else method.colour,
        "markeredgecolor": method.colour,
        "markeredgewidth": 0.8,
    }


def draw_metric(axes, groups, metric):
    drawn, reach = [], [*metric.shown]
    for series, rows in groups.items():
        columns, means, deviations = summary(rows, metric)
        if not columns:
            continue
        low = numpy.maximum(means - deviations, metric.low)
        high = numpy.minimum(means + deviations, metric.high)
        colour = series.method.colour
        axes.fill_between(columns, low, high, color=colour, alpha=0.11, linewidth=0)
        axes.plot(columns, means, **line_style(series.method))
        drawn.append((columns, means, colour))
        reach += [low.min(), high.max()]
    if drawn:
        show_all_but_depths(axes, min(reach), max(reach))
        for columns, means, colour in drawn:
            mark_below(axes, columns, means, colour)
    axes.set_xlabel("Number of columns d")
    axes.set_ylabel(metric.label)
    axes.grid(axis="y", color="#E5E5E5", linewidth=0.5)


def show_all_but_depths(axes, lowest, highest):
    """An axis for all means and bands, which ends at R2_FLOOR where they go deeper."""
    low = max(lowest, min(R2_FLOOR, highest))
    margin = 0.04 * (highest - low) or 0.02
    axes.set_ylim(low - margin, highest + margin)


def mark_below(axes, x, means, colour):
    """A mark on the lower edge wherever a mean lies under it."""
    edge = axes.get_ylim()[0]
    below = [at for at, mean in zip(x, means, strict=True) if mean < edge]
    # Without points this would be an artist without a place, which the layout cannot deal with.
    if below:
        axes.plot(below, [edge] * len(below), "v", color=colour, clip_on=False, label=BELOW)


def explanation_of_marks(figure):
    """The legend's entry for means below an axis, if there are any."""
    drawn = {line.get_label() for axes in figure.axes for line in axes.lines}
    mark = Line2D([], [], color=GREY, marker="v", linestyle="none")
    return [(mark, "mean below the axis")] if BELOW in drawn else []


def draw_rows(studies):
    """A row of three panels for every (name, rows); None if there are no rows at all."""
    studies = [(name, by_series(rows)) for name, rows in studies if rows]
    if not studies:
        return None
    figure, axes = pyplot.subplots(
        len(studies), 3, squeeze=False, figsize=(PAGE, 0.55 + 2.1 * len(studies))
    )
    for row, (name, groups) in zip(axes, studies, strict=True):
        for ax, metric in zip(row, METRICS, strict=True):
            draw_metric(ax, groups, metric)
        row[1].set_title(name)
    series = sorted({series for _, groups in studies for series in groups})
    entries = [(Line2D([], [], **line_style(one.method)), one.label) for one in series]
    entries += explanation_of_marks(figure)
    handles, labels = zip(*entries, strict=True)
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(entries), 5))
    return figure


def draw_signals(results):
    return draw_rows(
        [
            ("XOR-type signals", results.rows("xor")),
            ("Hierarchical signals", results.rows("hierarchical")),
        ]
    )


def draw_relaxed(results):
    """relaxed-GLASSONet beside the three penalties, whose fits the study of XOR signals has."""
    own = [row for row in results.rows("relaxed") if row.method == "relaxed"]
    if not own:
        return None
    others = [row for row in results.rows("xor") if row.method in PENALTIES]
    return draw_rows([("XOR-type signals", own + others)])
