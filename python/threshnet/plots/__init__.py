"""Pictures of fitted estimators.

They need matplotlib. Every function takes a fitted estimator and,
if wanted, the Axes to draw in, and returns its Axes:

    from threshnet.plots import plot_path
    plot_path(model).figure.savefig("path.png")
"""

from .effects import plot_effects
from .frequencies import plot_frequencies
from .path import plot_path
from .survival import plot_survival
from .validation import plot_validation

__all__ = ["plot_effects", "plot_frequencies", "plot_path", "plot_survival", "plot_validation"]
