"""One path of the paper, by this project and by PyPI's gcrnet: same arrays, same run, one thread.

python3 bench/run.py [--quick] [--date YYYY-MM-DD] [--help]

Needs cargo and Python with venv, nothing else: gcrnet and torch go into bench/.venv. Prints a
Markdown record and, unless --quick, keeps it as bench/records/DATE-path.md. See README.md.
"""

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from statistics import median

BENCH = Path(__file__).resolve().parent
PYTHON = BENCH / ".venv" / "bin" / "python"
TRUE_COLUMNS = {0, 1, 2, 3}  # of the paper's regression, classification and survival designs
SCORES = {"regression": "R²", "classification": "accuracy", "survival": "C-index"}
CHANCE = {"regression": 0.0, "classification": 0.5, "survival": 0.5}
ONE_THREAD = {
    name: "1"
    for name in (
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "RAYON_NUM_THREADS",
    )
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", choices=SCORES, default="regression")
    parser.add_argument("--sizes", default="300x20,500x1000", help="ROWSxCOLUMNS,…")
    parser.add_argument("--lambdas", type=int, default=50, help="length of the path")
    parser.add_argument("--ridge", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=0, help="of the data")
    parser.add_argument("--repeats", type=int, default=9, help="paths by threshnet")
    parser.add_argument("--peer-repeats", type=int, default=3, help="paths by gcrnet")
    parser.add_argument(
        "--quick", action="store_true", help="a smoke test: 4 λ, no verdict on the fits, no record"
    )
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="of the record")
    options = parser.parse_args()
    if options.quick:
        options.lambdas, options.repeats, options.peer_repeats = 4, 2, 1
    return options


