"""The guide runs, and prints what it says it prints."""

import contextlib
import io
import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
# Code, and what stands below it if it prints.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("ignore")
def test_every_block_prints_what_stands_below_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope = {}
    blocks = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "python.md", "exec"), scope)
        assert printed.getvalue() == expected, code
    assert sum(bool(expected) for _, expected in blocks) > 10
