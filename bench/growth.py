"""Growth: time and peak memory against rows, columns, width and depth; memory of whole fits.

python3 bench/growth.py [--date DATE] [--help]

Every point is a process of its own (drivers/src/bin/growth.rs). Writes
docs/figures/growth-*.svg and bench/records/DATE-growth.md; a few minutes.
"""

import argparse
import datetime
import json
import math
import os
import sys
from dataclasses import dataclass

from race.environment import BENCH, PYTHON, built, install, machine, output, say
from race.record import digits, table

FIGURES = BENCH.parent / "docs" / "figures"
DECADES = [100, 316, 1000, 3162, 10_000, 31_623, 100_000]
MIB = 1 << 20
# (rows, columns) of the fits whose memory is compared with the bound.
FITS = [(500, 1000), (500, 10_000), (500, 50_000), (20_000, 1000), (100_000, 200)]
SECONDS = 0.5


@dataclass
class Series:
    """Points along one size, all others fixed."""

    name: str
    label: str
    fixed: str
    sizes: list
    # From a size to (rows, columns, hidden layers).
    network: callable

    def measure(self, binary):
        self.points = []
        for size in self.sizes:
            n, d, hidden = self.network(size)
            say(f"{self.name} {size} …")
            widths = ",".join(map(str, hidden))
            point = json.loads(output(binary, "epoch", n, d, widths, SECONDS))
            self.points.append({**point, "data": 8 * n * d, "packed": 4 * n * d})

    def column(self, what):
        return [what(point) for point in self.points]


def all_series():
    return [
        Series("d", "columns d", "500 rows, hidden 10, 5", DECADES, lambda d: (500, d, (10, 5))),
        Series("n", "rows n", "100 columns, hidden 10, 5", DECADES, lambda n: (n, 100, (10, 5))),
        Series(
            "width",
            "width h of the first hidden layer",
            "500 rows, 1000 columns, hidden h, 5",
            [5, 10, 20, 40, 80, 160, 320],
            lambda h: (500, 1000, (h, 5)),
        ),
        Series(
            "depth",
            "hidden layers of 10 units",
            "500 rows, 1000 columns",
            [1, 2, 3, 4, 5, 6],
            lambda depth: (500, 1000, (10,) * depth),
        ),
    ]


def exponent(sizes, values):
    """The slope of log value over log size in the larger half of the points."""
    half = len(sizes) // 2
    x = [math.log(size) for size in sizes[half:]]
    y = [math.log(value) for value in values[half:]]
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    return products / sum((a - x_mean) ** 2 for a in x)


def seconds(point):
    return point["seconds"]


def memory(point):
    """The most that was resident, in MiB, without the bare process."""
    return (point["memory"][2] - point["memory"][0]) / MIB


def bound(n, d, threads):
    """What a fit may take, in MiB: four fifths of the rows are trained on, held out or folds."""
    train = n * 4 // 5
    return (1.2 * 8 * n * d + threads * 1.2 * 4 * train * d) / MIB + 64


def fits(binary):
    """The memory of whole fits: rows of the table."""
    rows = []
    for n, d in FITS:
        for validation, name in (("holdout", "20 % held out"), ("cv", "5 folds")):
            for threads in (1, 2):
                say(f"fit {n} × {d}, {validation}, {threads} threads …")
                point = json.loads(output(binary, "fit", n, d, threads, validation))
                peak, most = point["memory"][2] / MIB, bound(n, d, threads)
                rows.append(
                    [
                        f"{n} × {d}",
                        name,
                        str(threads),
                        f"{8 * n * d / MIB:.0f}",
                        f"{point['memory'][1] / MIB:.0f}",
                        f"{peak:.0f}",
                        f"{most:.0f}",
                        f"{peak / most:.2f}",
                        "met" if peak <= most else "MISSED",
                    ]
                )
    return rows


def series_table(series, peak):
    header = [series.label, "s per epoch", "of FMA peak", "data, MiB", "peak memory, MiB"]
    rows = [
        [
            f"{size:,}",
            f"{point['seconds']:.3g}",
            f"{100 * point['flops'] / point['seconds'] / peak:.0f} %",
            digits(point["data"] / MIB),
            digits(memory(point)),
        ]
        for size, point in zip(series.sizes, series.points, strict=True)
    ]
    time = exponent(series.sizes, series.column(seconds))
    space = exponent(series.sizes, series.column(memory))
    return f"""## {series.label[0].upper()}{series.label[1:]}

{series.fixed}. Exponents of the larger half: time {time:.2f}, memory {space:.2f}.

{table(header, rows, text=0)}"""


