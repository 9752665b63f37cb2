"""What every package's fit comes down to."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit


@dataclass(frozen=True)
class Fitted:
    """A model: predicts numbers, margins or risks from features as they were exported.

    A margin is above 0 where class 1 is the more probable, the more so the larger it is. Of more
    than two classes it predicts the probabilities, a column for each.
    """

    predict: Callable[[np.ndarray], np.ndarray]
    # Column numbers; None if the method uses all columns it is given.
    selected: np.ndarray | None = None
    penalty: float | None = None
    # Of two classes: what makes the probability of class 1 of a margin; by default it is log odds.
    probability: Callable[[np.ndarray], np.ndarray] = expit
    # The probability to outlive each of some times, a column for each, from features and times;
    # None for a model of proportional hazards, whose baseline is found from the training rows.
    survival: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
