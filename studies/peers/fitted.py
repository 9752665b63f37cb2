"""What every package's fit comes down to."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Fitted:
    """A model: predicts numbers, margins or risks from features as they were exported.

    A margin is above 0 where class 1 is the more probable, the more so the larger it is.
    """

    predict: Callable[[np.ndarray], np.ndarray]
    # Column numbers; None if the method uses all columns it is given.
    selected: np.ndarray | None = None
    penalty: float | None = None
