"""Which methods there are, what each can run on, and the names their rows go by."""

from dataclasses import dataclass

from .failure import Failure
from .program import Replicate

TASKS = {
    "rf": ("regression", "binary"),
    "rsf": ("cox",),
    "oracle-rf": ("regression", "binary"),
    "oracle-rsf": ("cox",),
    "stg": ("regression", "binary"),
    "lassonet": ("regression", "binary", "cox"),
    "lasso": ("regression", "binary", "cox"),
}
SURVIVAL_FORESTS = ("rsf", "oracle-rsf")
REAL_STUDIES = ("mnist", "survival-real", "real")
# Without --methods: the paper's, which has no LASSO but that of networks; and on real data those
# that need no search of hours.
PAPERS = tuple(method for method in TASKS if method != "lasso")
REAL = ("lasso", "rf", "rsf", "lassonet")


@dataclass(frozen=True)
class Fit:
    """A method on a replicate."""

    method: str
    replicate: Replicate
    # Of STG's search.
    trials: int
    # That a survival forest is grown on; None for all.
    times: int | None = None

    @property
    def variants(self):
        """The variant column of its rows, by the name of the test rows each is scored on."""
        tests = ("noisy", "clean") if self.replicate.study == "mnist" else ("",)
        return {test: f"{test} {self.setting}".strip() for test in tests}

    @property
    def setting(self):
        """What was chosen for a method, where its rows depend on it."""
        if self.method == "stg":
            return f"trials={self.trials}"
        if self.method in SURVIVAL_FORESTS and self.times is not None:
            return f"times={self.times}"
        return ""

    def key_columns(self, variant):
        """The columns that tell a row of it from all others."""
        replicate = self.replicate
        return {
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
    return REAL if study == "real" else PAPERS


def applies(method, replicate):
    """Whether a method can run: on this kind of outcome, and knowing what it must know."""
    known_columns = replicate.study not in REAL_STUDIES
    return replicate.task in TASKS[method] and (known_columns or not method.startswith("oracle-"))


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
            why = "real data have no known columns"
        else:
            why = f"it is for {' and '.join(TASKS[method])} outcomes"
        raise Failure(
            f"--methods: {method} runs on nothing of what is asked for ({why}); "
            "leave it out, or choose other cells by --only"
        )
