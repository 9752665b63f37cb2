"""The list of figures, and the studies that each is drawn from."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from drawing import (
    battery,
    candidates,
    curves,
    mnist,
    paths,
    quality,
    scores,
    sensitivity,
    survival,
    together,
)


@dataclass(frozen=True)
class Figure:
    name: str
    studies: tuple
    # From Results to a matplotlib figure, or None where the results have nothing for it.
    draw: Callable


FIGURES = [
    Figure("path", ("path",), paths.draw),
    Figure("signals", ("xor", "hierarchical"), curves.draw_signals),
    Figure("relaxed", ("relaxed", "xor"), curves.draw_relaxed),
    Figure("boxplots", ("table1",), scores.draw_table1),
    Figure("boxplots-survival", ("table1",), scores.draw_survival),
    Figure("boxplots-correlated", ("table2",), scores.draw_correlated),
    Figure("sensitivity", ("sensitivity",), sensitivity.draw),
    Figure("mnist", ("mnist",), mnist.draw),
    Figure("survival-metabric", ("survival-real",), partial(survival.draw, model="metabric")),
    Figure("survival-glioma", ("survival-real",), partial(survival.draw, model="glioma")),
    Figure("battery", ("battery",), battery.draw),
    Figure("battery-leads", ("battery",), battery.draw_leads),
    Figure("quality", ("quality",), quality.draw),
    Figure("quality-xor", ("quality",), together.draw),
    Figure("candidates", ("candidates",), candidates.draw),
]
NAMES = sorted({name for figure in FIGURES for name in (figure.name, *figure.studies)})


def named(names):
    """The figures of these names; a study's name stands for all figures that show its results."""
    wanted = set(names) or set(NAMES)
    return [figure for figure in FIGURES if wanted & {figure.name, *figure.studies}]
