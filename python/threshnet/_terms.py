"""On what terms columns enter a model: which stay, which count more, which belong together."""

from fnmatch import fnmatchcase

import numpy as np

from ._inputs import names, positions


def terms(estimator):
    """Penalty factors and groups as the engine takes them, by position."""
    factors = by_column(estimator, "penalty_factors")
    factors = {column: number(factor, column) for column, factor in factors.items()}
    for column in kept(estimator):
        if factors.setdefault(column, 0.0) != 0.0:
            name = names(estimator, estimator.n_features_in_)[column]
            raise ValueError(
                f"keep: column {name!r} has the penalty factor {factors[column]}, too; leave one "
                "of them out"
            )
    groups = {}
    for column, group in by_column(estimator, "groups").items():
        if not is_none(group):
            groups.setdefault(str(group), []).append(column)
    return {"factors": factors, "groups": groups}


def kept(estimator):
    """The positions of the columns that are to stay."""
    asked = estimator.keep
    if asked is None:
        return []
    known = names(estimator, estimator.n_features_in_)
    found = []
    for column in [asked] if np.ndim(asked) == 0 else asked:
        if not isinstance(column, str) or column in known:
            found += told("keep", estimator, column)
            continue
        matches = [at for at, name in enumerate(known) if fnmatchcase(name, column)]
        if not matches:
            raise ValueError(f"keep: no column matches {column!r}")
        found += matches
    return found


def by_column(estimator, parameter):
    """What a parameter says of columns, by their positions."""
    given = getattr(estimator, parameter)
    if given is None:
        return {}
    # (a Series has items, too, some of which may be of one column)
    if hasattr(given, "items"):
        found = {}
        for column, value in given.items():
            (position,) = told(parameter, estimator, column)
            if position in found:
                raise ValueError(
                    f"{parameter}: column {column!r} is there twice, as {found[position]!r} and "
                    f"{value!r}; a column's weights have one penalty, so say it once"
                )
            found[position] = value
        return found
    values = list(given)
    if len(values) != estimator.n_features_in_:
        raise ValueError(
            f"{parameter}: {len(values)} values for {estimator.n_features_in_} columns; give one "
            "for each, or a dict"
        )
    return dict(enumerate(values))


def told(parameter, estimator, column):
    """The position of a column, or whose parameter it is wrong in."""
    try:
        return positions(estimator, column).tolist()
    except ValueError as error:
        raise ValueError(f"{parameter}: {error}") from None


def number(factor, column):
    """A penalty factor as a number."""
    try:
        return float(factor)
    except (TypeError, ValueError):
        raise ValueError(
            f"penalty_factors: {factor!r}, of column {column}, is not a number"
        ) from None


def is_none(group):
    """Whether this is the group of a column by itself."""
    return group is None or (isinstance(group, float) and np.isnan(group))
