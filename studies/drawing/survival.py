"""Real survival data: prediction, number of selected columns, and which GSCADNet selects."""

from collections import Counter

import numpy
from matplotlib import pyplot
from matplotlib.ticker import MaxNLocator

from drawing.boxes import PANEL_HEIGHT, boxes_of, draw_boxes, explain, panel_height
from drawing.results import lines
from drawing.scale import box_limits
from drawing.style import GREY, METHODS, PAGE, SMALL, by_series

STUDY = "survival-real"
METHOD = "gscad"
LEAST = 0.1
# More would fill a page.
MOST_BARS = 30
BAR_HEIGHT = 0.14
# A longer name is shortened in its middle.
LONGEST_NAME = 34


def column_names(path):
    """Column number → name; none if there is no such file."""
    if path is None:
        return {}
    fix = "write index,name for every column"
    return {
        line.required(line.integer_of("index"), "index"): line.fields["name"]
        for line in lines(path, ["index", "name"], fix)
    }


def often_selected(rows):
    """(column, proportion of the fits) from the most often selected down to LEAST."""
    fits = [row for row in rows if row.method == METHOD and row.selected is not None]
    counts = Counter(column for row in fits for column in row.selected)
    shares = [(column, count / len(fits)) for column, count in counts.items()]
    return sorted(
        (pair for pair in shares if pair[1] >= LEAST), key=lambda pair: (-pair[1], pair[0])
    )


def shortened(name):
    """The name, or its ends if it is too long for a label."""
    end = LONGEST_NAME // 2
    return (
        name if len(name) <= LONGEST_NAME else f"{name[: end - 1].rstrip()}…{name[-end:].lstrip()}"
    )


def draw_bars(axes, often, names):
    shown = often[:MOST_BARS]
    shares = [100 * share for _, share in shown]
    labels = [shortened(names.get(column, f"column {column}")) for column, _ in shown]
    axes.barh(range(len(shown)), shares, height=0.7, color=METHODS[METHOD].colour)
    for position, share in enumerate(shares):
        axes.text(share + 1.5, position, f"{share:.0f}", va="center_baseline", fontsize=SMALL)
    axes.set_yticks(range(len(shown)), labels)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(len(shown), 1) - 0.4, -0.6)
    axes.set_xlim(0, 112)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_xlabel("Proportion of splits (%)")
    number = f"{len(shown)} of {len(often)}" if len(often) > MOST_BARS else len(often)
    least = f"≥ {round(100 * LEAST)} %"
    # A title may grow to the left only: the page ends on the right.
    axes.set_title(f"Selected by {METHODS[METHOD].name}: {number} columns, {least}", loc="right")


def median(values):
    return f"{numpy.median(values):g}"


def draw_sizes(axes, boxes, rows):
    """Below the scores, row by row; methods that use every column say so."""
    highest = max((max(box.values) for box in boxes), default=0) or 1
    limits = -0.03 * highest, 1.03 * highest
    draw_boxes(axes, boxes, rows, limits, note=median, heading="median")
    for position, series in enumerate(rows):
        if not series.method.selects:
            axes.text(0, position, "uses all", va="center_baseline", fontsize=SMALL, color=GREY)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.set_title("Selection")
    axes.set_xlabel("Number of selected columns")


def panels(methods, bars):
    """Two panels of boxes one above the other, and one of bars beside them."""
    height = max(2 * panel_height(methods), PANEL_HEIGHT + BAR_HEIGHT * min(bars, MOST_BARS))
    figure = pyplot.figure(figsize=(PAGE, height))
    grid = figure.add_gridspec(2, 2, width_ratios=[1, 1])
    return figure, [figure.add_subplot(grid[where]) for where in ((0, 0), (1, 0), (slice(None), 1))]


def draw(results, model):
    # Other variants are not the paper's comparison.
    rows = [row for row in results.rows(STUDY) if row.model == model and not row.variant]
    if not any(row.score is not None for row in rows):
        return None
    groups = by_series(rows)
    scores = boxes_of(groups, lambda row: row.score)
    selecting = {series: own for series, own in groups.items() if series.method.selects}
    sizes = boxes_of(selecting, lambda row: row.size)
    often = often_selected(rows)
    figure, (top, bottom, right) = panels(len(groups), len(often))
    draw_boxes(top, scores, list(groups), box_limits([box.values for box in scores]))
    top.set_title("Prediction")
    top.set_xlabel("tAUC on test data")
    draw_sizes(bottom, sizes, list(groups))
    draw_bars(right, often, column_names(results.file(STUDY, f"columns-{model}.csv")))
    explain(figure)
    return figure
