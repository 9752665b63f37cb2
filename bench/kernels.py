"""The kernels against the machine: FLOP/s and bytes/s of each, per instruction set.

python3 bench/kernels.py [--date DATE] [--help]

Runs `cargo bench -p threshnet-bench --bench kernels` once for each instruction set of this machine,
about a minute each, on one thread, and keeps a Markdown record as bench/records/DATE-kernels.md.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from race.environment import BENCH, machine, output, say
from race.record import table

COMMAND = ["cargo", "bench", "--locked", "--quiet", "-p", "threshnet-bench", "--bench", "kernels"]
FLAGS = {"avx512": {"avx512f", "avx512vl", "avx512dq", "avx512bw"}, "avx2": {"avx2", "fma"}}
WIDEST_LAYER = "n=400 1000-10"
# What is asked for: benchmark, and the least share of the FMA peak on each instruction set.
TARGETS = [
    (f"affine/forward {WIDEST_LAYER}", {"avx512": 0.75, "avx2": 0.65}),
    (f"products/gradient {WIDEST_LAYER}", {"avx512": 0.75, "avx2": 0.65}),
    ("epoch/500x1000", {"avx512": 0.6, "avx2": 0.6}),
]


def instruction_sets():
    """Those this machine has, widest first."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = next((set(line.split()) for line in lines if line.startswith("flags")), set())
    return [name for name, needed in FLAGS.items() if needed <= flags] + ["portable"]


def measured(instruction_set):
    """Every benchmark on one instruction set: (seconds, FLOPs, bytes) by name."""
    say(f"{instruction_set} …")
    with tempfile.TemporaryDirectory() as home:
        os.environ.update({"THRESHNET_ISA": instruction_set, "CRITERION_HOME": home})
        # Criterion tells its progress there, line by line.
        output(*COMMAND, stderr=subprocess.DEVNULL)
        found = {}
        for path in Path(home).glob("**/new/benchmark.json"):
            work = json.loads(path.read_text())
            sample = json.loads(path.with_name("sample.json").read_text())
            times = zip(sample["times"], sample["iters"], strict=True)
            best = min(time / count for time, count in times) * 1e-9
            amount = work["throughput"]["ElementsAndBytes"]
            found[work["full_id"]] = (best, amount["elements"], amount["bytes"])
    return found


def duration(seconds):
    """In nano-, micro- or milliseconds."""
    for unit, size in (("ns", 1e-9), ("µs", 1e-6)):
        if seconds < 1000 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e3:.3g} ms"


def rows(found):
    """The lines of one instruction set's table."""
    rate = {name: (flops / s / 1e9, size / s / 1e9) for name, (s, flops, size) in found.items()}
    peak, memory = rate["machine/fma"][0], rate["machine/memory 256 MiB"][1]
    for name in sorted(found, key=lambda name: (not name.startswith("machine/"), name)):
        flops, size = rate[name]
        fast = [f"{flops:.1f}", f"{100 * flops / peak:.0f} %"] if flops else ["", ""]
        moved = [f"{size:.1f}", f"{100 * size / memory:.0f} %"] if size else ["", ""]
        yield [name, duration(found[name][0]), *fast, *moved]


def verdicts(results):
    """Each target and what was measured."""
    for name, wanted in TARGETS:
        for instruction_set, least in wanted.items():
            if instruction_set not in results:
                yield f"- {name}, {instruction_set}: not on this machine"
                continue
            found = results[instruction_set]
            seconds, flops, _ = found[name]
            best, most, _ = found["machine/fma"]
            share = (flops / seconds) / (most / best)
            word = "met" if share >= least else "MISSED"
            yield (
                f"- {name}, {instruction_set}: {100 * share:.0f} % of the FMA peak, "
                f"at least {100 * least:.0f} % asked for: {word}"
            )


def record(results, date, load):
    """The whole record."""
    header = ["benchmark", "time", "GFLOP/s", "of FMA peak", "GB/s", "of memory bandwidth"]
    tables = "\n\n".join(
        f"## {name}\n\n{table(header, list(rows(found)), text=1)}"
        for name, found in results.items()
    )
    verdict = "\n".join(verdicts(results))
    rustc = output("rustc", "--version").split()[1]
    criterion = output("cargo", "pkgid", "--locked", "criterion").strip().rpartition("@")[2]
    return f"""# Kernels, {date}

{verdict}

One core, single precision. Times are those of the fastest of 25 samples: other work on a machine \
only ever slows one down. FLOPs are those of the formula on the rows there are (padded rows do not \
count, an exp counts as its polynomial); those of an epoch are the products only. Bytes are the \
numbers that must be read or written, each once. The peak (`machine/fma`) and the bandwidth \
(`machine/memory 256 MiB`) are measured in the same run, with the same vectors; more than 100 % \
of the bandwidth says that the data come from a cache. Activations and losses compute in 64 bit, \
where the peak is half as high. `n=400 1000-10` says 400 rows, 1000 inputs and 10 outputs.

{tables}

## How

- command: `{" ".join(["python3", "bench/kernels.py", *sys.argv[1:]])}`
- machine: {machine(", ".join(results), load)}
- versions: rustc {rustc}, criterion {criterion}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="of the record")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    output(*COMMAND, "--no-run")
    results = {name: measured(name) for name in instruction_sets()}
    text = record(results, options.date, load)
    print(text)
    path = BENCH / "records" / f"{options.date}-kernels.md"
    path.write_text(text)
    say(f"kept as bench/records/{path.name}")


if __name__ == "__main__":
    main()
