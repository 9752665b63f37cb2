"""The race for linear models: threshnet, glmnet, scikit-learn, Coxnet, skglm, adelie and celer.

make bench-linear [FLAGS='--quick --data DIR']

The same data, λs and folds for all, each on one thread, one after the other; a tolerance counts if
the solutions satisfy the optimality conditions as well as is asked. Needs cargo, and R with glmnet
(`apt-get install r-cran-glmnet`); the Python packages, NumPy among them, are those of
bench/linear_race/.venv, which make sets up. Prints a Markdown record and, unless --quick, keeps it
as bench/records/DATE-linear.md.
"""

import argparse
import datetime
import os
import sys
import tempfile
from pathlib import Path

from linear_race.cells import CELLS, QUICK, problem, write
from linear_race.engines import ENGINES, OWN, Referee
from linear_race.record import record, standing
from race.environment import BENCH, built, output, say


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", default=",".join(CELLS), help="cox,squared,logistic")
    parser.add_argument("--engines", default=",".join(ENGINES), help="who races")
    parser.add_argument("--data", type=Path, help="where the public data sets are; else simulated")
    parser.add_argument("--target", type=float, default=1e-4, help="the violation that counts")
    parser.add_argument("--seconds", type=float, default=1200, help="after which a run is killed")
    parser.add_argument("--quick", action="store_true", help="a smoke test: small cells, no record")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="of the record")
    options = parser.parse_args()
    options.cells = options.cells.split(",")
    options.engines = options.engines.split(",")
    if not set(options.cells) <= set(CELLS):
        parser.error(f"--cells: {', '.join(CELLS)}")
    if not set(options.engines) <= set(ENGINES):
        parser.error(f"--engines: {', '.join(ENGINES)}")
    return options


def race(cell, options, binary):
    """Every engine on a cell, and the report of the Python package."""
    with tempfile.TemporaryDirectory() as folder:
        data = problem(cell, options.data)
        say(f"{cell}: {data.x.shape[0]} × {data.x.shape[1]}")
        write(data, folder)
        output(binary, "folds", cell.kind, folder)
        referee = Referee(binary, data, Path(folder), options)
        found, packaged = {}, None
        for engine in options.engines:
            if cell.kind not in ENGINES[engine].kinds:
                continue
            found[engine] = referee.attempts(engine)
            run = standing(found[engine], options.target)
            if engine == OWN and run:
                packaged = referee.package(run.tolerance, run.share)
        return found, packaged


def main():
    options = arguments()
    load = os.getloadavg()[0]
    binary = built("linear")
    if OWN in options.engines:
        say("building the Python package …")
        pip = (sys.executable, "-m", "pip", "install", "--quiet")
        output(*pip, "--force-reinstall", "--no-deps", "./python")
    results, packages = {}, {}
    for name in options.cells:
        cell = (QUICK if options.quick else CELLS)[name]
        results[cell], packaged = race(cell, options, binary)
        if packaged:
            packages[cell] = packaged
    text = record(results, packages, options, load)
    print(text)
    if not options.quick:
        path = BENCH / "records" / f"{options.date}-linear.md"
        path.write_text(text)
        say(f"kept as bench/records/{path.name}")


if __name__ == "__main__":
    main()
