"""LassoNet (Lemhadri et al. 2021): its own path, the λ chosen on held-out rows."""

import contextlib

import numpy as np
import torch
from lassonet import LassoNetClassifier, LassoNetCoxRegressor, LassoNetRegressor
from lassonet.interfaces import NonFiniteLossError
from scipy.special import softmax

from .failure import Failure
from .fitted import Fitted

HIDDEN = (10, 5)
VALIDATION_SHARE = 0.2


class BestOnPath:
    """Keeps the network with the lowest validation loss, and no other, as the path goes by."""

    def __init__(self):
        self.loss = np.inf
        self.item = None
        self.weights = None

    def __call__(self, model, history):
        # The first is the dense start, at no λ; the package's own cross-validation skips it too.
        item = history[-1]
        if len(history) > 1 and item.val_loss < self.loss:
            self.loss, self.item, self.weights = item.val_loss, item, model.model.cpu_state_dict()


def fit(arrays, **settings):
    """The best network of one path; settings are to the package's defaults."""
    arrays, scale, back = arrays.scaled()
    model = untrained(arrays.task, arrays.seed, settings)
    learning, validation = arrays.split(VALIDATION_SHARE)
    best = BestOnPath()
    # What the path had before it diverged can still be chosen.
    with contextlib.suppress(NonFiniteLossError):
        model.path(learning.x, learning.y, X_val=validation.x, y_val=validation.y, callback=best)
    if best.item is None:
        raise Failure("lassonet diverged before its first λ; leave it out of --methods here")
    model.load(best.weights)

    def predict(x):
        predicted = output(model, scale(x))
        return softmax(predicted, axis=1) if arrays.task == "multiclass" else back(predicted)

    return Fitted(
        predict,
        np.flatnonzero(best.item.selected.numpy()),
        float(best.item.lambda_),
    )


def output(model, x):
    """Predicted numbers, log odds, logits or risks; the package's own `predict` gives no odds."""
    network = model.model.eval()
    with torch.no_grad():
        result = network(torch.from_numpy(x).float()).numpy().astype(float)
    if result.shape[1] > 2:
        return result
    return np.diff(result).ravel() if result.shape[1] == 2 else result.ravel()


def untrained(task, seed, settings):
    defaults = {
        "hidden_dims": HIDDEN,
        "torch_seed": seed,
        "random_state": seed,
        "device": torch.device("cpu"),
        "verbose": 0,
    }
    settings = defaults | settings
    if task == "cox":
        # It refuses its own default for ties, None.
        return LassoNetCoxRegressor(tie_approximation="breslow", **settings)
    return (LassoNetRegressor if task == "regression" else LassoNetClassifier)(**settings)
