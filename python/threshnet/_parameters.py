"""What every estimator takes and has, said once."""

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
    rivals : sequence of str, default=()
        Other networks to fit, which become the model where they predict better: widths as in
        "10", a penalty as in "scad", or both as in "scad:10,5".
    linear : {"choose", "compare", "leave"}, default=None
        Linear models beside the network: to become the model if they predict better, to compare
        with, or none. None leaves it to the protocol.
    lambdas : array-like, str or None, default=None
        Group penalties: ascending numbers, "MIN:MAX:COUNT" on a log scale, or "auto" to find
        them in the data; by protocol if None.
    ridges : array-like, str or None, default=None
        Ridge penalties: ascending numbers or "MIN:MAX:COUNT"; by protocol if None.
    validation : str, default=None
        How λ and ridge are chosen: "holdout:0.2", "cv:5", "cv:5x3", "draws:12" or "none" (then
        give one of each); by protocol if None.
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
    learning_rate, threshold_step, tolerance : float, default=None
        Of the solver; by protocol if None.
    readmit : bool, default=None
        Let columns that Adam has dropped return where a stationary point needs them.
    starts : int or str, default=None
        Random starts of every path; "5:objective" keeps the best by the penalised objective
        in place of the held-out loss.
    epochs, first_epochs : int, default=None
        Epochs at each λ after the first, and at the first; by protocol if None.
    batch_size : int, default=None
        Most rows per step of Adam; all if None, and always all for survival.
    path : {"backward", "forward", "cold"}, default="backward"
        Order of the λs and what each starts from.
    init : fitted estimator, str or path, default=None
        Start from this model's weights (same columns) in place of random ones.
    skip_ridges, share_start : bool, default=False
        Save work on ridges that are not promising; may change the model.
    standardize : bool, default=True
        Whether columns, and the target of a regression, are standardised with training rows.
        Predictions are on the original scale.
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
        The share of draws, or of half-samples, that selected each column.
    selection_ : dict or None
        With `stability` or `fdr`: the threshold and what it promises.
    contenders_ : list of dict
        The network and the linear models beside it with their held-out losses: is
        non-linearity needed here?
    certificate_ : dict of float
        How far the model is from a stationary point, by kind of condition.
"""


def documented(estimator):
    """Adds what all estimators share to the docstring of one."""
    estimator.__doc__ = f"{estimator.__doc__.rstrip()}\n{PARAMETERS}{ATTRIBUTES}"
    return estimator
