"""Draws every picture of `threshnet.plots` on simulated data.

python pictures.py FOLDER
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from threshnet import ThreshNetRegressor, ThreshNetSurvival, survival
from threshnet.plots import (
    plot_effects,
    plot_frequencies,
    plot_path,
    plot_survival,
    plot_validation,
)


def simulated(rng, rows=300, columns=30):
    """Columns of a study: the first four matter, one of them is 0 or 1."""
    names = ["age", "dose_mg", "price_$", "smoker"]
    names += [f"noise_{number}" for number in range(columns - len(names))]
    X = pd.DataFrame(rng.normal(size=(rows, columns)), columns=names)
    X["smoker"] = (X["smoker"] > 0).astype(float)
    signal = np.sin(2 * X["age"]) + 0.7 * X["dose_mg"] ** 2 + X["price_$"] + 1.2 * X["smoker"]
    return X, signal.to_numpy()


def write(axes, folder, name):
    """Saves the figure of these axes."""
    figure = np.ravel(axes)[0].figure
    figure.savefig(folder / f"{name}.png", dpi=100, pil_kwargs={"optimize": True})
    plt.close(figure)


def main(folder):
    """Fits a regression and a survival model and draws them into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    X, signal = simulated(rng)
    y = pd.Series(signal + 0.3 * rng.normal(size=len(X)), name="response")

    single = ThreshNetRegressor(protocol="paper", random_state=0).fit(X, y)
    write(plot_path(single), folder, "path")
    write(plot_validation(single), folder, "validation")

    drawn = ThreshNetRegressor(random_state=0).fit(X, y)
    write(plot_validation(drawn), folder, "validation-draws")
    write(plot_frequencies(drawn), folder, "frequencies")
    write(plot_effects(drawn, X), folder, "effects")

    time, censored = rng.exponential(np.exp(1 - signal)), rng.exponential(6, size=len(X))
    outcome = survival(np.minimum(time, censored), time <= censored)
    train, test = np.arange(200), np.arange(200, 300)
    risk = ThreshNetSurvival(random_state=0).fit(X.iloc[train], outcome[train])
    write(plot_survival(risk, X.iloc[test], outcome[test]), folder, "survival")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(Path(sys.argv[1]))
