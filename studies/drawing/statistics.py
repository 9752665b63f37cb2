"""Means over the fits of a method."""

import numpy


def mean_and_error(values):
    """Mean and standard error of what is not None; (NaN, NaN) without any value."""
    values = [value for value in values if value is not None]
    if not values:
        return numpy.nan, numpy.nan
    error = numpy.std(values, ddof=1) / numpy.sqrt(len(values)) if len(values) > 1 else 0
    return numpy.mean(values), error
