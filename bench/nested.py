"""What nested validation of a real data set costs in default fits, killed and resumed on the way.

    python3 bench/nested.py BINARY --data DIR [--outer cv:5x10] [--kill-after 15]

Fits METABRIC once, then with nested validation, on one thread. That is killed (`kill -9`) after as
much time as `--kill-after` fits take, and started again to the end. Counts processor time of both
parts, and says how many splits the second found done. Prints the table of
bench/records/…-nested.md.
"""

import argparse
import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

FILE = "surv_metabric/metabric1558_clin_mut_expr.csv.gz"
FLAGS = (
    "--time time_days --event event_dss --drop patientId,event_os --missing impute --jobs 1 --quiet"
)


def processor(command, kill_after=None):
    """Processor seconds of a command, which is killed after so many seconds if that is given."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    started = time.monotonic()
    while True:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        if done:
            break
        if kill_after is not None and time.monotonic() - started > kill_after:
            process.send_signal(signal.SIGKILL)
        time.sleep(0.1)
    if kill_after is None and status != 0:
        raise SystemExit(f"{command[0]} ended with status {status}")
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--outer", default="cv:5x10")
    parser.add_argument("--kill-after", type=float, default=15, help="in fits")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        home = Path(home)
        fit = [args.binary.resolve(), "fit", (args.data / FILE).resolve(), *FLAGS.split()]
        one = processor([*fit, "--out", home / "one"])
        nested = [*fit, "--outer", args.outer, "--out", home / "nested"]
        killed = processor([*nested, "--log", home / "log1"], args.kill_after * one)
        resumed = processor([*nested, "--log", home / "log2"])
        events = [json.loads(line) for line in (home / "log2").read_text().splitlines()]
        found = next(event for event in events if event["event"] == "resumed")
        summary = json.loads((home / "nested" / "summary.json").read_text())
        left = sorted(path.name for path in home.iterdir())
    total = killed + resumed
    print("| what | processor seconds | in default fits |\n| --- | --: | --: |")
    print(f"| a default fit | {one:.1f} | 1 |")
    print(f"| {args.outer} until it was killed | {killed:.1f} | {killed / one:.1f} |")
    print(f"| the rest | {resumed:.1f} | {resumed / one:.1f} |")
    print(f"| together | {total:.1f} | {total / one:.1f} |")
    print(f"\nFound done by the second: {found}\n\nLeft in the folder: {', '.join(left)}\n")
    print(json.dumps(summary["nested"]["metrics"], indent=1))


if __name__ == "__main__":
    main()
