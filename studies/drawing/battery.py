"""The battery: mean ranks with their critical difference, and the default's lead set by set."""

import numpy
from matplotlib import pyplot
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from drawing.ranks import (
    ENSEMBLE,
    EVERYWHERE,
    OURS,
    STUDY,
    far_enough,
    gains,
    known_sets,
    ranking,
)
from drawing.style import BLUE, GREY, METHODS, PAGE, VERMILLION

# Test rows in training rows, of random 5:1 splits.
TEST_TO_TRAIN = 1 / 5
# The panels of ranks: over which outcomes, of which methods beside those that run everywhere.
PANELS = (
    ("All data sets", None, ()),
    ("Survival, with the clinical columns alone", "cox", ("clinical",)),
    ("Where LassoNet was run", None, ("lassonet",)),
)
LINE, TOP, BOTTOM = 0.42, 0.75, 0.25
SHOWN = {
    OURS: "threshnet",
    ENSEMBLE: "its ensemble",
    "rf": "Forest",
    "clinical": "Cox, clinical columns",
}
COLOURS = {"tuning": BLUE, "confirmation": VERMILLION}
WORDS = {"binary": "AUC", "multiclass": "log-loss", "regression": "$R^2$", "cox": "C-index"}


def name(method):
    return SHOWN.get(method) or METHODS[method].name


def cliques(means, difference):
    """The longest runs of methods, in the order of their ranks, that are not told apart."""
    order = numpy.sort(means)
    runs = [
        (low, order[order <= low + difference].max())
        for low in order
        if (order <= low + difference).sum() - (order < low).sum() > 1
    ]
    # A run within the one before it says nothing new.
    return [
        run for at, run in enumerate(runs) if not any(run[1] <= other[1] for other in runs[:at])
    ]


def draw_ranks(axes, title, ranked):
    """Demšar's diagram: the best on the left, bars over methods that are not told apart."""
    means, difference = ranked.means, ranked.critical_difference
    count = len(means)
    order = numpy.argsort(means, kind="stable")
    half = (count + 1) // 2
    low, high = 1.0, float(count)
    axes.set_xlim(low - 1.6, high + 1.6)
    groups = cliques(means, difference)
    depth = 0.35 + 0.16 * len(groups)
    axes.set_ylim(-depth - LINE * half, 1.25)
    axes.set_axis_off()
    axes.plot([low, high], [0, 0], color=GREY, linewidth=0.8)
    for tick in range(1, count + 1):
        axes.plot([tick, tick], [0, 0.12], color=GREY, linewidth=0.8)
        axes.text(tick, 0.18, str(tick), ha="center", va="bottom")
    axes.text(low - 1.6, 1.05, f"{title} ({len(ranked.ranks)})", va="bottom", fontweight="bold")
    axes.plot([low, low + difference], [0.75, 0.75], color="black", linewidth=1.2)
    axes.text(low + difference + 0.08, 0.75, f"critical difference {difference:.2f}", va="center")
    for place, at in enumerate(order):
        left = place < half
        y = -depth - LINE * (place if left else count - 1 - place)
        x, side = (low - 0.15, "right") if left else (high + 0.15, "left")
        colour = BLUE if ranked.methods[at] in (OURS, ENSEMBLE) else "black"
        axes.plot([means[at], means[at], x], [0, y, y], color=colour, linewidth=0.9)
        label = f"{name(ranked.methods[at])}  {means[at]:.2f}"
        axes.text(x + (-0.06 if left else 0.06), y, label, ha=side, va="center", color=colour)
    for row, (start, end) in enumerate(groups):
        y = -0.2 - 0.16 * row
        axes.plot([start - 0.04, end + 0.04], [y, y], color="black", linewidth=2.4)


def draw(results):
    rows, sets = results.rows(STUDY), known_sets(results)
    everywhere = far_enough(rows, sets, EVERYWHERE)
    panels = []
    for title, task, extra in PANELS:
        of_task = [known for known in sets if task in (None, known.task)]
        ranked = ranking(rows, of_task, (*everywhere, *extra))
        if ranked is not None and len(ranked.methods) > 1:
            panels.append((title, ranked))
    if not panels:
        return None
    figure, axes = pyplot.subplots(len(panels), squeeze=False, figsize=(PAGE, 1.75 * len(panels)))
    for ax, (title, ranked) in zip(axes.flat, panels, strict=True):
        draw_ranks(ax, title, ranked)
    return figure


def lead(rows, known):
    """The default's lead on the best other package, its standard error, and which that is."""
    of_set = gains(rows, known)
    others = {
        method: values
        for method, values in of_set.items()
        if method not in (OURS, ENSEMBLE) and numpy.isfinite(values).all()
    }
    if not others:
        return None
    best = max(others, key=lambda method: numpy.mean(others[method]))
    values = -numpy.array(others[best])
    error = 0.0
    if len(values) > 1:
        error = values.std(ddof=1) * numpy.sqrt(1 / len(values) + TEST_TO_TRAIN)
    return values.mean(), error, best


def draw_leads(results):
    """A panel for every kind of outcome, a line for every data set, the largest lead first."""
    rows, sets = results.rows(STUDY), known_sets(results)
    found = {task: [] for task in WORDS}
    for known in sets:
        led = lead(rows, known)
        if led is not None:
            found[known.task].append((known, led))
    # Survival has as many sets as all others together, and a column of its own.
    columns = [[task for task in WORDS if (task == "cox") == last] for last in (False, True)]
    columns = [[task for task in column if found[task]] for column in columns]
    columns = [column for column in columns if column]
    if not columns:
        return None
    longest = max(sum(len(found[task]) + 3 for task in column) for column in columns)
    figure = pyplot.figure(figsize=(PAGE, 0.4 + 0.17 * longest))
    grid = figure.add_gridspec(1, len(columns))
    for place, column in enumerate(columns):
        heights = [len(found[task]) for task in column]
        for cell, task in zip(
            grid[place].subgridspec(len(column), 1, height_ratios=heights), column, strict=True
        ):
            of_task = sorted(found[task], key=lambda pair: -pair[1][0])
            draw_panel(figure.add_subplot(cell), WORDS[task], of_task)
    entries = [
        Line2D([], [], color=colour, marker="o", markersize=3, linestyle="none")
        for colour in COLOURS.values()
    ]
    labels = [f"{half} half" for half in COLOURS]
    figure.legend(entries, labels, loc="outside lower center", ncols=2)
    return figure


def draw_panel(axes, score, found):
    axes.axvline(0, color=GREY, linewidth=0.8, zorder=1)
    for place, (known, (mean, error, _)) in enumerate(found):
        colour = COLOURS[known.half]
        axes.errorbar(mean, place, xerr=error, color=colour, marker="o", markersize=3, capsize=1.5)
    axes.set_yticks(range(len(found)), [f"{k.name} ({name(led[2])})" for k, led in found])
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0, labelsize=6)
    axes.grid(axis="x", color="#E5E5E5", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_xlabel(f"lead in {score}")
