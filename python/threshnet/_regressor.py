"""Numbers as outcome."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, column_or_1d

from ._base import ThreshNetBase
from ._inputs import given_outcome, refuse_durations
from ._parameters import parametrized


@parametrized("regression")
class ThreshNetRegressor(RegressorMixin, ThreshNetBase):
    """A sparse-input network for a continuous outcome: squared loss.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from threshnet import ThreshNetRegressor
    >>> X, y = make_friedman1(300, n_features=50, random_state=0)
    >>> model = ThreshNetRegressor(random_state=0).fit(X, y)
    >>> [int(column) for column in model.get_support(indices=True)]
    [0, 1, 2, 3, 4]
    """

    def _response(self, y):
        given_outcome(self, y)
        outcome = outcome_name(y)
        refuse_durations(y, outcome[0] if outcome else "y")
        y = column_or_1d(y, warn=True)
        values = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        return {"values": values}, outcome

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """The predicted numbers, on the scale of y."""
        return self._output(X)[:, 0]

    def predict_interval(self, X: ArrayLike, coverage: float = 0.9) -> NDArray[np.float64]:
        """The lower and the upper end of an interval for every row, a column each.

        The outcome of a new row is in its interval with this probability, on average over rows
        like those of the fit; it comes from rows that were held out (cross-conformal prediction).
        """
        return self._region(X, coverage)


def outcome_name(y):
    """The name of the outcome's column, where it has one."""
    name = getattr(y, "name", None)
    return [] if name is None else [str(name)]