def output(*command):
    """Runs a command with one thread and gives its standard output; its errors go to ours."""
    environment = {**os.environ, **ONE_THREAD}
    command = [str(part) for part in command]
    return subprocess.run(
        command, env=environment, cwd=BENCH.parent, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def engine(*arguments):
    """Runs the release build of examples/bench_path.rs."""
    cargo = ["cargo", "run", "--release", "--quiet", "--package", "threshnet"]
    return output(*cargo, "--example", "bench_path", "--", *arguments)


def install():
    """Makes bench/.venv, once for every change of the requirements."""
    wanted, installed = BENCH / "requirements.txt", BENCH / ".venv" / "requirements.txt"
    if installed.exists() and installed.read_text() == wanted.read_text():
        return
    print("installing gcrnet and torch into bench/.venv …", file=sys.stderr)
    venv.create(BENCH / ".venv", with_pip=True, clear=True)
    output(PYTHON, "-m", "pip", "install", "--quiet", "--requirement", wanted)
    shutil.copy(wanted, installed)


def measure(options, n, d):
    """Both engines on the same arrays: their JSON, by name."""
    with tempfile.TemporaryDirectory() as folder:
        engine("simulate", options.design, n, d, options.seed, folder)
        ours = engine("run", folder, options.ridge, options.lambdas, options.repeats)
        spec = Path(folder) / "spec.json"
        spec.write_text(ours)
        theirs = output(PYTHON, BENCH / "gcrnet_path.py", folder, spec, options.peer_repeats)
    return {"threshnet": json.loads(ours), "gcrnet": json.loads(theirs)}


def best(path):
    """The step with the highest test score."""
    return max(path["steps"], key=lambda step: step["test_score"])


def found(path):
    """The most true columns in a step that selects at most twice as many columns."""
    small = [s["selected"] for s in path["steps"] if len(s["selected"]) <= 2 * len(TRUE_COLUMNS)]
    return max((len(TRUE_COLUMNS.intersection(columns)) for columns in small), default=0)


def summary(report):
    """Medians over the repetitions."""
    paths = report["paths"]
    return {
        "seconds": median(p["seconds"] for p in paths),
        "epoch": median(p["seconds"] / p["epochs"] for p in paths),
        "epochs": median(p["epochs"] for p in paths),
        "score": median(best(p)["test_score"] for p in paths),
        "found": median(found(p) for p in paths),
    }


def sane(design, row):
    """Whether these are fits at all: far better than chance, with the columns that matter."""
    return row["score"] > CHANCE[design] + 0.2 and row["found"] >= len(TRUE_COLUMNS) / 2


def table(options, results):
    """The table of the record, and whether every fit in it is sane."""
    design = options.design
    lines = [
        f"| data | engine | seconds per path | epochs | µs per epoch | best test {SCORES[design]} "
        "| true columns of 4 | faster per path | per epoch | sane fit |",
        "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --- |",
    ]
    all_sane = True
    for size, reports in results.items():
        rows = {name: summary(report) for name, report in reports.items()}
        for name, row in rows.items():
            faster = rows["gcrnet"]["seconds"] / row["seconds"]
            per_epoch = rows["gcrnet"]["epoch"] / row["epoch"]
            is_sane = sane(design, row)
            all_sane &= is_sane
            verdict = "–" if options.quick else "yes" if is_sane else "NO"
            lines.append(
                f"| {design} {size} | {name} | {row['seconds']:.3f} | {row['epochs']:.0f} "
                f"| {row['epoch'] * 1e6:.1f} | {row['score']:.3f} | {row['found']:g} "
                f"| {faster:.0f}× | {per_epoch:.0f}× | {verdict} |"
            )
    return "\n".join(lines), all_sane


def repetitions(results):
    """Every path behind the medians."""
    lines = [
        "| data | engine | start | seconds | epochs | best test score | columns there "
        "| training loss there | columns along the path |",
        "| --- | --- | --: | --: | --: | --: | --: | --: | --- |",
    ]
    for size, reports in results.items():
        for name, report in reports.items():
            for start, path in enumerate(report["paths"]):
                step = best(path)
                sizes = " ".join(str(len(s["selected"])) for s in path["steps"])
                lines.append(
                    f"| {size} | {name} | {start} | {path['seconds']:.4f} | {path['epochs']} "
                    f"| {step['test_score']:.3f} | {len(step['selected'])} "
                    f"| {step['train_loss']:.3f} | {sizes} |"
                )
    return "\n".join(lines)


def machine(instruction_set, load):
    """The machine, without its name."""
    model = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    cpu = model[1] if model else platform.machine()
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    return (
        f"{cpu}, {os.cpu_count()} cores, {instruction_set}, {system}, "
        f"Linux {platform.release()}; load average before the run {load:.2f}"
    )


def record(options, results, load):
    """The Markdown record, and whether every fit in it is sane."""
    first = next(iter(results.values()))
    ours, theirs = first["threshnet"], first["gcrnet"]
    versions = {
        "threshnet": ours["version"],
        "rustc": output("rustc", "--version").split()[1],
        **theirs["versions"],
    }
    summary_table, all_sane = table(options, results)
    text = f"""# One path of {options.lambdas} λ on one thread, {options.date}

{summary_table}

Medians over {options.repeats} starts (threshnet) and {options.peer_repeats} (gcrnet). All rows, \
as simulated (seed {options.seed}); MCP, hidden layers 10 and 5, Adam at 0.001, γ = 1, full \
batch, ridge {options.ridge:g}; λ from the paper's grid for each size. "True columns": the most \
in a step of at most 8 columns.

- command: `{" ".join(["python3", "bench/run.py", *sys.argv[1:]])}`
- machine: {machine(ours["instruction_set"], load)}
- versions: {", ".join(f"{name} {version}" for name, version in versions.items())}

## Repetitions

{repetitions(results)}
"""
    return text, all_sane


def main():
    options = arguments()
    load = os.getloadavg()[0]
    install()
    output("cargo", "build", "--release", "--package", "threshnet", "--example", "bench_path")
    results = {}
    for size in options.sizes.split(","):
        print(f"{options.design} {size} …", file=sys.stderr)
        n, d = size.split("x")
        results[f"{n}×{d}"] = measure(options, n, d)
    text, all_sane = record(options, results, load)
    print(text)
    if options.quick:
        return
    path = BENCH / "records" / f"{options.date}-path.md"
    path.write_text(text)
    print(f"kept as bench/records/{path.name}", file=sys.stderr)
    if not all_sane:
        sys.exit("a fit is not sane: see the last column of the table")


if __name__ == "__main__":
    main()