def record(all_measured, fit_rows, peak, options, load):
    header = ["rows × columns", "chosen by", "threads", "data, MiB", "with data", "peak, MiB"]
    header += ["bound, MiB", "peak / bound", "verdict"]
    tables = "\n\n".join(series_table(series, peak["flops_per_second"]) for series in all_measured)
    rustc = output("rustc", "--version").split()[1]
    return f"""# Growth, {options.date}

Adam with all columns alive, regression, one thread, every point in a process of its own. Seconds \
are those of the fastest epoch within {SECONDS:g} s: other work on a machine only ever slows one \
down. Memory is the largest resident size less that of the process before it had data. The FMA \
peak is {peak["flops_per_second"] / 1e9:.1f} GFLOP/s. Plots: docs/figures/growth-*.svg.

{tables}

## Memory of whole fits

3 ridges × 5 λ, few epochs, so that columns (and with them the networks of a path) live longer \
than in a fit of full length. The bound is 1.2 × the data \
(64 bit) + 1.2 × the training matrix (32 bit) for each thread + 64 MiB.

{table(header, fit_rows, text=2)}

## How

- command: `{" ".join(["python3", "bench/growth.py", *sys.argv[1:]])}`
- machine: {machine(peak["instruction_set"], load)}
- versions: rustc {rustc}
"""


def draw(all_measured, peak):
    """One figure per series: time beside memory."""
    import matplotlib

    matplotlib.use("svg")
    # The same numbers give the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "growth", "font.size": 10})
    from matplotlib import pyplot
    from matplotlib.ticker import LogLocator, NullLocator

    # Okabe and Ito's colours, told apart by every kind of colour vision.
    blue, orange, grey = "#0072B2", "#D55E00", "#666666"
    FIGURES.mkdir(parents=True, exist_ok=True)
    for series in all_measured:
        figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
        at_peak = series.column(lambda point: point["flops"] / peak["flops_per_second"])
        left.plot(series.sizes, at_peak, "--", color=grey, label="at FMA peak")
        right.plot(
            series.sizes,
            series.column(lambda point: (point["data"] + point["packed"]) / MIB),
            "--",
            color=grey,
            label="data (64 bit) + training matrix (32 bit)",
        )
        panels = [
            (left, seconds, blue, "o", "seconds per epoch"),
            (right, memory, orange, "s", "peak memory, MiB"),
        ]
        for axes, what, colour, marker, label in panels:
            values = series.column(what)
            power = exponent(series.sizes, values)
            axes.plot(
                series.sizes,
                values,
                marker=marker,
                color=colour,
                label=f"measured, exponent {power:.2f}",
            )
            axes.set(xscale="log", yscale="log", xlabel=series.label, ylabel=label)
            # At least a decade and a half: a smaller one would make a line out of noise.
            low, high = axes.get_ylim()
            stretch = max(1, math.sqrt(30 / (high / low)))
            axes.set_ylim(low / stretch, high * stretch)
            if high / low < 100:
                axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axes.yaxis.set_major_formatter("{x:g}")
                axes.yaxis.set_minor_locator(NullLocator())
            axes.grid(True, which="major", alpha=0.3)
            axes.spines[["top", "right"]].set_visible(False)
            axes.legend(frameon=False, loc="upper left")
            if series.name in ("width", "depth"):
                axes.set_xticks(series.sizes, [str(size) for size in series.sizes])
                axes.xaxis.set_minor_locator(NullLocator())
        figure.suptitle(f"One dense epoch: {series.fixed}", fontsize=11)
        figure.savefig(FIGURES / f"growth-{series.name}.svg", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="of the record")
    options = parser.parse_args()
    install()
    if sys.executable != str(PYTHON):
        # Only that environment has matplotlib.
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    load = os.getloadavg()[0]
    binary = built("growth")
    peak = json.loads(output(binary, "peak"))
    all_measured = all_series()
    for series in all_measured:
        series.measure(binary)
    text = record(all_measured, fits(binary), peak, options, load)
    draw(all_measured, peak)
    print(text)
    path = BENCH / "records" / f"{options.date}-growth.md"
    path.write_text(text)
    say(f"kept as bench/records/{path.name} and docs/figures/growth-*.svg")


if __name__ == "__main__":
    main()
