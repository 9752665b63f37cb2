"""GSCADNet against the threshold step γ, the learning rate and the network's structure."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy
from matplotlib import pyplot
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from drawing.curves import (
    METRICS,
    RATES_SHOWN,
    explanation_of_marks,
    mark_below,
    show_all_but_depths,
)
from drawing.statistics import mean_and_error
from drawing.style import BLACK, BLUE, PAGE, VERMILLION

METHOD = "gscad"
R2, *RATES = METRICS
LOOKS = {
    R2: ("$R^2$ (left axis)", {"color": BLACK, "marker": "o", "linestyle": "-"}),
    RATES[0]: ("FPR (right axis)", {"color": BLUE, "marker": "s", "linestyle": (0, (4, 1.5))}),
    RATES[1]: ("FNR (right axis)", {"color": VERMILLION, "marker": "^", "linestyle": (0, (1, 1))}),
}
REFERENCE = {"marker": "x", "markersize": 8, "markeredgewidth": 1.8, "linestyle": "none"}


@dataclass(frozen=True)
class Setting:
    """What is varied: `key=value` is the variant of its rows, and the reference's is empty."""

    key: str
    label: str
    reference: float | tuple
    # From the text after the equals sign to something that sorts.
    parse: Callable

    @property
    def is_number(self):
        return self.parse is positive


def positive(text):
    """A number that a logarithmic axis can show."""
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError
    return value


def layers(text):
    """`10-10-5` as (3, 10, 10, 5): the number of layers first, to sort by depth."""
    widths = [int(width) for width in text.split("-")]
    return len(widths), *widths


SETTINGS = [
    Setting("gamma", "Threshold step γ", 1.0, positive),
    Setting("rate", "Learning rate", 0.001, positive),
    Setting("hidden", "Units of the hidden layers", layers("10-5"), layers),
]


def by_value(rows, setting):
    """Value of the setting → rows, ascending, the reference among them."""
    groups = {}
    for row in rows:
        key, _, text = row.variant.partition("=")
        if key not in (setting.key, ""):
            continue
        try:
            value = setting.parse(text) if key else setting.reference
        except ValueError:
            raise row.line.malformed(f"variant {row.variant!r} has no proper value") from None
        groups.setdefault(value, []).append(row)
    return dict(sorted(groups.items()))


def draw_metric(axes, x, groups, metric, reference):
    """Draws means and standard errors, and returns them."""
    _, look = LOOKS[metric]
    own = [map(metric.value, rows) for rows in groups.values()]
    means, errors = numpy.array([mean_and_error(values) for values in own]).T
    line = {**look, "marker": "none"}
    axes.errorbar(x, means, errors, capsize=2, elinewidth=0.8, capthick=0.8, **line)
    for at, value, mean in zip(x, groups, means, strict=True):
        axes.plot(at, mean, **{**look, **(REFERENCE if value == reference else {})})
    return means, errors


def label_values(axes, setting, x, groups):
    axes.set_xlabel(setting.label)
    if setting.is_number:
        axes.set_xscale("log")
        axes.set_xticks(x, [f"{value:g}" for value in groups], rotation=45, ha="right")
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.set_xticks(x, [f"{[*widths]}" for _, *widths in groups], rotation=45, ha="right")
        axes.margins(x=0.12)


def draw_setting(left, right, groups, setting):
    """R² on the left axis, the rates on the right one; returns x, means and errors of R²."""
    x = list(groups) if setting.is_number else list(range(len(groups)))
    for metric in RATES:
        draw_metric(right, x, groups, metric, setting.reference)
    label_values(left, setting, x, groups)
    return x, *draw_metric(left, x, groups, R2, setting.reference)


def scale_left(lefts, drawn):
    """One axis for the R² of all panels."""
    lowest = min((means - errors).min() for _, means, errors in drawn)
    highest = max((means + errors).max() for _, means, errors in drawn)
    show_all_but_depths(lefts[0], lowest, highest)
    for left, (x, means, _) in zip(lefts, drawn, strict=True):
        mark_below(left, x, means, LOOKS[R2][1]["color"])


def scale_right(rights):
    """One axis for the rates of all panels, from a little below zero, where many of them are."""
    top = max(RATES_SHOWN[1], *(right.get_ylim()[1] for right in rights))
    for right in rights:
        right.set_ylim(-0.04 * top, top)
        right.spines["right"].set_visible(True)
        right.tick_params(labelright=right is rights[-1])


def draw(results):
    rows = [
        row for row in results.rows("sensitivity") if row.method == METHOD and row.score is not None
    ]
    settings = [setting for setting in SETTINGS if by_value(rows, setting)]
    if not settings:
        return None
    figure, lefts = pyplot.subplots(1, len(settings), figsize=(PAGE, 2.7), sharey=True)
    lefts = numpy.atleast_1d(lefts)
    rights = [left.twinx() for left in lefts]
    drawn = [
        draw_setting(left, right, by_value(rows, setting), setting)
        for left, right, setting in zip(lefts, rights, settings, strict=True)
    ]
    scale_left(lefts, drawn)
    scale_right(rights)
    lefts[0].set_ylabel(R2.label)
    rights[-1].set_ylabel("FPR, FNR (%)")
    figure.align_xlabels(lefts)
    entries = [(Line2D([], [], **look), name) for name, look in LOOKS.values()]
    entries.append((Line2D([], [], color=BLACK, **REFERENCE), "the paper's choice"))
    entries += explanation_of_marks(figure)
    handles, labels = zip(*entries, strict=True)
    figure.legend(handles, labels, loc="outside lower center", ncols=len(entries))
    return figure
