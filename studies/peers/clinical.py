"""Cox's model of the clinical columns alone: what a clinician has without the laboratory."""

import numpy as np
from sksurv.linear_model import CoxPHSurvivalAnalysis

from .fitted import Fitted
from .scores import survival

# So that columns which repeat one another, and levels without an event, do no harm.
RIDGE = 1.0


def fit(arrays):
    """scikit-survival's model, on standardised columns, with a ridge of one row in the sum."""
    scale, columns = arrays.scaling(), arrays.clinical
    model = CoxPHSurvivalAnalysis(alpha=RIDGE, ties="breslow")
    model.fit(scale(arrays.train.x)[:, columns], survival(arrays.train.y))
    return Fitted(lambda x: model.predict(scale(x)[:, columns]), np.asarray(columns))
