"""Real data: the gain on the default against the number of columns, a panel for every data set.

Methods may have different splits, and some splits are easier than others: a gain is the mean of
the differences on the splits that a method has in common with the default.
"""

from dataclasses import dataclass

from matplotlib import pyplot
from matplotlib.lines import Line2D
from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

from drawing.curves import line_style
from drawing.statistics import mean_and_error
from drawing.style import GREY, PAGE, Series, by_series

STUDY = "real"
DEFAULT = ("gmcp", "default")
# Data sets in the order of the study: how each is called, and what it is scored by.
DATA = {
    "colon": ("Colon", "AUC"),
    "leukemia": ("Leukemia", "AUC"),
    "madelon": ("MADELON", "AUC"),
    "riboflavin": ("Riboflavin", "$R^2$"),
    "metabric": ("METABRIC", "tAUC"),
    "glioma": ("Glioma", "tAUC"),
}
IN_A_ROW = 3
PANEL_HEIGHT, LEGEND_HEIGHT = 1.9, 0.5
# What is fitted in several ways shares a colour, and one of them is filled: of ours the default,
# of survival forests those on all event times.
VARIANTS = {
    "default": {"markersize": 6},
    "network": {"markerfacecolor": "white"},
    "paper": {"markerfacecolor": "white", "marker": "D"},
    "times=50": {"markerfacecolor": "white"},
}
# Where a selection of nothing stands on an axis that has no 0.
NOTHING = 0.5


@dataclass(frozen=True)
class Point:
    """A method on a data set: means over splits, and their standard errors."""

    series: Series
    size: tuple
    gain: tuple


def look(series):
    marker = line_style(series.method) | {"markersize": 5, "linestyle": "none"}
    return marker | VARIANTS.get(series.setting, {})


def points(rows):
    """A point for every method scored beside the default; one that selects none uses all."""
    scored = [row for row in rows if row.score is not None]
    default = {row.seed: row.score for row in scored if (row.method, row.variant) == DEFAULT}
    found = []
    for series, own in by_series(scored).items():
        paired = [row for row in own if row.seed in default]
        if paired:
            size = mean_and_error(row.size if series.method.selects else row.d for row in paired)
            gain = mean_and_error(row.score - default[row.seed] for row in paired)
            found.append(Point(series, size, gain))
    return found


def draw_point(axes, point):
    (size, size_error), (gain, gain_error) = point.size, point.gain
    size = max(size, NOTHING)
    left = size - max(size - size_error, NOTHING)
    axes.errorbar(
        size,
        gain,
        xerr=[[left], [size_error]],
        yerr=gain_error,
        capsize=1.5,
        elinewidth=0.8,
        capthick=0.8,
        **look(point.series),
    )


def plain_numbers(axis, low, high):
    """Labels decades, and 2 and 5 where there are few of these; the rest only has ticks."""
    steps = (1,) if high > 100 * low else (1, 2, 5)
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(FormatStrFormatter("%g"))
    axis.set_minor_formatter(NullFormatter())


def draw_panel(axes, rows):
    drawn = points(rows)
    axes.set_xscale("log")
    axes.grid(color="#E5E5E5", linewidth=0.5)
    axes.set_axisbelow(True)
    for point in drawn:
        draw_point(axes, point)
    axes.axhline(0, color=GREY, linewidth=0.8, zorder=1)
    ends = [gain + way * error for gain, error in (p.gain for p in drawn) for way in (-1, 1)]
    margin = 0.06 * (max(ends) - min(ends)) or 0.02
    axes.set_ylim(min(ends) - margin, max(ends) + margin)
    axes.margins(x=0.08)
    plain_numbers(axes.xaxis, *axes.get_xlim())
    first = rows[0]
    name, score = DATA[first.model]
    axes.set_title(f"{name}, {first.n} × {first.d}")
    axes.set_xlabel("Number of columns")
    axes.set_ylabel(f"{score}, gain on the default")


def draw(results):
    rows = [row for row in results.rows(STUDY) if row.score is not None]
    by_model = [[row for row in rows if row.model == model] for model in DATA]
    panels = [own for own in by_model if points(own)]
    if not panels:
        return None
    height = -(-len(panels) // IN_A_ROW)
    figure, axes = pyplot.subplots(
        height,
        min(len(panels), IN_A_ROW),
        squeeze=False,
        figsize=(PAGE, PANEL_HEIGHT * height + LEGEND_HEIGHT),
    )
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    for ax, own in zip(axes.flat, panels, strict=False):
        draw_panel(ax, own)
    entries = [(Line2D([], [], **look(series)), series.label) for series in by_series(rows)]
    handles, labels = zip(*entries, strict=True)
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(entries), 4))
    return figure
