"""The peers' environment, subprocesses on one thread, and the machine."""

import os
import platform
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
PYTHON = BENCH / ".venv" / "bin" / "python"
REQUIREMENTS = BENCH / "requirements.txt"
ONE_THREAD = {
    name: "1"
    for name in (
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "RAYON_NUM_THREADS",
    )
}


def say(line):
    """Progress, apart from the record on standard output."""
    print(line, file=sys.stderr, flush=True)


def output(*command, **options):
    """Runs a command with one thread and gives its standard output."""
    return subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **ONE_THREAD},
        cwd=BENCH.parent,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        **options,
    ).stdout


def install():
    """Makes bench/.venv, once for every change of the requirements."""
    installed = BENCH / ".venv" / "requirements.txt"
    if installed.exists() and installed.read_text() == REQUIREMENTS.read_text():
        return
    say("installing the peers and torch into bench/.venv …")
    venv.create(BENCH / ".venv", with_pip=True, clear=True)
    output(PYTHON, "-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS)
    shutil.copy(REQUIREMENTS, installed)


def built(name):
    """The release build of drivers/src/bin/NAME.rs: its path."""
    package = ("--package", "threshnet-bench", "--bin", name)
    output("cargo", "build", "--locked", "--quiet", "--release", *package)
    target = Path(os.environ.get("CARGO_TARGET_DIR", BENCH.parent / "target"))
    return BENCH.parent / target / "release" / name


def machine(instruction_set, load):
    """The machine, without its name."""
    model = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    cpu = model[1] if model else platform.machine()
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    return (
        f"{cpu}, {os.cpu_count()} cores, {instruction_set}, {system}, "
        f"Linux {platform.release()}; load average before the run {load:.2f}"
    )
