"""Which part of a score's range an axis shows."""

import numpy

# R² has no lower end. Below this a model is so much worse than the mean that how much is no news.
R2_FLOOR = -0.5


def whiskers(values):
    """The lowest and highest value within 1.5 interquartile ranges of the box."""
    values = numpy.asarray(values)
    low, high = numpy.percentile(values, [25, 75])
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    return inside.min(), inside.max()


def box_limits(groups):
    """An axis that shows every box with its whiskers and the outliers close by.

    A box may reach below R2_FLOOR, where the axis ends; no other score gets there."""
    ends = numpy.array([whiskers(values) for values in groups])
    every = numpy.concatenate([numpy.asarray(values) for values in groups])
    low, high = ends[:, 0].min(), ends[:, 1].max()
    room = 0.15 * (high - low)
    low, high = max(low - room, every.min()), min(high + room, every.max())
    if high > R2_FLOOR:
        low = max(low, R2_FLOOR)
    margin = 0.04 * (high - low) or 0.05
    return low - margin, high + margin


def outside(values, limits):
    """How many values lie below and above the axis."""
    values = numpy.asarray(values)
    return int((values < limits[0]).sum()), int((values > limits[1]).sum())
