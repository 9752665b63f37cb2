"""Lines of code without tests, and the longest files.

python3 bench/lines.py [REV]    of a revision, or of the working tree

Counts every line of the Rust and Python files below crates/*/src and python/, but for tests: files
and folders named so, and what follows `#[cfg(test)]` in a Rust file.
"""

import subprocess
import sys
from pathlib import PurePosixPath

LONGEST = 500


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def counted(path):
    """Whether a file is code and no test."""
    path = PurePosixPath(path)
    inside = path.parts[0] == "python" or path.parts[0] == "crates" and "src" in path.parts
    is_test = "tests" in path.parts or path.stem == "tests" or path.name.startswith("test_")
    return inside and path.suffix in (".rs", ".py", ".pyi") and not is_test


def lines(text):
    """How many lines stand before the tests of a file."""
    return len(text.partition("#[cfg(test)]\nmod tests {")[0].splitlines())


def main():
    revision = sys.argv[1] if len(sys.argv) > 1 else None
    if revision:
        files = git("ls-tree", "-r", "--name-only", revision).splitlines()
    else:
        files = git("ls-files").splitlines()
    sizes = {}
    for path in filter(counted, files):
        if revision:
            text = git("show", f"{revision}:{path}")
        else:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        sizes[path] = lines(text)
    print(f"{sum(sizes.values())} lines in {len(sizes)} files")
    for path, size in sorted(sizes.items(), key=lambda entry: -entry[1]):
        if size > LONGEST:
            print(f"{size:5} {path}")


if __name__ == "__main__":
    main()
