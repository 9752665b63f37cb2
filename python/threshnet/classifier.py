"""Classes as outcome."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ._base import ThreshNetBase
from ._parameters import documented
from .regressor import outcome_name


@documented
class ThreshNetClassifier(ClassifierMixin, ThreshNetBase):
    """A sparse-input network for two or more classes: logistic loss, cross-entropy.

    `classes_` holds the classes in sorted order.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from threshnet import ThreshNetClassifier
    >>> X, y = make_classification(200, 40, n_informative=3, n_redundant=0, shuffle=False,
    ...                            random_state=0)
    >>> model = ThreshNetClassifier(random_state=0).fit(X, y)
    >>> bool(set(model.get_support(indices=True)) <= {0, 1, 2})
    True
    """

    def _response(self, y, rows):
        self._outcome_names = outcome_name(y)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        if len(y) != rows:
            raise ValueError(f"X has {rows} rows, y has {len(y)}")
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y has one class only: there is nothing to separate")
        return {
            "labels": labels.astype(np.int64),
            "classes": [class_name(value) for value in self.classes_.tolist()],
        }

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The probability of every class, in the order of `classes_`."""
        return self._output(X)

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Its logarithm."""
        return np.log(self.predict_proba(X))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The most probable class."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def class_name(value):
    """A class as `model.json` names it: whole numbers as such, whatever their type."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def classes_of(names):
    """Classes from their names in `model.json`: numbers if all are, else text."""
    for number in (int, float):
        try:
            return np.array([number(name) for name in names])
        except ValueError:
            pass
    if set(names) <= {"False", "True"}:
        return np.array([name == "True" for name in names])
    return np.array(names)
