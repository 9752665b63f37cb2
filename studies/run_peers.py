"""Runs outside packages on the arrays of a study and adds their rows to its results.csv.

    python studies/run_peers.py table1 --out DIR --methods rf,stg --reps 20 --trials 50

Needs what requirements.txt pins. The arrays come from `threshnet study NAME --export`, one
replicate at a time. What results.csv holds already is not run again.
"""

import argparse
import functools
import signal
import sys
import tempfile
import time
from pathlib import Path

from peers.failure import Failure, in_one_line
from peers.methods import BATTERY_TIMES, TASKS, Fit, applies, check_asked, usual
from peers.program import Program, default_binary
from peers.results import Results, row_key
from peers.workers import Workers

PAPER_TRIALS = 500


def arguments():
    parser = argparse.ArgumentParser(
        description="Runs outside packages on the arrays of a study, into its results.csv."
    )
    parser.add_argument("study", metavar="NAME", help="a study, as in `threshnet study NAME`")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="of results.csv")
    parser.add_argument(
        "--methods",
        type=tokens,
        default=(),
        metavar="A,B",
        help=f"of {', '.join(TASKS)} [default: what applies of {', '.join(usual('table1'))}; in "
        f"battery of {', '.join(usual('battery'))}]",
    )
    parser.add_argument(
        "--only", type=tokens, default=(), metavar="A,B", help="as in `threshnet study`"
    )
    parser.add_argument("--reps", type=positive, help="[default: as in `threshnet study`]")
    parser.add_argument("--seed", type=int, help="as in `threshnet study`")
    parser.add_argument("--data", metavar="DIR", help="as in `threshnet study`")
    parser.add_argument("--folds", metavar="FILE", help="as in `threshnet study`")
    parser.add_argument(
        "--trials",
        type=positive,
        default=PAPER_TRIALS,
        help="of STG's search [default: the paper's %(default)s]",
    )
    parser.add_argument(
        "--times",
        type=positive,
        help="grow survival forests on so many event times [default: on all, which is slow; in "
        f"battery {BATTERY_TIMES}]",
    )
    parser.add_argument(
        "--jobs", type=positive, default=1, help="fits at a time, each on one thread [default: 1]"
    )
    parser.add_argument(
        "--minutes", type=float, help="start no fit of a method after so long [default: no limit]"
    )
    parser.add_argument(
        "--binary", type=Path, metavar="PATH", help="threshnet [default: this checkout's]"
    )
    return parser.parse_args()


def tokens(text):
    return tuple(token.strip() for token in text.split(",") if token.strip())


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not at least 1")
    return number


def data_flags(args):
    """The flags that decide which data a study has, for the program."""
    given = {
        "--reps": args.reps,
        "--seed": args.seed,
        "--data": args.data,
        "--folds": args.folds,
    }
    return tuple(
        word for flag, value in given.items() if value is not None for word in (flag, str(value))
    )


def is_there(fit, results):
    """Whether results.csv has every row of a fit."""
    keys = (row_key(fit.key_columns(variant)) for variant in fit.variants.values())
    return results.keys.issuperset(keys)


def until(minutes, fits):
    """The fits as they are asked for, until the time is over."""
    end = time.monotonic() + 60 * minutes
    for done, fit in enumerate(fits):
        if time.monotonic() > end:
            say(f"{fit.method}: {minutes:g} minutes are over, {len(fits) - done} fits are left")
            return
        yield fit


def worth(fits, results):
    """The fits as they are asked for, but those of a method that is too slow for them."""
    for fit in fits:
        if fit.is_worth(results):
            yield fit
        else:
            say(f"{fit.method} {fit.replicate}: left out, earlier ones took too long")


def say(text):
    print(text, file=sys.stderr, flush=True)


def fit_here(program, scratch, fit):
    # Here and not above: only the processes that fit need the packages, which load for seconds.
    from peers.fitting import fit_replicate

    return fit_replicate(program, fit, scratch)


def run_method(fits, minutes, workers, results):
    """Runs the fits of one method; returns how many failed."""
    failures = 0
    asked = worth(fits if minutes is None else until(minutes, fits), results)
    for count, (fit, outcome) in enumerate(workers.run(asked), 1):
        name = f"[{count}/{len(fits)}] {fit.method} {fit.replicate}"
        if outcome.failure is not None:
            failures += 1
            say(f"{name}: failed: {outcome.failure}")
            continue
        if outcome.timed_out:
            results.append(fit.timed_out())
            say(f"{name}: ended after {fit.limit} s")
            continue
        rows = outcome.result
        results.append(rows)
        columns = f", {rows[0]['size']} columns" if rows[0]["size"] != "" else ""
        scores = " and ".join(f"{row['score']:.3f}" for row in rows)
        say(f"{name}: score {scores}{columns}, {rows[0]['seconds']:.1f} s")
    return failures


def run(args):
    """Runs every method after the other; returns the exit status."""
    binary = args.binary or default_binary()
    program = Program(binary, args.study, data_flags(args))
    replicates = program.replicates(args.only)
    check_asked(args.methods, replicates)
    failures = 0
    with (
        Results(args.out, args.study) as results,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch,
        Workers(functools.partial(fit_here, program, scratch), args.jobs) as workers,
    ):
        times = args.times or (BATTERY_TIMES if args.study == "battery" else None)
        for method in args.methods or usual(args.study):
            fits = [
                Fit(method, replicate, args.trials, times, args.folds is not None)
                for replicate in replicates
                if applies(method, replicate)
            ]
            to_do = [fit for fit in fits if not is_there(fit, results)]
            if fits:
                not_for_it = len(replicates) - len(fits)
                say(
                    f"{method}: {len(to_do)} fits to do, {len(fits) - len(to_do)} are there"
                    + (f", {not_for_it} replicates are not for it" if not_for_it else "")
                )
            failures += run_method(to_do, args.minutes, workers, results)
    if failures:
        say(f"error: {failures} fits failed, see above; run again to repeat only these")
    return 1 if failures else 0


def main():
    args = arguments()
    # As Ctrl-C: leave the blocks that end processes and remove folders.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run(args)
    except KeyboardInterrupt:
        say("stopped; run again to go on")
        return 130
    except (Failure, OSError) as error:
        say(f"error: {in_one_line(error)}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
