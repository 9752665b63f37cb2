"""Draws the paper's figures and our own from the results of `threshnet study`.

python studies/draw.py [NAME ...] [--results DIR] [--out DIR]

NAME is a figure, or a study for all figures that show its results; none draws everything.
Writes FIGURE.png; the same results give the same bytes.
"""

import argparse
import sys
from pathlib import Path

from drawing.figures import NAMES, named
from drawing.output import write
from drawing.results import Malformed, Results
from drawing.style import METHODS, use_style

ROOT = Path(__file__).resolve().parent.parent


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", metavar="NAME", nargs="*", help=", ".join(NAMES))
    parser.add_argument("--results", type=Path, default=ROOT / "studies" / "results")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "figures")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in NAMES]
    if unknown:
        parser.error(f"no figure or study {unknown[0]!r}; there are {', '.join(NAMES)}")
    return chosen


def draw(names, results, out):
    """Draws what there are results for and says in a line each what there is not."""
    skipped = []
    for figure in named(names):
        drawn = figure.draw(results)
        if drawn is not None:
            print(write(drawn, out, figure.name))
        elif not set(figure.studies) & set(results.missing):
            skipped.append(f"skipped {figure.name}: {figure.studies[0]} has no rows for it")
    skipped += [f"skipped {study}: no results in {path}" for study, path in results.missing.items()]
    for line in skipped:
        print(line, file=sys.stderr)


def main(arguments=None):
    chosen = options(arguments)
    use_style()
    try:
        draw(chosen.names, Results(chosen.results, METHODS), chosen.out)
    except (Malformed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
