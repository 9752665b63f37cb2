"""MNIST, 7 against 8: how often each pixel is selected, and the accuracy."""

import numpy
from matplotlib import pyplot

from drawing.boxes import boxes_of, draw_boxes, explain, panel_height
from drawing.results import Malformed, records
from drawing.scale import box_limits
from drawing.style import PAGE, by_series

SIDE = 28
IN_A_ROW = 3
# From black through red to nearly white: lighter is more often, as in the paper.
COLOURS = "magma"
# Every fit is scored twice, on pixels with the noise it was fitted on and without.
CONDITIONS = {"noisy": "Test pixels with noise", "clean": "Test pixels without noise"}


def condition(row):
    """The first word of the variant; what follows is the method's setting."""
    word = row.variant.partition(" ")[0]
    if word not in CONDITIONS:
        raise row.line.malformed(f"variant {row.variant!r} starts with neither noisy nor clean")
    return word


def setting(row):
    return row.variant.partition(" ")[2]


def read_image(path):
    fix = f"write {SIDE} lines of {SIDE} numbers"
    image = []
    for number, record in records(path, fix):
        try:
            image.append([float(text) for text in record])
        except ValueError:
            raise Malformed(path, number, "not numbers", fix) from None
        if len(record) != SIDE:
            raise Malformed(path, number, f"{len(record)} numbers", fix)
    if len(image) != SIDE:
        raise Malformed(path, len(image), f"{len(image)} lines", fix)
    return numpy.array(image)


def frequencies(rows):
    """The share of fits, in %, that select each pixel."""
    counts = numpy.zeros(SIDE * SIDE)
    for row in rows:
        if row.selected and max(row.selected) >= counts.size:
            raise row.line.malformed(f"column {max(row.selected)} is beyond {SIDE} × {SIDE} pixels")
        counts[list(row.selected)] += 1
    return 100 * counts.reshape(SIDE, SIDE) / len(rows)


def selection_maps(rows):
    """Series → (frequencies, number of fits) for the methods that select."""
    chosen = [row for row in rows if row.selected is not None]
    maps = {}
    for series, own in by_series(chosen, setting).items():
        # The two rows of a fit have the same selection, so one stands for it.
        fits = {(row.replicate, row.seed): row for row in own}.values()
        if series.method.selects:
            maps[series] = frequencies(fits), len(fits)
    return maps


def draw_image(axes, image, title, **colours):
    axes.set_title(title)
    axes.set_xticks([])
    axes.set_yticks([])
    # Resampled, a viewer that smooths enlarged images still shows pixels.
    return axes.imshow(image, interpolation="nearest", **colours)


def draw_maps(figure, maps, mean_image):
    panels = len(maps) + (mean_image is not None)
    axes = figure.subplots(-(-panels // IN_A_ROW), IN_A_ROW, squeeze=False)
    free = iter(axes.flat)
    if mean_image is not None:
        draw_image(next(free), mean_image, "Mean training image", cmap="gray")
    highest = max((frequency.max() for frequency, _ in maps.values()), default=0) or 1
    shown = None
    for series, (frequency, fits) in maps.items():
        title = f"{series.label}, {fits} runs"
        shown = draw_image(next(free), frequency, title, cmap=COLOURS, vmin=0, vmax=highest)
    for unused in free:
        unused.set_axis_off()
    if shown is not None:
        bar = figure.colorbar(shown, ax=axes, shrink=0.6, aspect=30, pad=0.02)
        bar.set_label("Selection frequency (% of runs)")


def draw_accuracies(figure, rows):
    boxes = {
        word: boxes_of(
            by_series([row for row in rows if condition(row) == word], setting),
            lambda row: row.score,
        )
        for word in CONDITIONS
    }
    everything = [box for panel in boxes.values() for box in panel]
    series = sorted({box.series for box in everything})
    limits = box_limits([box.values for box in everything])
    axes = figure.subplots(1, len(CONDITIONS))
    for ax, (word, title) in zip(axes, CONDITIONS.items(), strict=True):
        draw_boxes(ax, boxes[word], series, limits)
        ax.set_title(title)
        ax.set_xlabel("Accuracy on test data")
    axes[1].set_yticklabels([])
    explain(figure)


def draw(results):
    rows = results.rows("mnist")
    if not any(row.score is not None for row in rows):
        return None
    image = results.file("mnist", "mean_image.csv")
    mean_image = read_image(image) if image else None
    maps = selection_maps(rows)
    panels = len(maps) + (mean_image is not None)
    heights = [
        2.15 * -(-panels // IN_A_ROW),
        panel_height(len(by_series(rows, setting))),
    ]
    figure = pyplot.figure(figsize=(PAGE, sum(heights)))
    if panels:
        above, below = figure.subfigures(2, 1, height_ratios=heights)
        draw_maps(above, maps, mean_image)
    else:
        below = figure
    draw_accuracies(below, rows)
    return figure
