"""The battery's methods by their ranks over data sets, and which differences of ranks are chance.

On a data set a method stands where its mean difference from the default puts it, on the splits that
both have; what was ended on every split stands last, and equals share a rank. Friedman's test and
Nemenyi's critical difference are those of Demšar (2006, JMLR 7:1–30), at 5 %.
"""

from dataclasses import dataclass

import numpy

from drawing.results import lines

STUDY = "battery"
OURS = "gmcp"
# Of ours the variants that are ranked: the sparse model, and all that was fitted together.
DEFAULT = "default"
ENSEMBLE = "ensemble"
RANKED = {DEFAULT: OURS, "ensemble default": ENSEMBLE}
LOSSES = ("log_loss",)
# What ranks as one method: forests and survival forests do the same for other outcomes.
FAMILIES = {"rsf": "rf"}
# What runs on every data set, in minutes at most; LassoNet is ranked where it was run.
EVERYWHERE = (OURS, ENSEMBLE, "lasso", "ridge", "enet", "boosting", "rf")
# A method that has not come so far yet is not ranked: it would leave few sets for the others.
MOST_SETS = 0.8
# The studentised range for 2, 3, … methods over √2, at 5 %.
QUANTILES = (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)
SETS = ["name", "half", "looked_at", "task", "metric"]


@dataclass(frozen=True)
class Known:
    """What is known of a data set of the battery."""

    name: str
    half: str
    looked_at: bool
    task: str
    # What methods are ranked by.
    metric: str


@dataclass(frozen=True)
class Ranking:
    """Methods ranked on the same data sets."""

    methods: tuple
    # A row per data set, a column per method.
    ranks: numpy.ndarray

    @property
    def means(self):
        return self.ranks.mean(axis=0)

    @property
    def critical_difference(self):
        """Mean ranks that are closer may differ by chance."""
        sets, methods = self.ranks.shape
        return QUANTILES[methods - 2] * numpy.sqrt(methods * (methods + 1) / (6 * sets))


def known_sets(results):
    """The data sets as the study lists them, or none where there is no list."""
    path = results.file(STUDY, "sets.csv")
    if path is None:
        return []
    fields = [line.fields for line in lines(path, SETS)]
    return [
        Known(f["name"], f["half"], f["looked_at"] == "true", f["task"], f["metric"])
        for f in fields
    ]


def family(row):
    """The method that a row counts for in ranks; None for other variants of ours."""
    if row.method == OURS:
        return RANKED.get(row.variant)
    return FAMILIES.get(row.method, row.method)


def gains(rows, known):
    """Of every method its gains on the default by split; −∞ alone if it was ended on all."""
    rows = [
        row
        for row in rows
        if row.model == known.name and row.metric == known.metric and family(row)
    ]
    default = {row.seed: row.score for row in rows if family(row) == OURS}
    sign = -1 if known.metric in LOSSES else 1
    found, ended = {}, set()
    for row in rows:
        if row.score is None:
            ended.add(family(row))
        elif default.get(row.seed) is not None:
            gain = sign * (row.score - default[row.seed])
            found.setdefault(family(row), []).append(gain)
    return {method: [-numpy.inf] for method in ended} | found


def median_sizes(rows, sets, methods):
    """How many columns methods select: the median over data sets that all who select have rows of.

    None of a method that uses all columns.
    """
    of_sets = []
    for known in sets:
        found = {}
        for row in rows:
            if row.model == known.name and row.metric == known.metric and row.size is not None:
                found.setdefault(family(row), []).append(row.size)
        of_sets.append({method: numpy.mean(sizes) for method, sizes in found.items()})
    selecting = [m for m in methods if any(m in of_set for of_set in of_sets)]
    whole = [of_set for of_set in of_sets if all(m in of_set for m in selecting)]
    return [
        float(numpy.median([of_set[m] for of_set in whole])) if m in selecting and whole else None
        for m in methods
    ]


def far_enough(rows, sets, methods):
    """Those of the methods that have rows of nearly all data sets, beside the default's."""
    found = [gains(rows, known) for known in sets]
    with_default = [of_set for of_set in found if OURS in of_set]
    least = max(1, MOST_SETS * len(with_default))
    has_come = [sum(method in of_set for of_set in with_default) >= least for method in methods]
    return tuple(method for method, far in zip(methods, has_come, strict=True) if far)


def shared_ranks(values):
    """Ranks from 1 for the largest; equals have the mean of theirs."""
    values = numpy.asarray(values)
    above = (values[None, :] > values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1)
    return above + (equal + 1) / 2


def ranking(rows, sets, methods):
    """The ranks of methods on the data sets that all of them have; None if there is none."""
    ranks = []
    for known in sets:
        of_set = gains(rows, known)
        if all(method in of_set for method in methods):
            ranks.append(shared_ranks([numpy.mean(of_set[method]) for method in methods]))
    return Ranking(tuple(methods), numpy.array(ranks)) if ranks else None
