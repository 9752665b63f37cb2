"""One panel of horizontal box plots, a method a row."""

from dataclasses import dataclass

import numpy
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

from drawing.scale import outside
from drawing.style import BLACK, GREY, SMALL, Series

WIDTH = 0.62
DASHED = {"color": BLACK, "linewidth": 0.8, "linestyle": (0, (4, 3))}
# By these labels the legend finds what it has to explain.
MEDIAN, OUTSIDE = "_median", "_outside"
# Inches that a row of a panel takes, a panel beside its rows, and the legend of a figure.
ROW_HEIGHT, PANEL_HEIGHT, LEGEND_HEIGHT = 0.18, 0.72, 0.22
# A panel of fewer rows still has the height of these.
LEAST_ROWS = 3


@dataclass(frozen=True)
class Box:
    series: Series
    values: list


def panel_height(rows):
    return PANEL_HEIGHT + ROW_HEIGHT * max(rows, LEAST_ROWS)


def boxes_of(groups, value):
    """A box for every series that has values."""
    boxes = []
    for series, rows in groups.items():
        values = [value(row) for row in rows if value(row) is not None]
        if values:
            boxes.append(Box(series, values))
    return boxes


def draw_box(axes, box, position):
    method = box.series.method
    parts = axes.boxplot(
        box.values,
        positions=[position],
        widths=WIDTH,
        orientation="horizontal",
        patch_artist=True,
        manage_ticks=False,
        flierprops={
            "marker": ".",
            "markersize": 3,
            "markerfacecolor": method.colour,
            "markeredgewidth": 0,
            "alpha": 0.6,
        },
    )
    for patch in parts["boxes"]:
        patch.set(edgecolor=method.colour, linewidth=0.9)
        patch.set_facecolor("white" if method.hollow else lightened(method.colour))
    for line in parts["whiskers"] + parts["caps"]:
        line.set(color=method.colour, linewidth=0.9)
    for line in parts["medians"]:
        line.set(color=BLACK, linewidth=1.1, solid_capstyle="butt")


def lightened(colour):
    """The colour on white at a third: the median stays visible, what lies behind does not."""
    return tuple(1 - (1 - part) / 3 for part in to_rgb(colour))


def mark_outside(axes, box, position, limits):
    """Arrows at the edges with the number of points that lie beyond them."""
    below, above = outside(box.values, limits)
    ends = ((below, 0.01, "left", f"◂ {below}"), (above, 0.99, "right", f"{above} ▸"))
    for number, x, side, text in ends:
        if number:
            axes.text(
                x,
                position,
                text,
                transform=axes.get_yaxis_transform(),
                ha=side,
                va="center_baseline",
                fontsize=SMALL,
                color=GREY,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8},
                label=OUTSIDE,
            )


def count(values):
    return f"{len(values)}"


def draw_boxes(axes, boxes, rows, limits, benchmark=None, note=count, heading="runs"):
    """`rows` are the series from the top; `note` is what stands beside a box, under `heading`."""
    positions = {series: row for row, series in enumerate(rows)}
    axes.set_xlim(limits)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="x", color="#E5E5E5", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    for box in boxes:
        position = positions[box.series]
        draw_box(axes, box, position)
        mark_outside(axes, box, position, limits)
        write_beside(axes, position, note(box.values))
        if box.series.method is benchmark:
            middle = numpy.median(box.values)
            axes.axvline(middle, zorder=1, label=MEDIAN, **DASHED)
    axes.annotate(
        heading,
        (1.02, 1),
        xytext=(0, 1),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=SMALL,
        color=GREY,
    )
    axes.set_yticks(range(len(rows)), [series.label for series in rows])


def explain(figure, benchmark=None):
    """A legend of what the panels of this figure have beside boxes."""
    drawn = {artist.get_label() for axes in figure.axes for artist in axes.lines + axes.texts}
    entries = []
    if MEDIAN in drawn:
        entries.append((Line2D([], [], **DASHED), f"median of {benchmark.name}"))
    if OUTSIDE in drawn:
        arrow = Line2D([], [], color=GREY, marker="$◂$", linestyle="none")
        entries.append((arrow, "number of runs beyond the axis"))
    if entries:
        figure.legend(*zip(*entries, strict=True), loc="outside lower center", ncols=2)


def write_beside(axes, position, text):
    axes.text(
        1.02,
        position,
        text,
        transform=axes.get_yaxis_transform(),
        ha="left",
        va="center_baseline",
        fontsize=SMALL,
        color=GREY,
    )
