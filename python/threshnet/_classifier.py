"""Classes as outcome."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ._base import ThreshNetBase
from ._inputs import given_outcome
from ._parameters import parametrized
from ._regressor import outcome_name

# What `model.json` calls the types of classes, by NumPy's kinds; anything else is text.
CLASS_TYPES = {"i": "int", "u": "int", "f": "float", "b": "bool"}


@parametrized("binary", "multiclass")
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

    def _response(self, y):
        given_outcome(self, y)
        outcome = outcome_name(y)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y has one class only: there is nothing to separate")
        classes = [class_name(value) for value in self.classes_.tolist()]
        return {"labels": labels.astype(np.int64), "classes": classes}, outcome

    def _class_type(self):
        return CLASS_TYPES.get(self.classes_.dtype.kind, "text")

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The probability of every class, in the order of `classes_`."""
        return self._output(X)

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Its logarithm."""
        return np.log(self.predict_proba(X))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The most probable class."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]


def class_name(value):
    """A class as `model.json` names it: whole numbers as such, whatever their type."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def classes_of(names, kind):
    """Classes from their names in `model.json`, of this type; if it is not known, as the command
    line leaves it, numbers if all are numbers in ascending order, else text."""
    if kind == "bool":
        return np.array([name == "True" for name in names])
    for number in (int, float):
        try:
            classes = np.array([number(name) for name in names])
        except ValueError:
            continue
        if kind == number.__name__ or kind is None and (np.diff(classes) > 0).all():
            return classes
    return np.array(names)
