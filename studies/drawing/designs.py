"""What is known of the simulated designs: how many of their columns matter, and what a fit errs."""

CORRELATED = "correlated-"
SUPPORT = {
    "regression": 4,
    "classification": 4,
    "survival": 4,
    "xor": 2,
    "hierarchical": 2,
    "triple": 3,
    "weak": 20,
    "many": 30,
    "blocks": 4,
    "heavy-tailed": 4,
    "discrete": 4,
    "rare": 4,
}


def design(row):
    """The design's name, whether its columns are correlated or not."""
    return row.model.removeprefix(CORRELATED)


def wrong(row):
    """(falsely selected, missed) columns."""
    support = SUPPORT[design(row)]
    return row.fpr * (row.d - support), row.fnr * support


def f1(row):
    """F1 of the support: 2 · found / (2 · found + false + missed)."""
    false, missed = wrong(row)
    found = SUPPORT[design(row)] - missed
    return 2 * found / (2 * found + false + missed)
