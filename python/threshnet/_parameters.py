"""What every estimator takes, made of the engine's table of settings, and what it has."""

from inspect import Parameter, Signature
from textwrap import fill

from . import _core

# On what terms columns enter; a file on the command line.
TERMS = [
    {
        "name": "keep",
        "type": "str, int or a sequence of them",
        "default": None,
        "help": "Columns that stay whatever lambda, free of the group penalty though not of the "
        "ridge: names, globs such as `expr_*`, or positions. They are in every model, and error "
        "control and screening are of the others.",
    },
    {
        "name": "penalty_factors",
        "type": "dict, Series or array-like of shape (n_features,)",
        "default": None,
        "help": "What lambda is multiplied by for a column, by name or position, or for each: 0 "
        "keeps a column, infinity drops it. If None: 1 for each.",
    },
    {
        "name": "groups",
        "type": "dict, Series or array-like of shape (n_features,)",
        "default": None,
        "help": "The name of a column's group, by name or position of the column, or for each "
        "(None for a column by itself). The columns of a group enter and leave together, at "
        "lambda times the root of their number. If None: each by itself, the levels of a text "
        "together.",
    },
]

# What Python does its own way; the last parameters of every estimator.
OWN = [
    {
        "name": "random_state",
        "type": "int, RandomState instance or None",
        "default": None,
        "help": "Seed of splits and starts. The same int gives the same bits as `--seed` does on "
        "the command line, whatever `n_jobs`.",
    },
    {
        "name": "n_jobs",
        "type": "int",
        "default": None,
        "help": "Threads, -1 for all cores; does not change the result. With `stability` and "
        "`fdr` these are joblib's workers, so a backend of `joblib.parallel_config` spreads them "
        "further.",
    },
    {
        "name": "verbose",
        "type": "int",
        "default": 0,
        "help": "Whether to show a progress bar.",
    },
]

# Every setting but those, in the order of the table.
SETTINGS = [entry for entry in _core.settings() if entry["name"] not in ("seed", "jobs")]

ATTRIBUTES = """
    Attributes
    ----------
    n_features_in_, feature_names_in_, n_iter_
        As everywhere in scikit-learn; `n_iter_` are the epochs of the last solve. A text is one
        feature, here and in everything else that has a place for each.
    held_out_ : dict or None
        How well it predicts: what networks that did not see them say of rows. `metrics` has every
        metric with its value and its 95 % interval (a bootstrap over these rows), `rows` the rows
        of X, `folds` the fold of each, `prediction` what is said of it (a column per class), `kind`
        whether these are folds that no fit saw, those of cross-validation, or a hold-out. None
        without validation.
    nested_ : dict or None
        With `outer`: how good the whole procedure is on rows that had a say in nothing, as
        `threshnet.validate` returns it. The figure to publish.
    importance_ : dict or None
        With `importance`: what each selected column is worth on held-out rows, after selection:
        `metric`, `columns` with what is lost where the column is left out (dropped) and where it is
        permuted given the others (permuted), each with its 95 % interval.
    price_of_sparsity_ : dict or None
        What all columns together tell of held-out rows and the selected ones do not: `metric`, its
        value for the selected columns (sparse), for a ridge and a forest of all columns (dense) and
        for the ensemble, and the `members` of that. None without an ensemble.
    ensemble_ : estimator
        A fitted copy that predicts with all that was fitted.
    coef_, intercept_ : ndarray
        Of a linear model, on the scale of raw columns; `coefficients_` has them as a table.
    norms_ : ndarray of shape (n_features,)
        The group norm of every column, 0 unless it is selected.
    feature_importances_ : ndarray of shape (n_features,)
        The norms as shares of their sum.
    best_lambda_, best_ridge_ : float
        What was chosen; of repeated fits the medians.
    path_ : dict of arrays
        The grid: ridge, lambda, size, train_loss, validation_loss, validation_se, epochs,
        status. `pandas.DataFrame(model.path_)` makes a table of it.
    chosen_ : ndarray of int
        The row of `path_` that was chosen, or that each repeated fit chose.
    lambdas_, ridges_ : ndarray
        The λs of the path below; the ridges of the grid.
    norms_path_, support_path_ : ndarray of shape (n_features, n_lambdas)
        Norms and selection along the path of the chosen ridge, of its refit, or of the first
        repeated fit. `at` makes any point of it the model.
    validation_ : tuple of float
        Mean and standard error of the held-out loss of what was chosen.
    frequencies_ : ndarray of shape (n_features,) or None
        The share of the repeated fits that selected each column, weighted by what they explain;
        with `stability` the share of half-samples.
    threshold_ : float or None
        The share from which on a column is selected.
    selection_ : dict or None
        With `stability`: selected, frequencies, threshold, false_at_most (on average), mean_size
        of a half's selection, counted (columns per half, None for all). With `fdr`: selected,
        statistics (by how much columns beat their knockoffs), threshold (infinite if nothing can
        be certified).
    contenders_ : list of dict
        The network and the linear models beside it: hidden, penalty, size, held-out loss and its
        se, how far behind the network it is (behind, behind_se), chosen. Is non-linearity needed?
    certificate_ : dict of float
        How far the model is from a stationary point, by kind of condition.
    status_ : str
        How its solve ended: converged, epoch_limit, stopped.
    training_rows_ : ndarray of int
        The rows it was fitted on.
"""


def parametrized(*tasks, first=()):
    """Gives an estimator of these tasks its parameters: `first`, which are its own, the settings
    that mean something for its tasks, the terms of columns, and what Python does its own way."""
    settings = [s for s in SETTINGS if not s["tasks"] or set(s["tasks"]) & set(tasks)]
    entries = [*first, *settings, *TERMS, *OWN]

    def decorate(estimator):
        estimator.__init__ = initializer(estimator, entries)
        estimator._parameters = entries
        text, examples, shown = estimator.__doc__.rstrip().partition("\n\n    Examples")
        parameters = described(entries)
        estimator.__doc__ = (
            f"{text}\n{parameters}{ATTRIBUTES}{examples.removeprefix(chr(10))}{shown}\n"
        )
        return estimator

    return decorate


def initializer(estimator, entries):
    """An `__init__` that keeps every parameter as it is given, as scikit-learn wants it; with a
    signature that it, help and notebooks can read."""
    parameters = [
        Parameter(entry["name"], Parameter.KEYWORD_ONLY, default=entry["default"])
        for entry in entries
    ]

    def __init__(self, **given):
        bound = signature.bind(self, **given)
        bound.apply_defaults()
        for name in list(bound.arguments)[1:]:
            setattr(self, name, bound.arguments[name])

    signature = Signature([Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), *parameters])
    __init__.__signature__ = signature
    __init__.__qualname__ = f"{estimator.__qualname__}.__init__"
    return __init__


def described(entries):
    """The section of a docstring that has these parameters."""
    lines = ["", "    Parameters", "    ----------"]
    for entry in entries:
        lines.append(f"    {entry['name']} : {entry['type']}, default={shown(entry['default'])}")
        indent = " " * 8
        lines.append(fill(entry["help"], 99, initial_indent=indent, subsequent_indent=indent))
    return "\n".join(lines) + "\n"


def shown(default):
    """A default as docstrings write it."""
    return f'"{default}"' if isinstance(default, str) else repr(default)
