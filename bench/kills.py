"""Whether a run that is killed loses or spoils anything: it ends with the same bytes, or not.

    python3 bench/kills.py BINARY [--kills 50] [--seed 1]

Kills at random moments (`kill -9`) during a default fit, `--stability` and a study, and at every
system call by which a fit writes its folder (fault injection by strace), for a new folder and for
one that is replaced. After each kill the same command runs to its end; what it leaves is compared
with an uninterrupted run (all but the seconds it took, the command and the page that shows both),
and nothing else may be left. Prints the table of bench/records/…-kills.md.
"""

import argparse
import json
import random
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

FIT = [
    "fit",
    "data.csv",
    "--target",
    "y",
    "--validation",
    "draws:4",
    "--ridges",
    "0.01,0.03",
    "--first-epochs",
    "200",
    "--epochs",
    "60",
    "--jobs",
    "2",
    "--quiet",
]
RUNS = {
    "default fit": FIT,
    "--stability": [
        "fit",
        "data.csv",
        "--target",
        "y",
        "--stability",
        "30",
        "--ridges",
        "0.01",
        "--lambdas",
        "0.02:0.3:6",
        "--first-epochs",
        "200",
        "--epochs",
        "100",
        "--jobs",
        "2",
        "--quiet",
    ],
    "study": [
        "study",
        "table1",
        "--reps",
        "2",
        "--only",
        "regression,glasso,300x20",
        "--jobs",
        "2",
        "--quiet",
    ],
}
# What can be seen of a folder's writing from outside: these calls, of whichever thread.
CALLS = "mkdir,openat,write,fsync,rename,renameat,renameat2,unlink,unlinkat,rmdir,getdents64"
# Files that tell of their making.
TIMED = {"summary.json", "report.json"}
SHOWN = {"report.html", "model-card.md", "methods.md"}


class Bench:
    def __init__(self, binary, home):
        self.binary, self.home = binary.resolve(), home
        with (home / "data.csv").open("w") as file:
            simulate = ["simulate", "regression", "-n", "120", "-d", "8", "--seed", "1"]
            subprocess.run([self.binary, *simulate], stdout=file, check=True)

    def command(self, arguments, out):
        return [self.binary, *arguments, "--out", out]

    def run(self, arguments, out):
        done = subprocess.run(
            self.command(arguments, out), cwd=self.home, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr

    def content(self, out):
        """What is compared of a folder."""
        folder = self.home / out
        return {
            path.name: timeless(path) for path in folder.iterdir() if path.name not in SHOWN
        } | {name: None for name in SHOWN if (folder / name).exists()}

    def left(self, *known):
        return sorted({path.name for path in self.home.iterdir()} - {"data.csv", *known})


def timeless(path):
    if path.name in TIMED:
        content = json.loads(path.read_text())
        content.pop("seconds", None), content.pop("origin", None)
        content.get("run", {}).pop("seconds", None)
        return content
    if path.name == "results.csv":
        rows = [line.split(",") for line in path.read_text().splitlines()]
        return sorted(row[:15] + row[16:] for row in rows)
    return path.read_bytes()


def verdict(bench, arguments, whole):
    """Runs the command that was killed to its end; what is wrong then."""
    bench.run(arguments, "out")
    wrong = []
    if bench.content("out") != whole:
        wrong.append("other bytes")
    if left := bench.left("whole", "out"):
        wrong.append(f"left: {left}")
    return wrong


def at_random(bench, name, arguments, args):
    shutil.rmtree(bench.home / "whole", ignore_errors=True)
    started = time.monotonic()
    bench.run(arguments, "whole")
    takes = time.monotonic() - started
    whole, draw = bench.content("whole"), random.Random(f"{args.seed} {name}")
    killed, in_work, wrong = 0, 0, []
    while killed < args.kills:
        shutil.rmtree(bench.home / "out", ignore_errors=True)
        # every third time the command is killed twice before it may end
        for _ in range(1 + (killed % 3 == 2)):
            child = subprocess.Popen(
                bench.command(arguments, "out"),
                cwd=bench.home,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(draw.uniform(0, takes))
            ended = child.poll() is not None
            child.kill()
            child.wait()
            if ended:
                break
        if ended:
            continue
        killed += 1
        ledger = bench.home / ".out.runs"
        in_work += (ledger.exists() and ledger.stat().st_size > 0) or (
            bench.home / "out" / "results.csv"
        ).exists()
        wrong += verdict(bench, arguments, whole)
    return name, killed, in_work, wrong


def calls_of_the_write(bench):
    """Which calls of which kind the main thread makes from the start of the last write on, each
    counted from the start of the program."""
    trace = bench.home / ".trace"
    strace = ["strace", "-f", "-qq", "-o", trace, "-e", f"trace={CALLS}"]
    subprocess.run(
        [*strace, *bench.command(FIT, "out")], cwd=bench.home, capture_output=True, check=True
    )
    lines = trace.read_text().splitlines()
    trace.unlink()
    main, counts, found, writing = lines[0].split()[0], {}, [], False
    for line in lines:
        made = re.match(rf"{main}\s+(\w+)\((.*)", line)
        if not made:
            continue
        call, rest = made.groups()
        counts[call] = counts.get(call, 0) + 1
        writing = writing or (call == "mkdir" and ".out.partial" in rest)
        if writing:
            found.append((call, counts[call]))
    return found


def at_every_call(bench, replaces):
    whole = bench.content("whole")
    shutil.rmtree(bench.home / "out", ignore_errors=True)
    if replaces:
        bench.run(FIT, "out")
    calls = calls_of_the_write(bench)
    killed, wrong = 0, []
    for call, when in calls:
        if not replaces:
            shutil.rmtree(bench.home / "out", ignore_errors=True)
        inject = ["strace", "-f", "-qq", "-o", "/dev/null"]
        inject += ["-e", f"inject={call}:signal=KILL:when={when}"]
        ended = subprocess.run(
            [*inject, *bench.command(FIT, "out")], cwd=bench.home, capture_output=True
        )
        # (a call more or less than in the trace, and the run has ended before)
        killed += ended.returncode != 0
        model = bench.home / "out" / "model.json"
        if replaces and not model.exists():
            wrong.append(f"{call} {when}: no fit in place")
        if (bench.home / "out").exists() and not model.exists():
            wrong.append(f"{call} {when}: a folder without a model")
        wrong += verdict(bench, FIT, whole)
    name = "folder replaced" if replaces else "folder new"
    return f"every call of the last write, {name}", killed, killed, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as home:
        bench = Bench(args.binary, Path(home))
        for name, arguments in list(RUNS.items())[::-1]:
            found.append(at_random(bench, name, arguments, args))
            print(found[-1], flush=True)
        for replaces in [False, True]:
            found.append(at_every_call(bench, replaces))
            print(found[-1], flush=True)
    print("\n| killed during | kills | with work kept | other results or leftovers |")
    print("| --- | --- | --- | --- |")
    for name, killed, in_work, wrong in found:
        print(f"| {name} | {killed} | {in_work} | {'; '.join(wrong) or 'none'} |")


if __name__ == "__main__":
    main()
