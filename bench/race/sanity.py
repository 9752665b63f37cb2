"""Whether a result is a fit at all, and its figures for the record."""

from dataclasses import dataclass
from statistics import median

from race.cells import BAR, TRUE_COLUMNS, VARIANTS

SMALL = 2 * len(TRUE_COLUMNS)  # columns in a step that can be said to have selected


@dataclass
class Summary:
    """An engine on a cell: medians over its repetitions."""

    seconds: float
    bound: str
    per_epoch: float
    score: float
    size: float
    found: float
    complaint: str
    notes: list[str]

    @property
    def verdict(self):
        return f"NO: {self.complaint}" if self.complaint else "yes"


def summary(cell, report):
    """The summary of a report, or None if its engine failed."""
    if "failed" in report:
        return None
    runs = report["runs"]
    ends = [best(run) for run in runs]
    score = median(scored(end) for end in ends)
    size = median(len(end["selected"]) for end in ends)
    fewest = median(smallest(run) for run in runs)
    found = median(support(cell, run) for run in runs)
    return Summary(
        seconds=median(run["seconds"] for run in runs),
        bound=next((run["bound"] for run in runs if "bound" in run), ""),
        per_epoch=median(run["seconds"] / run["epochs"] for run in runs),
        score=score,
        size=size,
        found=found,
        complaint=complaint(cell, score, fewest, found),
        notes=runs[0].get("notes", []),
    )


def best(run):
    """The step with the highest test score; a tuned fit has but one."""
    return max(run["steps"], key=scored)


def scored(step):
    """The test score; below all others if the network's output is not finite."""
    return float("-inf") if step["test_score"] is None else step["test_score"]


def smallest(run):
    """The columns of the smallest step that has any."""
    sizes = [len(step["selected"]) for step in run["steps"]]
    return min((size for size in sizes if size), default=0)


def support(cell, run):
    """The true columns in a tuned fit; on a path, the most in a step that is small."""
    selections = [set(step["selected"]) for step in run["steps"]]
    if cell.kind == "path":
        selections = [columns for columns in selections if len(columns) <= SMALL]
    return max((len(columns & TRUE_COLUMNS) for columns in selections), default=0)


def complaint(cell, score, fewest, found):
    """What is wrong with a fit: a score near a guess's, or nothing selected to speak of."""
    if score == float("-inf"):
        return "its output is not finite"
    if score <= BAR[cell.design]:
        return f"its score is not above {BAR[cell.design]}"
    if fewest > (SMALL if cell.kind == "path" else cell.d / 2):
        return f"selects no fewer than {fewest:g} of {cell.d} columns"
    if found < len(TRUE_COLUMNS) / 2:
        return f"has {found:g} of {len(TRUE_COLUMNS)} true columns"
    return ""


def ours_failed(results):
    """Our complaints where no start gave a sane fit; all others are only reported."""
    found = []
    for cell, reports in results.items():
        for engine in VARIANTS.keys() & reports.keys():
            report = reports[engine]
            rows = [summary(cell, {**report, "runs": [run]}) for run in report["runs"]]
            if all(row.complaint for row in rows):
                found.append(f"{cell}: {VARIANTS[engine]}: {rows[0].complaint}")
    return found
