"""Writes docs/command-line.md from the flags' own definitions; `make command-line` runs it.

What `threshnet COMMAND --help` says is made of these definitions, so it is read from there.
"""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BINARY = Path(os.environ.get("THRESHNET_BINARY", ROOT / "target/release/threshnet"))
PAGE = ROOT / "docs/command-line.md"
HEAD = """# The command line

Made by `make command-line` of what `threshnet COMMAND --help` says; `threshnet man` makes manual
pages of the same. [Five minutes at the command line](start/command-line.md) shows it in use.
"""
# A flag or an argument begins its line; what it means stands below it, further in.
ENTRY = re.compile(r" {2,6}(-|<|\[)")


def said(*arguments):
    """What the binary prints, in lines."""
    wide = os.environ | {"COLUMNS": "100"}
    done = subprocess.run(
        [BINARY, *arguments], check=True, capture_output=True, env=wide, encoding="utf-8"
    )
    return done.stdout.splitlines()


def commands():
    """The names that `--help` lists, but for `help` itself."""
    listed = re.findall(r"^  ([a-z]+) ", "\n".join(said("--help")), re.MULTILINE)
    return [name for name in listed if name != "help"]


def page():
    """The text of the page."""
    names = commands()
    contents = " · ".join(f"[{name}](#threshnet-{name})" for name in names)
    return "\n".join([HEAD, contents + "\n", *(section(name) for name in names)])


def section(name):
    """A command: what it is for, how it is called, and its flags under their headings."""
    lines = said(name, "--help")
    usage = next(i for i, line in enumerate(lines) if line.startswith("Usage:"))
    about = " ".join(line for line in lines[:usage] if line)
    text = [f"## threshnet {name}\n", about + ".\n"]
    text += ["```text", lines[usage].removeprefix("Usage: "), "```\n"]
    for line in lines[usage + 1 :]:
        bare = line.strip()
        if line and not line.startswith(" "):
            text.append(f"**{bare.removesuffix(':')}**\n")
        elif ENTRY.match(line):
            # A short entry has its meaning on its own line, behind two blanks.
            flag, _, meaning = bare.partition("  ")
            text += ["", f"`{flag}`", f":   {escaped(meaning.strip())}".rstrip()]
        elif bare:
            text.append(f"    {escaped(bare)}")
        elif text[-1] != "":
            text.append("")
    text = "\n".join(text).replace("\n:\n    ", "\n:   ").rstrip() + "\n"
    return re.sub(r"\n{3,}", "\n\n", text)


def escaped(text):
    """What Markdown would take for its own; what is marked as code stays."""
    parts = text.split("`")
    return "`".join(
        re.sub(r"([*_<|])", r"\\\1", p) if i % 2 == 0 else p for i, p in enumerate(parts)
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
