"""The examples run as they are."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(name, *arguments):
    command = [sys.executable, EXAMPLES / name, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_a_cluster_of_two_workers_gives_what_one_machine_gives():
    assert "the same on two workers as alone" in run("cluster.py")


def test_the_pictures_of_the_guide_are_drawn(tmp_path):
    run("pictures.py", str(tmp_path))
    drawn = {file.name for file in tmp_path.iterdir()}
    shown = {file.name for file in (EXAMPLES.parents[1] / "docs/figures/python").iterdir()}
    assert drawn == shown
