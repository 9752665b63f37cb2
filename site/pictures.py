"""Draws docs/figures/site/ with the binary that THRESHNET_BINARY names; `make pictures` runs it.

Every picture is drawn twice, for a light and for a dark page. What is drawn comes from one fit of
simulated data, made here, but for the thresholds, which are the formulas of docs/method.md, and the
plan of the repeated fits, which is a plan.
"""

import csv
import json
import os
import subprocess
import tempfile
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
BINARY = Path(os.environ.get("THRESHNET_BINARY", ROOT / "target/release/threshnet"))
FOLDER = ROOT / "docs/figures/site"
ROWS, COLUMNS, MATTER = 300, 50, ("x1", "x2", "x3", "x4", "x5")
COLOURS = ("#00897b", "#e07b00", "#8e5bc0", "#d14f6f", "#3b82c4")
PALETTES = {
    "light": {"text": "#333333", "noise": "#b5b5b5"},
    "dark": {"text": "#dddddd", "noise": "#6b6f7d"},
}


def fit(folder):
    """Friedman's function of five columns among fifty; the folder of the default fit."""
    chance = np.random.default_rng(0)
    X = chance.uniform(size=(ROWS, COLUMNS))
    y = (
        10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20 * (X[:, 2] - 0.5) ** 2
        + 10 * X[:, 3]
        + 5 * X[:, 4]
    )
    table = np.column_stack([X, y + chance.normal(size=ROWS)])
    names = [f"x{number}" for number in range(1, COLUMNS + 1)]
    head = ",".join([*names, "y"])
    np.savetxt(folder / "data.csv", table, delimiter=",", header=head, comments="", fmt="%.9g")
    command = [BINARY, "fit", "data.csv", "--target", "y", "--quiet", "--out", "fit"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / "fit"


def rows(path):
    """A CSV file as dictionaries."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def solution_path(axes, palette, folder):
    """The norm of every column along λ."""
    table = rows(folder / "norms.csv")
    lambdas = [float(row["lambda"]) for row in table]
    names = [name for name in table[0] if name != "lambda"]
    for name in sorted(names, key=lambda name: name in MATTER):
        norms = [float(row[name]) for row in table]
        if name in MATTER:
            colour = COLOURS[MATTER.index(name)]
            axes.plot(lambdas, norms, color=colour, linewidth=2, label=name)
        else:
            axes.plot(lambdas, norms, color=palette["noise"], linewidth=0.8)
    axes.set(xscale="log", xlabel="penalty λ: from dense to sparse", ylabel="strength of a column")
    axes.set_ylim(bottom=0)
    legend(axes, palette, loc="upper right")


def legend(axes, palette, **place):
    """Names of lines, in the ink of the page."""
    for text in axes.legend(frameon=False, **place).get_texts():
        text.set_color(palette["text"])


def thresholds(axes, palette, _folder):
    """What one step makes of a column's norm, λ = 1, γ = 1, a = 3 (MCP) and 3.7 (SCAD)."""
    z = np.linspace(0, 5, 501)
    lasso = np.maximum(z - 1, 0)
    mcp = np.where(z <= 3, 3 / 2 * lasso, z)
    middle = 2.7 / 1.7 * np.maximum(z - 3.7 / 2.7, 0)
    scad = np.where(z <= 2, lasso, np.where(z <= 3.7, middle, z))
    axes.plot(z, z, color=palette["noise"], linestyle=":", linewidth=1)
    for label, norm, colour in zip(
        ("LASSO", "MCP", "SCAD"), (lasso, mcp, scad), COLOURS, strict=False
    ):
        axes.plot(z, norm, color=colour, linewidth=2, label=label)
    axes.axvspan(0, 1, color=palette["noise"], alpha=0.25, linewidth=0)
    axes.text(0.5, 3.6, "exactly\nzero", ha="center", color=palette["text"])
    axes.set(xlabel="norm of a column's weights before", ylabel="norm after")
    legend(axes, palette, loc="lower right")


def frequencies(axes, palette, folder):
    """In what share of the fits the fifteen columns that come first were selected."""
    table = sorted(rows(folder / "frequencies.csv"), key=lambda row: -float(row["frequency"]))[:15]
    threshold = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["threshold"]
    names = [row["name"] for row in table]
    colours = [
        COLOURS[MATTER.index(name)] if name in MATTER else palette["noise"] for name in names
    ]
    axes.bar(names, [float(row["frequency"]) for row in table], color=colours)
    axes.set(ylabel="share of fits that select it", ylim=(0, 1.05))
    axes.tick_params(axis="x", rotation=60)
    axes.axhline(threshold, color=palette["text"], linewidth=0.8, linestyle="--")
    label = {"s": "selected from here on", "ha": "right", "color": palette["text"]}
    axes.text(14.4, threshold + 0.02, **label)


def hero(axes, palette, folder):
    """One fit and twelve, side by side."""
    one, twelve = axes
    solution_path(one, palette, folder)
    one.set_title("one fit: columns fall to zero", loc="left", color=palette["text"])
    frequencies(twelve, palette, folder)
    twelve.set_title("twelve fits: noise does not come back", loc="left", color=palette["text"])


def draws(axes, palette, _folder):
    """Which rows a fit learns from, chooses by, and never sees: a plan, not data."""
    parts = 24
    chance = np.random.default_rng(0)
    for draw in range(12):
        unseen = {2 * draw, 2 * draw + 1}
        others = [part for part in range(parts) if part not in unseen]
        held_out = set(chance.choice(others, size=3, replace=False).tolist())
        for part in range(parts):
            kind = 2 if part in unseen else 1 if part in held_out else 0
            colour = (palette["noise"], COLOURS[1], COLOURS[0])[kind]
            axes.barh(11 - draw, 0.92, left=part, height=0.8, color=colour)
    axes.set(xlabel="rows", xticks=[], yticks=[0, 11], yticklabels=["fit 12", "fit 1"])
    for x, colour, label in (
        (0, palette["noise"], "learned from"),
        (8, COLOURS[1], "held out: chooses λ and ridge"),
        (18, COLOURS[0], "unseen: judges"),
    ):
        axes.barh(12.6, 0.9, left=x, height=0.7, color=colour)
        axes.text(x + 1.2, 12.6, label, va="center", color=palette["text"])
    axes.spines[:].set_visible(False)


INK = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
PICTURES = {
    "hero": (hero, (9.6, 3.2)),
    "path": (solution_path, (7.2, 3.2)),
    "thresholds": (thresholds, (5.6, 3.2)),
    "frequencies": (frequencies, (7.2, 2.8)),
    "draws": (draws, (7.2, 3.0)),
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    # The same picture twice gives the same file.
    pyplot.rcParams |= {"svg.hashsalt": "threshnet", "font.size": 9, "svg.fonttype": "none"}
    pyplot.rcParams["font.family"] = "sans-serif"
    with tempfile.TemporaryDirectory() as home:
        folder = fit(Path(home))
        for name, (draw, size) in PICTURES.items():
            for theme, palette in PALETTES.items():
                ink = dict.fromkeys(INK, palette["text"])
                with pyplot.rc_context(ink):
                    panels = 2 if draw is hero else 1
                    figure, axes = pyplot.subplots(ncols=panels, figsize=size, layout="constrained")
                    for panel in figure.axes:
                        panel.spines[["top", "right"]].set_visible(False)
                    draw(axes, palette, folder)
                    path = FOLDER / f"{name}-{theme}.svg"
                    figure.savefig(path, transparent=True, metadata={"Date": None})
                    pyplot.close(figure)


if __name__ == "__main__":
    main()
