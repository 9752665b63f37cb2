"""Solution paths: the norm of every column's first-layer weights against λ, in six panels."""

import math
from collections import defaultdict

import numpy
from matplotlib import pyplot
from matplotlib.lines import Line2D

from drawing.results import lines
from drawing.style import GREEN, METHODS, PAGE, PALE_GREY

COLUMNS = ["method", "direction", "lambda", "column", "norm"]
# A study writes this file panel by panel, so a line of it cannot be made again alone.
FIX = "delete it and results.csv beside it, and run the study again"
INFORMATIVE = range(4)
# As the paper arranges them: what it warns of above, its own backward paths below.
PANELS = [
    [("gmcp", "cold"), ("gmcp", "forward"), ("glasso", "forward")],
    [("gscad", "backward"), ("gmcp", "backward"), ("glasso", "backward")],
]
DIRECTIONS = {"cold": "cold starts", "forward": "forward path", "backward": "backward path"}
LINES = {
    True: {"color": GREEN, "linestyle": "-", "linewidth": 1.3, "zorder": 3},
    False: {"color": PALE_GREY, "linestyle": (0, (3, 1.5)), "linewidth": 0.8, "zorder": 2},
}


def read_norms(path):
    """(method, direction) → (λ ascending, norms with a row per λ and a column per input)."""
    norms = defaultdict(lambda: defaultdict(dict))
    last = {}
    for line in lines(path, COLUMNS, FIX):
        panel = line.fields["method"], line.fields["direction"]
        penalty = line.required(line.number_of("lambda", low=0), "lambda")
        if penalty == 0:
            raise line.malformed("lambda is 0, which has no logarithm")
        column = line.required(line.integer_of("column"), "column")
        if column in norms[panel][penalty]:
            raise line.malformed(f"column {column} has a norm at lambda {penalty:g} already")
        norm = line.required(line.number_of("norm", low=0), "norm")
        norms[panel][penalty][column] = norm
        last[panel] = line
    return {panel: matrix(by_lambda, last[panel]) for panel, by_lambda in norms.items()}


def matrix(by_lambda, line):
    """Norms by λ and column as an array; every λ must have every column."""
    columns = range(max(set().union(*by_lambda.values())) + 1)
    penalties = sorted(by_lambda)
    for penalty in penalties:
        absent = [column for column in columns if column not in by_lambda[penalty]]
        if absent:
            raise line.malformed(f"up to here lambda {penalty:g} lacks column {absent[0]}")
    return penalties, numpy.array(
        [[by_lambda[penalty][column] for column in columns] for penalty in penalties]
    )


def smoothness(norms):
    """Σ over columns and steps between neighbouring λ of |change of the norm|."""
    return float(numpy.abs(numpy.diff(norms, axis=0)).sum())


def draw_panel(axes, panel, penalties, norms):
    method, direction = panel
    name = f"{METHODS[method].name}, {DIRECTIONS[direction]}"
    axes.set_title(f"{name}\nsum of jumps {smoothness(norms):.3g}")
    axes.set_xlabel("log λ")
    x = [math.log(penalty) for penalty in penalties]
    for column, path in enumerate(norms.T):
        axes.plot(x, path, **LINES[column in INFORMATIVE])
    axes.margins(x=0.02)


def draw(results):
    path = results.file("path", "norms.csv")
    norms = read_norms(path) if path else {}
    if not norms:
        results.missing["path"] = results.folder / "path" / "norms.csv"
        return None
    figure, axes = pyplot.subplots(2, 3, figsize=(PAGE, 4.6))
    for row, panels in zip(axes, PANELS, strict=True):
        for ax, panel in zip(row, panels, strict=True):
            if panel in norms:
                draw_panel(ax, panel, *norms[panel])
            else:
                ax.set_axis_off()
    for column in axes.T:
        # What stands one above the other is compared; group lasso's norms are far smaller.
        top = max((ax.dataLim.ymax for ax in column if ax.has_data()), default=0)
        for ax in column:
            ax.set_ylim(0, 1.05 * top or 1)
    figure.supylabel(r"Norm of a column's first-layer weights $\Vert W_{0j}\Vert_2$")
    handles = [Line2D([], [], **LINES[informative]) for informative in (True, False)]
    labels = ["informative", "nuisance", "sum of jumps: Σ |change of norm| over columns and steps"]
    handles.append(Line2D([], [], linestyle="none"))
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
