"""The type stubs say what the engine has."""

import subprocess
import sys


def test_the_stubs_match_the_engine(tmp_path):
    command = [sys.executable, "-m", "mypy.stubtest", "threshnet._core"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
