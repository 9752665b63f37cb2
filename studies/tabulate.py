"""Puts the tables of studies/results/ into the pages that show them.

python studies/tabulate.py [--results DIR] [--page FILE ...]

A table stands between `<!-- table STUDY -->` (the first of STUDY's table.md, `table STUDY 2` the
second), `<!-- rows -->` (how many replicates there are of every study) or `<!-- ranks -->` (of
the battery's methods) and `<!-- end -->`; what is there is replaced.
"""

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

from drawing import battery
from drawing.ranks import EVERYWHERE, far_enough, median_sizes, ranking
from drawing.results import Malformed, Results, read_rows
from drawing.style import METHODS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "docs" / name for name in ("reproduction.md", "quality.md", "battery.md")]
BLOCK = re.compile(r"<!-- (rows|ranks|table (\S+)(?: (\d))?) -->\n.*?<!-- end -->", re.DOTALL)


def table_of(text, number):
    """The table with this number of a Markdown text."""
    tables = re.findall(r"^(?:\|.*\n?)+", text, re.MULTILINE)
    return tables[number - 1].rstrip("\n")


def replicates(rows):
    """How many replicates each method and variant has, as text.

    A cell is a model at a size, so the counts of a method may differ between cells.
    """
    cells = Counter()
    for row in {(r.method, r.variant, r.model, r.n, r.d, r.censoring, r.seed) for r in rows}:
        cells[row[:-1]] += 1
    counts = {}
    for (method, variant, *_), count in sorted(cells.items(), key=str):
        counts.setdefault(f"{method} {variant}".strip(), []).append(count)
    texts = []
    for name, of_cells in counts.items():
        low, high = min(of_cells), max(of_cells)
        number = str(low) if low == high else f"{low} to {high}"
        where = f" in {len(of_cells)} cells" if len(of_cells) > 1 else ""
        texts.append(f"{name} {number}{where}")
    return "; ".join(texts)


def rows_table(results):
    """A table of all studies and their replicates."""
    lines = ["| study | replicates |", "| --- | --- |"]
    for path in sorted(results.glob("*/results.csv")):
        lines.append(f"| {path.parent.name} | {replicates(read_rows(path, METHODS))} |")
    return "\n".join(lines)


def ranks_table(results):
    """Mean ranks of the battery's methods over several choices of data sets."""
    folder = Results(results, METHODS)
    rows, sets = folder.rows(battery.STUDY), battery.known_sets(folder)
    choices = {
        "all": sets,
        "tuning": [known for known in sets if known.half == "tuning"],
        "confirmation": [known for known in sets if known.half == "confirmation"],
    }
    for task in ("binary", "multiclass", "regression", "cox"):
        choices[task] = [known for known in sets if known.task == task]
    methods = far_enough(rows, sets, EVERYWHERE)
    names = " | ".join(battery.name(method) for method in methods)
    lines = [
        f"| data sets | number | {names} | critical difference |",
        "| --- | --: |" + " --: |" * (len(methods) + 1),
    ]
    for choice, of_choice in choices.items():
        ranked = ranking(rows, of_choice, methods)
        if ranked is not None:
            means = [f"{mean:.2f}" for mean in ranked.means]
            cells = [choice, str(len(ranked.ranks)), *means, f"{ranked.critical_difference:.2f}"]
            lines.append(f"| {' | '.join(cells)} |")
    sizes = median_sizes(rows, sets, methods)
    shown = " | ".join("all" if size is None else f"{size:.0f}" for size in sizes)
    lines.append(f"| columns, median | | {shown} | |")
    return "\n".join(lines)


def filled(page, results):
    """The page with its tables as the results have them now."""

    def block(match):
        what, study, number = match.groups()
        if what == "rows":
            table = rows_table(results)
        elif what == "ranks":
            table = ranks_table(results)
        else:
            table = table_of((results / study / "table.md").read_text(), int(number or 1))
        return f"<!-- {what} -->\n{table}\n<!-- end -->"

    return BLOCK.sub(block, page)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=ROOT / "studies" / "results")
    parser.add_argument("--page", type=Path, nargs="+", default=PAGES)
    chosen = parser.parse_args(arguments)
    try:
        for page in chosen.page:
            page.write_text(filled(page.read_text(), chosen.results))
            print(page)
    except (Malformed, OSError) as problem:
        sys.exit(f"error: {problem}")


if __name__ == "__main__":
    main()
