"""Classes as outcome."""

from collections.abc import Mapping

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


CLASS_WEIGHT = {
    "name": "class_weight",
    "type": 'dict or "balanced"',
    "default": None,
    "help": "What each row of a class counts, times its `sample_weight`: by class, those left out "
    'once; "balanced" lets all classes count the same.',
}


@parametrized("binary", "multiclass", first=[CLASS_WEIGHT])
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

    def _weights(self, response, sample_weight):
        labels = response["labels"]
        if self.class_weight is None:
            return sample_weight
        rows = np.ones(len(labels)) if sample_weight is None else sample_weight
        return rows * self._of_classes(np.bincount(labels, rows))[labels]

    def _of_classes(self, totals):
        """What a row of each class counts, given what the rows of each count together."""
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            # (a class none of whose rows count has nothing to balance)
            shares = len(totals) * totals / totals.sum()
            return np.divide(1.0, shares, out=np.zeros(len(totals)), where=shares > 0)
        if not isinstance(self.class_weight, Mapping):
            raise ValueError(
                f'class_weight: {self.class_weight!r} is neither a dict by class nor "balanced"'
            )
        known = self.classes_.tolist()
        unknown = [name for name in self.class_weight if name not in known]
        if unknown:
            raise ValueError(f"class_weight: {unknown[0]!r} is no class of y, which has {known}")
        return np.array([self.class_weight.get(name, 1.0) for name in known], dtype=np.float64)

    def _class_type(self):
        return CLASS_TYPES.get(self.classes_.dtype.kind, "text")

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The probability of every class, in the order of `classes_`."""
        return self._output(X)

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Its logarithm."""
        return np.log(self.predict_proba(X))

    def predict_set(self, X: ArrayLike, coverage: float = 0.9) -> NDArray[np.bool_]:
        """Whether each class is plausible for every row, a column per class of `classes_`.

        The class of a new row is among the plausible ones with this probability, on average over
        rows like those of the fit; it comes from rows that were held out (cross-conformal
        prediction). A row may have none.
        """
        return self._region(X, coverage).astype(bool)

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
