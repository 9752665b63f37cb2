"""What every estimator takes and has, said once."""

from inspect import signature

PARAMETERS = """
    Parameters
    ----------
    penalty : {"mcp", "scad", "lasso"}, default="mcp"
        Group penalty of a column's first-layer weights.
    concavity : float, default=None
        The penalty's a; 3 for mcp and 3.7 for scad if None.
    hidden : sequence of int, default=None
        Widths of the hidden layers, (10, 5) if None; () for a linear model. To give them is to
        want that network: linear models are then compared with it but do not replace it.
    activation : {"relu", "softplus", "gelu", "tanh", "sigmoid", "selu"}, default="relu"
        Between layers.
    shortcut : bool, default=False
        Whether columns also lead straight to the output, beside the hidden layers.
    linear : {"choose", "compare", "leave"}, default=None
        Linear models beside the network: to become the model if they predict better, to compare
        with, or none. If None "choose"; "compare" if `hidden` is given; "leave" under the
        paper's protocol, without validation and with `stability` and `fdr`.
    lambdas : array-like, str or None, default=None
        Group penalties: ascending numbers, or "MIN:MAX:COUNT" on a log scale. 50 from 0.001 (0.01 for more columns than training rows) to 0.5 if
        None; from 0.0005 to 0.002 with lasso.
    ridges : array-like, str or None, default=None
        Ridge penalties: ascending numbers or "MIN:MAX:COUNT". Up to ten from 0.001 (0.01 for
        more columns than training rows) to 0.06 if None, 0.1 under the paper's protocol; three
        of them in the runs of `fdr`.
    validation : str, default=None
        How λ and ridge are chosen: "holdout:0.2", "cv:5", "draws:12" or "none" (then
        give one of each). "draws:12" if None; "holdout:0.2" under the paper's protocol and with
        `stability` and `fdr`.
    rule : {"min", "1se"}, default="min"
        Which λ: the best, or the largest within one standard error of it.
    frequency : float, default=None
        The share of draws that must select a column.
    refit : bool, default=None
        Whether to fit again on all rows at the chosen point; after "cv" if None.
    protocol : {"default", "paper"}, default="default"
        Where defaults come from: many draws, or the paper's procedure to the letter.
    stability : int, default=None
        Select by stability: so many pairs of complementary half-samples; 50 is usual.
    max_false : float, default=1.0
        How many columns no better than chance to allow among those, on average.
    fdr : float, default=None
        Select at this false-discovery rate: the columns that beat their knockoffs. A rate q
        cannot certify fewer than 1/q columns.
    screen : int, default=None
        Keep so many columns by a marginal statistic first, in every split. Columns that matter
        only jointly do not survive that.
    solver : {"adam", "proximal"}, default="adam"
        The paper's, or composite gradient descent with line search.
    learning_rate : float, default=None
        Adam's; 0.003, or 0.001 with lasso or under the paper's protocol.
    threshold_step : float, default=None
        Step of the threshold, the paper's γ; 1 for adam, a line search for proximal.
    tolerance : float, default=None
        When a λ is finished. adam: once its remaining epochs would lower loss and ridge by less
        than this share, 0.01, or never with lasso or under the paper's protocol. proximal: at
        this certificate, 1e-6.
    look_again : bool, default=None
        Let draws look again at columns they have left out, beside those they select: finds what
        matters only bent or with another column. Yes for more columns than training rows, no
        otherwise.
    epochs, first_epochs : int, default=None
        Epochs at each λ after the first, 200, and at the first, 2000, or 200 for more columns
        than training rows; 5000 for proximal.
    batch_size : int, default=None
        Most rows per step of Adam; all if None.
    path : {"backward", "forward", "cold"}, default="backward"
        Order of the λs and what each starts from.
    init : fitted estimator, str or path, default=None
        Start from this model's weights (same columns) in place of random ones. Where the
        estimator is cloned, wrap it in sklearn.frozen.FrozenEstimator.
    skip_ridges : bool, default=False
        Save work on ridges that are not promising; may change the model.
    standardize : bool, default=True
        Whether columns, and the target of a regression, are standardised with training rows.
        Predictions are on the original scale.
    lift : float, default=None
        Of a regression alone: how many standard deviations the mean of a standardised target
        lies above 0 for a network, 0 if None. With 0.5 it finds more of what matters only bent,
        and more noise.
    random_state : int, RandomState instance or None, default=None
        Seed of splits and starts. The same int gives the same bits as `--seed` does on the
        command line, whatever `n_jobs`.
    n_jobs : int, default=None
        Threads, -1 for all cores; does not change the result. With `stability` and `fdr` these
        are joblib's workers, so a backend of `joblib.parallel_config` spreads them further.
    verbose : int, default=0
        Whether to show a progress bar.
"""

ATTRIBUTES = """
    Attributes
    ----------
    n_features_in_, feature_names_in_, n_iter_
        As everywhere in scikit-learn; `n_iter_` are the epochs of the last solve.
    norms_ : ndarray of shape (n_features,)
        The group norm of every column, 0 unless it is selected.
    feature_importances_ : ndarray of shape (n_features,)
        The norms as shares of their sum.
    best_lambda_, best_ridge_ : float
        What was chosen; the draws' medians where there were draws.
    path_ : dict of arrays
        The grid: ridge, lambda, size, train_loss, validation_loss, validation_se, epochs,
        status. `pandas.DataFrame(model.path_)` makes a table of it.
    chosen_ : ndarray of int
        The row of `path_` that was chosen, or that each draw chose.
    lambdas_, ridges_ : ndarray
        The λs of the path below; the ridges of the grid.
    norms_path_, support_path_ : ndarray of shape (n_features, n_lambdas)
        Norms and selection along the path of the chosen ridge, of its refit, or of the first
        draw. `at` makes any point of it the model.
    validation_ : tuple of float
        Mean and standard error of the held-out loss of what was chosen.
    frequencies_ : ndarray of shape (n_features,) or None
        The share of draws that selected each column, weighted by what they explain; with
        `stability` the share of half-samples.
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


def section(first, following):
    return PARAMETERS[PARAMETERS.index(f"    {first} :") : PARAMETERS.index(f"    {following} :")]


# What not every estimator has.
SOME = {"batch_size": section("batch_size", "path"), "lift": section("lift", "random_state")}


def documented(estimator):
    """Puts what all estimators share into the docstring of one, its own parameters first."""
    text, examples, shown = estimator.__doc__.rstrip().partition("\n\n    Examples")
    shared = PARAMETERS
    for name, said in SOME.items():
        if name not in signature(estimator).parameters:
            shared = shared.replace(said, "")
    if "    Parameters\n" in text:
        shared = "\n" + shared.partition("----------\n")[2]
    else:
        shared = "\n" + shared
    estimator.__doc__ = f"{text}{shared}{ATTRIBUTES}{examples.removeprefix(chr(10))}{shown}\n"
    return estimator
