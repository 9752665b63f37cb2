"""What is raced: the cells, and the engines in them."""

from dataclasses import dataclass

# Scores, and what a fit must exceed: a guess's 0, 0.5 and 0.5, and 0.2 more. Guessing the larger
# class is right in 0.67 to 0.69 of these designs' rows, so for classes the bar is a low one.
SCORES = {"regression": "R²", "classification": "accuracy", "survival": "C-index"}
BAR = {"regression": 0.2, "classification": 0.7, "survival": 0.7}

TRUE_COLUMNS = {0, 1, 2, 3}  # of the paper's designs, whichever

VARIANTS = {"exact": "threshnet", "early": "threshnet, early stopping"}
PEERS = {"gcrnet": "gcrnet", "lassonet": "LassoNet", "stg": "STG"}
NAMES = VARIANTS | PEERS

ALL_CELLS = "path:300x20,path:500x1000,path:500x10000,path:2000x1000,tuned:300x20"


@dataclass(frozen=True)
class Cell:
    """One piece of work on one data set."""

    kind: str
    n: int
    d: int
    design: str

    @property
    def work(self):
        return f"{'one path' if self.kind == 'path' else 'tuned fit'} {self.n}×{self.d}"

    def __str__(self):
        return f"{self.work}, {self.design}"


def cells(names, designs):
    """Cells from `path:300x20,…` and `regression,…`; a ValueError says what is wrong."""
    found = []
    for name in names.split(","):
        kind, _, size = name.partition(":")
        n, _, d = size.partition("x")
        if kind not in ("path", "tuned") or not (n.isdigit() and d.isdigit()):
            raise ValueError(f"{name}: cells look like path:300x20 or tuned:300x20")
        for design in designs.split(","):
            if design not in SCORES:
                raise ValueError(f"{design}: designs are {', '.join(SCORES)}")
            found.append(Cell(kind, int(n), int(d), design))
    return found
