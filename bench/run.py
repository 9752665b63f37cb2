"""The race: threshnet, gcrnet, LassoNet and STG, on the same arrays in one run, one thread each.

python3 bench/run.py [--quick] [--resume] [--help]

Needs cargo and Python with venv, nothing else: the peers and torch go into bench/.venv. Prints a
Markdown record and, unless --quick, keeps it as bench/records/DATE-race.md. See README.md.
"""

import argparse
import datetime
import os
import sys

from race.cells import ALL_CELLS, PEERS, SCORES, VARIANTS, cells
from race.engines import Engines
from race.environment import BENCH, built, install, say
from race.record import record
from race.sanity import ours_failed


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", default=ALL_CELLS, help="path:ROWSxCOLUMNS,tuned:…")
    parser.add_argument("--designs", default=",".join(SCORES), help="outcomes")
    parser.add_argument("--engines", default=",".join(["threshnet", *PEERS]), help="who races")
    parser.add_argument("--variants", default="exact,early", help="of threshnet: exact,early")
    parser.add_argument("--peer-seconds", type=float, default=600, help="budget of a peer's run")
    parser.add_argument("--repeats", type=int, default=9, help="runs by threshnet")
    parser.add_argument("--peer-repeats", type=int, default=1, help="runs by a peer")
    parser.add_argument("--lambdas", type=int, default=50, help="length of a path")
    parser.add_argument("--ridge", type=float, default=0.01, help="of a path")
    parser.add_argument("--ridges", type=int, default=10, help="of a tuned fit")
    parser.add_argument("--seed", type=int, default=0, help="of the data")
    parser.add_argument("--resume", action="store_true", help="keep results of the last run")
    parser.add_argument(
        "--quick", action="store_true", help="a smoke test: few λ, tiny budget, no record"
    )
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="of the record")
    options = parser.parse_args()
    if options.quick:
        options.lambdas, options.ridges, options.repeats, options.peer_seconds = 4, 2, 2, 3
        if options.cells == ALL_CELLS:
            options.cells = "path:300x20,tuned:300x20"
    try:
        options.cells = cells(options.cells, options.designs)
    except ValueError as error:
        parser.error(str(error))
    engines = options.engines.split(",")
    options.peers = [engine for engine in engines if engine != "threshnet"]
    options.variants = options.variants.split(",")
    if "threshnet" not in engines or not set(options.peers) <= set(PEERS):
        parser.error(f"--engines: threshnet and any of {', '.join(PEERS)}")
    if "exact" not in options.variants or not set(options.variants) <= set(VARIANTS):
        # The peers take their λs, epochs and splits from what it did.
        parser.error(f"--variants: exact, and any of {', '.join(VARIANTS)}")
    if not 1 <= options.peer_repeats <= min(5, options.repeats):
        # A peer's repetition is held to the split and the work of one of ours.
        parser.error("--peer-repeats: at least 1, and no more than threshnet's (5 of wide data)")
    return options


def main():
    options = arguments()
    load = os.getloadavg()[0]
    install()
    engines = Engines(built("race"), options)
    total = len(options.cells) * (len(options.variants) + len(options.peers))
    results = {cell: engines.race(cell, total) for cell in options.cells}
    text = record(results, options, load)
    print(text)
    if options.quick:
        return
    path = BENCH / "records" / f"{options.date}-race.md"
    path.write_text(text)
    say(f"kept as bench/records/{path.name}")
    if complaints := ours_failed(results):
        sys.exit("\n".join(["not a sane fit:", *complaints]))


if __name__ == "__main__":
    main()
