"""How every figure looks: sizes, and each method's name, colour, marker and line."""

from dataclasses import dataclass

import matplotlib

# Inches. A page is about this wide, so the point sizes below are what a reader sees.
PAGE = 7.2
SMALL = 7
GREY = "#595959"

# Okabe and Ito's colours, which differ for every common kind of colour vision. Their yellow is
# too pale for a line on white. Grey looks like purple or green to some; no panel has it with them.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, MID_GREY = "#0072B2", "#D55E00", "#CC79A7", "#777777"
PALE_GREY = "#999999"


@dataclass(frozen=True)
class Method:
    name: str
    colour: str
    marker: str
    line: str | tuple = "-"
    # Oracles know the relevant columns: the colour of the method they are based on, but hollow. So
    # is the linear LASSO, beside the network under the same penalty.
    hollow: bool = False
    selects: bool = False


# In the order in which figures list them. A forest and its survival form share a colour: no panel
# has both.
METHODS = {
    "glasso": Method("GLASSONet", ORANGE, "s", selects=True),
    "gmcp": Method("GMCPNet", BLUE, "o", selects=True),
    "gscad": Method("GSCADNet", VERMILLION, "^", selects=True),
    "relaxed": Method("relaxed-GLASSONet", MID_GREY, "D", (0, (5, 1.5)), selects=True),
    "stg": Method("STG", PURPLE, "v", (0, (3, 1, 1, 1)), selects=True),
    "lasso": Method("LASSO", ORANGE, "s", (0, (3, 1.5)), hollow=True, selects=True),
    "ridge": Method("ridge", PURPLE, "d", (0, (3, 1.5)), hollow=True),
    "enet": Method("elastic net", VERMILLION, "v", (0, (3, 1.5)), hollow=True, selects=True),
    "clinical": Method("Cox, clinical columns", MID_GREY, "*", selects=True),
    "boosting": Method("boosting", BLACK, "<", selects=True),
    "lassonet": Method("LassoNet", SKY, "X", (0, (5, 1.5)), selects=True),
    "nn": Method("NN", BLACK, "P"),
    "oracle-nn": Method("Oracle-NN", BLACK, "P", (0, (3, 1.5)), hollow=True),
    "rf": Method("RF", GREEN, "p"),
    "oracle-rf": Method("Oracle-RF", GREEN, "p", (0, (3, 1.5)), hollow=True),
    "rsf": Method("RSF", GREEN, "h"),
    "oracle-rsf": Method("Oracle-RSF", GREEN, "h", (0, (3, 1.5)), hollow=True),
}
ORDER = list(METHODS)

SCORES = {
    "regression": "$R^2$",
    "classification": "Accuracy",
    "survival": "C-index",
}


@dataclass(frozen=True, order=True)
class Series:
    """A method with one setting of it, such as its number of trials; sorts in drawing order."""

    rank: int
    setting: str

    @property
    def method(self):
        return METHODS[ORDER[self.rank]]

    @property
    def label(self):
        return f"{self.method.name} ({self.setting})" if self.setting else self.method.name


def by_series(rows, setting=lambda row: row.variant):
    """Rows grouped by method, in drawing order; a method's settings are not pooled."""
    groups = {}
    for row in rows:
        groups.setdefault(Series(ORDER.index(row.method), setting(row)), []).append(row)
    return dict(sorted(groups.items()))


def use_style():
    matplotlib.use("agg")
    matplotlib.rcParams.update(matplotlib.rcParamsDefault)
    matplotlib.rcParams.update(
        {
            # Comes with matplotlib, so that every machine draws the same.
            "font.family": "DejaVu Sans",
            "font.size": SMALL,
            "axes.titlesize": SMALL + 1,
            "axes.labelsize": SMALL + 0.5,
            "xtick.labelsize": SMALL,
            "ytick.labelsize": SMALL,
            "legend.fontsize": SMALL + 0.5,
            "figure.labelsize": SMALL + 0.5,
            "legend.frameon": False,
            "axes.linewidth": 0.6,
            "xtick.major.width": 0.6,
            "ytick.major.width": 0.6,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "lines.linewidth": 1.2,
            "lines.markersize": 3.5,
            "figure.constrained_layout.use": True,
            "savefig.facecolor": "white",
        }
    )
