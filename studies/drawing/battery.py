"""The battery: mean ranks with their critical difference, and the default's lead set by set."""

import numpy
from matplotlib import pyplot
from matplotlib.lines import Line2D

from drawing.ranks import EVERYWHERE, LOSSES, OURS, STUDY, gains, known_sets, ranking
from drawing.style import BLUE, GREY, METHODS, PAGE, VERMILLION

# Test rows in training rows, of random 5:1 splits.
TEST_TO_TRAIN = 1 / 5
# The panels of ranks: over which outcomes, of which methods.
PANELS = (
    ("All data sets", None, EVERYWHERE),
    ("Survival, with the clinical columns alone", "cox", (*EVERYWHERE, "clinical")),
    ("Where LassoNet was run", None, (*EVERYWHERE, "lassonet")),
)
LINE, TOP, BOTTOM = 0.42, 0.75, 0.25
SHOWN = {OURS: "threshnet", "rf": "Forest", "clinical": "Cox, clinical columns"}
COLOURS = {"tuning": BLUE, "confirmation": VERMILLION}
WORDS = {"binary": "AUC", "multiclass": "log-loss", "regression": "$R^2$", "cox": "C-index"}


def name(method):
    return SHOWN.get(method, METHODS[method].name)


def cliques(means, difference):
    """The longest runs of methods, in the order of their ranks, that are not told apart."""
    order = numpy.sort(means)
    runs = [
        (low, order[order <= low + difference].max())
        for low in order
        if (order <= low + difference).sum() - (order < low).sum() > 1
    ]
    # A run within the one before it says nothing new.
    return [run for at, run in enumerate(runs) if not any(run[1] <= other[1] for other in runs[:at])]


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
        colour = BLUE if ranked.methods[at] == OURS else "black"
        axes.plot([means[at], means[at], x], [0, y, y], color=colour, linewidth=0.9)
        label = f"{name(ranked.methods[at])}  {means[at]:.2f}"
        axes.text(x + (-0.06 if left else 0.06), y, label, ha=side, va="center", color=colour)
    for row, (start, end) in enumerate(groups):
        y = -0.2 - 0.16 * row
        axes.plot([start - 0.04, end + 0.04], [y, y], color="black", linewidth=2.4)


def draw(results):
    rows, sets = results.rows(STUDY), known_sets(results)
    panels = []
    for title, task, methods in PANELS:
        of_task = [known for known in sets if task in (None, known.task)]
        ranked = ranking(rows, of_task, methods)
        if ranked is not None:
            panels.append((title, ranked))
    if not panels:
        return None
    figure, axes = pyplot.subplots(
        len(panels), squeeze=False, figsize=(PAGE, 1.75 * len(panels))
    )
    for ax, (title, ranked) in zip(axes.flat, panels, strict=True):
        draw_ranks(ax, title, ranked)
    return figure


def lead(rows, known):
    """The default's lead on the best other package, its standard error, and which that is."""
    of_set = gains(rows, known)
    others = {
        method: values
        for method, values in of_set.items()
        if method not in (None, OURS) and numpy.isfinite(values).all()
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
    found = [(known, lead(rows, known)) for known in sets]
    found = [(known, led) for known, led in found if led is not None]
    tasks = [task for task in WORDS if any(known.task == task for known, _ in found)]
    if not tasks:
        return None
    by_task = {task: [(k, led) for k, led in found if k.task == task] for task in tasks}
    longest = max(map(len, by_task.values()))
    figure, axes = pyplot.subplots(
        1, len(tasks), squeeze=False, figsize=(PAGE, 0.75 + 0.19 * longest)
    )
    for ax, task in zip(axes.flat, tasks, strict=True):
        draw_panel(ax, WORDS[task], sorted(by_task[task], key=lambda pair: -pair[1][0]))
    for ax in axes.flat:
        ax.set_ylim(longest - 0.5, -0.5)
    entries = [
        Line2D([], [], color=colour, marker="o", linestyle="none") for colour in COLOURS.values()
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
    axes.tick_params(axis="y", length=0, labelsize=5.5)
    axes.grid(axis="x", color="#E5E5E5", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    loss = "less " if score == "log-loss" else ""
    axes.set_xlabel(f"lead in {score}" if not loss else f"lead in {score} (lower)")
