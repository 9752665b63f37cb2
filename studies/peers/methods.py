"""Which methods there are, what each can run on, and the names their rows go by."""

from dataclasses import dataclass

from .failure import Failure
from .program import Replicate
from .results import COLUMNS, FURTHER

NUMBERS_AND_CLASSES = ("regression", "binary", "multiclass")
ALL = (*NUMBERS_AND_CLASSES, "cox")
TASKS = {
    "rf": NUMBERS_AND_CLASSES,
    "rsf": ("cox",),
    "oracle-rf": ("regression", "binary"),
    "oracle-rsf": ("cox",),
    "stg": ("regression", "binary"),
    "lassonet": ALL,
    "lasso": ALL,
    "ridge": ALL,
    "enet": ALL,
    "boosting": ALL,
    "clinical": ("cox",),
}
SURVIVAL_FORESTS = ("rsf", "oracle-rsf")
REAL_STUDIES = ("mnist", "survival-real", "battery")
# Without --methods: the paper's; and in the battery what users would take instead, the quick first.
PAPERS = ("rf", "rsf", "oracle-rf", "oracle-rsf", "stg", "lassonet")
BATTERY = ("lasso", "ridge", "enet", "clinical", "boosting", "rf", "rsf", "lassonet")
# In the battery a fit is ended after LIMIT seconds, and its method tries no other split of that data
# set; a method with a fit over SLOW seconds has SLOW_SPLITS splits.
LIMIT, SLOW, SLOW_SPLITS = 600, 120, 3
# Survival forests of the battery are grown on so many event times: on all they take ten times as
# long, and memory for a curve over all of them in every leaf.
BATTERY_TIMES = 50


@dataclass(frozen=True)
class Fit:
    """A method on a replicate."""

    method: str
    replicate: Replicate
    # Of STG's search.
    trials: int
    # That a survival forest is grown on; None for all.
    times: int | None = None
    # Whether splits are given folds.
    folds: bool = False

    @property
    def limit(self):
        """After how many seconds it is ended; 0 for never."""
        return LIMIT if self.replicate.study == "battery" else 0

    def timed_out(self):
        """The rows of a fit that was ended."""
        nothing = dict.fromkeys([*COLUMNS, *FURTHER], "")
        return [
            nothing | self.key_columns(variant) | {"seconds": self.limit}
            for variant in self.variants.values()
        ]

    def is_worth(self, results):
        """Whether it is to run: in the battery a slow method gets fewer splits of a data set."""
        if self.replicate.study != "battery":
            return True
        (variant,) = self.variants.values()
        longest = results.longest.get((self.replicate.model, self.method, variant), 0.0)
        if longest >= LIMIT:
            return False
        return longest <= SLOW or self.replicate.number <= SLOW_SPLITS

    @property
    def variants(self):
        """The variant column of its rows, by the name of the test rows each is scored on."""
        tests = ("noisy", "clean") if self.replicate.study == "mnist" else ("",)
        return {test: f"{test} {self.setting}".strip() for test in tests}

    @property
    def setting(self):
        """What was chosen, where rows depend on it."""
        folds = "folds" if self.folds else ""
        if self.method == "stg":
            return f"trials={self.trials} {folds}".strip()
        if self.method in SURVIVAL_FORESTS and self.times is not None:
            return f"times={self.times} {folds}".strip()
        return folds

    def key_columns(self, variant):
        """The columns that tell a row of it from all others."""
        replicate = self.replicate
        further = {"metric": replicate.metric} if replicate.study == "battery" else {}
        return further | {
            "study": replicate.study,
            "model": replicate.model,
            "method": self.method,
            "variant": variant,
            "n": replicate.n,
            "d": replicate.d,
            "censoring": replicate.censoring,
            "replicate": replicate.number,
            "seed": replicate.seed,
        }


def usual(study):
    """The methods that a study is run with unless others are asked for."""
    return BATTERY if study == "battery" else PAPERS


def applies(method, replicate):
    """Whether a method can run: on this kind of outcome, and knowing what it must know."""
    if method.startswith("oracle-") and replicate.study in REAL_STUDIES:
        return False
    if method == "clinical" and not replicate.clinical:
        return False
    return replicate.task in TASKS[method]


def check_asked(methods, replicates):
    """Refuses methods by name that do not exist or can run on nothing of what is asked for."""
    for method in methods:
        if method not in TASKS:
            raise Failure(f"--methods: no method {method!r}; take of {', '.join(TASKS)}")
        if any(applies(method, replicate) for replicate in replicates):
            continue
        if method == "stg":
            why = "survival outcomes are left out, as in the paper: its Cox loss ignores λ"
        elif any(replicate.task in TASKS[method] for replicate in replicates):
            why = "real data have no known columns, or no clinical ones"
        else:
            why = f"it is for {' and '.join(TASKS[method])} outcomes"
        raise Failure(
            f"--methods: {method} runs on nothing of what is asked for ({why}); "
            "leave it out, or choose other cells by --only"
        )
