"""The box plots of test scores: Table 1's cells, all censoring rates, correlated columns."""

from dataclasses import dataclass

from matplotlib import pyplot

from drawing.boxes import LEGEND_HEIGHT, boxes_of, draw_boxes, explain, panel_height
from drawing.scale import box_limits
from drawing.style import METHODS, PAGE, SCORES, by_series

SIZES = [(300, 20), (500, 20), (500, 1000)]
MODELS = ["regression", "classification", "survival"]
# The censoring rate of figures that show only one.
CENSORING = 0.2
# How variants of the paper's comparison start: the settings of outside packages.
SETTINGS = ("trials=", "times=")
BENCHMARK = METHODS["oracle-nn"]


@dataclass(frozen=True)
class Panel:
    title: str
    boxes: list


def size_title(n, d):
    return f"n = {n}, d = {d}"


def cell(rows, model, n, d, censoring):
    """The rows of one model, size and, for survival, censoring rate."""
    rate = censoring if model == "survival" else None
    return [row for row in rows if (row.model, row.n, row.d, row.censoring) == (model, n, d, rate)]


def plain(rows):
    """The rows of the study's usual settings."""
    return [row for row in rows if not row.variant or row.variant.startswith(SETTINGS)]


def score(row):
    return row.score


def censored(rate):
    return f"Survival, {round(100 * rate)} % censored"


def model_title(model):
    return censored(CENSORING) if model == "survival" else model.capitalize()


def labelled(axes, model):
    axes.set_xlabel(f"{SCORES[model]} on test data")


def series_in(panels):
    return sorted({box.series for panel in panels for box in panel.boxes})


def draw_grid(grid):
    """Rows of panels, as (model, panels): a row shares its methods, a model its axis.

    Rows without any results are left out; None if nothing is left."""
    grid = [(model, panels) for model, panels in grid if series_in(panels)]
    if not grid:
        return None
    values = {}
    for model, panels in grid:
        values.setdefault(model, []).extend(box.values for panel in panels for box in panel.boxes)
    limits = {model: box_limits(own) for model, own in values.items()}
    heights = [panel_height(len(series_in(panels))) for _, panels in grid]
    figure, axes = pyplot.subplots(
        len(grid),
        3,
        squeeze=False,
        figsize=(PAGE, sum(heights) + LEGEND_HEIGHT),
        height_ratios=heights,
    )
    for row, (model, panels) in zip(axes, grid, strict=True):
        series = series_in(panels)
        for ax, panel in zip(row, panels, strict=True):
            draw_boxes(ax, panel.boxes, series, limits[model], BENCHMARK)
            ax.set_title(panel.title)
            labelled(ax, model)
            if ax is not row[0]:
                ax.set_yticklabels([])
    explain(figure, BENCHMARK)
    return figure


def row_of_sizes(rows, model, name, censoring=CENSORING):
    panels = []
    for n, d in SIZES:
        chosen = cell(rows, model, n, d, censoring)
        panels.append(Panel(f"{name}\n{size_title(n, d)}", boxes_of(by_series(chosen), score)))
    return model, panels


def draw_table1(results):
    rows = plain(results.rows("table1"))
    return draw_grid([row_of_sizes(rows, model, model_title(model)) for model in MODELS])


def draw_survival(results):
    rows = plain(results.rows("table1"))
    return draw_grid(
        [row_of_sizes(rows, "survival", censored(rate), rate) for rate in (0, 0.2, 0.4)]
    )


def draw_correlated(results):
    """One row of three models, each with its own methods and axis."""
    rows = plain(results.rows("table2"))
    n, d = SIZES[-1]
    panels = []
    for model in MODELS:
        boxes = boxes_of(by_series(cell(rows, model, n, d, CENSORING)), score)
        if boxes:
            panels.append((model, boxes))
    if not panels:
        return None
    most = max(len(boxes) for _, boxes in panels)
    figure, axes = pyplot.subplots(
        1,
        len(panels),
        squeeze=False,
        figsize=(PAGE * len(panels) / 3, panel_height(most) + LEGEND_HEIGHT),
    )
    for ax, (model, boxes) in zip(axes[0], panels, strict=True):
        series = [box.series for box in boxes]
        draw_boxes(ax, boxes, series, box_limits([box.values for box in boxes]), BENCHMARK)
        ax.set_title(f"{model_title(model)}\n{size_title(n, d)}")
        labelled(ax, model)
    explain(figure, BENCHMARK)
    return figure
