"""What a wheel costs those who install it: its size, the time to install it where there is no Rust,
and the time to import it, beside that of scikit-learn, which it needs.

    make wheel && python3 bench/wheel.py target/wheels/threshnet-….whl python3.10 python3.13

Every Python gets an environment of its own, without Rust on its path. Prints the tables of
bench/records/…-wheel.md. Seconds of the processor stand beside those on the clock, which other work
on the machine makes longer.
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

WORKS = Path(__file__).parent.parent / "python/tests/without_rust.py"
# scikit-learn's base, selectors and pipelines are what the estimators are made of.
IMPORTS = {
    "numpy": "import numpy",
    "what it needs of scikit-learn": "import sklearn.feature_selection, sklearn.pipeline",
    "threshnet": "import threshnet",
}


def timed(command):
    """Seconds on the clock and of the processor; nothing is on the path of what runs."""
    home = os.environ.get("HOME", "/")
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, cwd="/", env={"PATH": "/nowhere", "HOME": home})
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return clock, used


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("pythons", nargs="+")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    wheel = args.wheel.resolve()
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB\n", flush=True)
    print("| Python | step | seconds | of the processor |\n| --- | --- | --: | --: |", flush=True)
    for python in args.pythons:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([python, "-m", "venv", folder], check=True)
            own = f"{folder}/bin/python"
            said = subprocess.run([own, "--version"], capture_output=True, text=True, check=True)
            version = said.stdout.split()[1]

            def row(step, clock, used, version=version):
                print(f"| {version} | {step} | {clock:.2f} | {used:.2f} |", flush=True)

            install = [own, "-m", "pip", "install", "--quiet", "--no-cache-dir", str(wheel)]
            row("install it and all it needs", *timed(install))
            row("a first fit", *timed([own, "-I", str(WORKS)]))
            for name, code in IMPORTS.items():
                runs = [timed([own, "-I", "-c", code]) for _ in range(args.runs)]
                clocks, used = zip(*runs, strict=True)
                row(f"import {name}", median(clocks), median(used))


if __name__ == "__main__":
    main()
