"""Puts the tables of studies/results/ into docs/reproduction.md.

python studies/tabulate.py [--results DIR] [--page FILE]

A table stands between `<!-- table STUDY -->` (the first of STUDY's table.md) or `<!-- rows -->`
(how many replicates there are of every study) and `<!-- end -->`; what is there is replaced.
"""

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

from drawing.results import Malformed, read_rows
from drawing.style import METHODS

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"<!-- (rows|table (\S+)) -->\n.*?<!-- end -->", re.DOTALL)


def first_table(text):
    """The first table of a Markdown text."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("|")), len(lines))
    length = next((k for k, line in enumerate(lines[start:]) if not line.startswith("|")), None)
    return "\n".join(lines[start:][:length])


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


def filled(page, results):
    """The page with its tables as the results have them now."""

    def block(match):
        what, study = match.group(1), match.group(2)
        table = (
            rows_table(results)
            if what == "rows"
            else first_table((results / study / "table.md").read_text())
        )
        return f"<!-- {what} -->\n{table}\n<!-- end -->"

    return BLOCK.sub(block, page)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=ROOT / "studies" / "results")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "reproduction.md")
    chosen = parser.parse_args(arguments)
    try:
        chosen.page.write_text(filled(chosen.page.read_text(), chosen.results))
    except (Malformed, OSError) as problem:
        sys.exit(f"error: {problem}")
    print(chosen.page)


if __name__ == "__main__":
    main()
