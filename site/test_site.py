"""The documentation keeps its word: it builds, its blocks run, its references are fresh.

`make test-site` runs it. Blocks of the pages below are executed in the order in which they stand, a
page in a folder of its own; text below a block must be among what it printed. A block behind a
comment `<!-- not run: reason -->` is left out.
"""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import command_line

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted((DOCS / "start").glob("*.md"))]
PAGES += sorted((DOCS / "recipes").glob("*.md"))
BLOCK = re.compile(
    r"(?P<mark><!-- not run: (?P<why>.+?) -->\n)?"
    r"^```(?P<kind>python|sh)\n(?P<code>.*?)^```$(?:\n\n```text\n(?P<text>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
FENCE = re.compile(r"^```(\w+)", re.MULTILINE)
# In a README, what builds the program.
BUILDS = "cargo install"
# Printed between blocks.
END = "-- end of a block --"


def missing(what):
    """Left out, and a failure where CI is set, for there nobody reads what was left out."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(what)


def blocks(page):
    """What is to be run: its kind, the code, and the lines that must be printed."""
    for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if not found["mark"] and BUILDS not in found["code"]:
            yield found["kind"], found["code"], (found["text"] or "").splitlines()


def runs(page):
    """Neighbours of one kind, which run as one program: Python keeps its variables."""
    return [list(group) for _, group in groupby(blocks(page), key=lambda block: block[0])]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_run_and_print_what_stands_below_them(page, tmp_path):
    if not command_line.BINARY.is_file():
        missing(f"no binary at {command_line.BINARY}")
    wanted = runs(page)
    if any(group[0][0] == "python" for group in wanted) and not find_spec("threshnet"):
        missing("the package threshnet is not installed here")
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "threshnet").symlink_to(command_line.BINARY)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "MPLBACKEND": "Agg"}
    home = tmp_path / "home"
    home.mkdir()
    for group in wanted:
        kind, between = group[0][0], {"python": f"print({END!r})\n", "sh": f"echo {END}\n"}
        code = "".join(f"{code}{between[kind]}" for _, code, _ in group)
        command = [sys.executable, "-c"] if kind == "python" else ["bash", "-euo", "pipefail", "-c"]
        done = subprocess.run(
            [*command, code],
            cwd=home,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        assert done.returncode == 0, f"{page.name}:\n{code}\n{done.stdout}"
        for (_, _, lines), printed in zip(group, done.stdout.split(END), strict=False):
            said = " ".join(printed.split())
            for line in lines:
                assert " ".join(line.split()) in said, f"{page.name}: {line!r} is not in\n{said}"


def test_every_block_is_run_or_says_why_not():
    for page in PAGES[1:]:
        text = page.read_text(encoding="utf-8")
        fences = [kind for kind in FENCE.findall(text)]
        assert set(fences) <= {"python", "sh", "text"}, page.name
        found = list(BLOCK.finditer(text))
        assert len(found) == sum(kind != "text" for kind in fences), page.name
    assert sum(len(list(blocks(page))) for page in PAGES) > 20


def test_the_readme_is_one_screen():
    words = (ROOT / "README.md").read_text(encoding="utf-8").split()
    assert len(words) <= 700, len(words)


def test_the_command_line_is_what_the_flags_say():
    if not command_line.BINARY.is_file():
        missing(f"no binary at {command_line.BINARY}")
    page = command_line.PAGE.read_text(encoding="utf-8")
    assert page == command_line.page(), "docs/command-line.md is behind: run `make command-line`"
    for flag in ("--stability", "--fold-by", "--onnx", "--times"):
        assert f"`{flag}" in page


def test_the_site_builds_without_a_warning(tmp_path):
    if not find_spec("mkdocs"):
        missing("mkdocs is not installed here")
    build = ["-m", "mkdocs", "build", "-f", ROOT / "site/mkdocs.yml", "-d", tmp_path / "site"]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run([sys.executable, *build], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    # Nothing is fetched by a page: a reader may be offline, and is nobody's business.
    for page in (tmp_path / "site").rglob("*.html"):
        fetched = re.findall(
            r"<(?:script|link|img)[^>]+(?:src|href)=\"(https?:[^\"]+)", page.read_text()
        )
        assert not fetched, (page.name, fetched)


def test_errors_of_the_page_are_those_of_the_program():
    sources = [*ROOT.glob("crates/*/src/**/*.rs"), *ROOT.glob("python/src/*.rs")]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    text = re.sub(r"\\\n\s*", "", text)
    page = (DOCS / "help/errors.md").read_text(encoding="utf-8").split("## In Python")[0]
    said = re.findall(r"^\| [^|]*?`([^`]+)`", page, re.MULTILINE)
    assert len(said) > 20
    for words in said:
        for part in words.replace('"', "").split("…"):
            assert part.strip() in text, words
