"""Holds the crates of Cargo.lock to deny.toml with Cargo alone.

Licences, sources and second versions. cargo-deny (`make deny`) does the same and looks for
advisories, where it and their database can be had.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import tomllib

ROOT = Path(__file__).parent.parent
REGISTRY = "registry+"


def allowed(expression, licences):
    """Whether an SPDX expression, or the older A/B, can be met by these licences."""
    words = re.findall(r"\(|\)|[^\s()/]+|/", expression)
    merged = []
    for word in words:
        if merged and (word == "WITH" or merged[-1].endswith(" WITH")):
            merged[-1] += f" {word}"
        else:
            merged.append("OR" if word == "/" else word)
    logic = {"OR": "or", "AND": "and", "(": "(", ")": ")"}
    terms = [logic.get(word, str(word in licences)) for word in merged]
    return eval(" ".join(terms), {"__builtins__": {}})  # noqa: S307 (True, False, and, or, parentheses)


def main():
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    # (on a fresh machine Cargo downloads them first)
    metadata = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
    packages = json.loads(subprocess.check_output(metadata, cwd=ROOT))["packages"]
    licences = set(rules["licenses"]["allow"])
    skipped = {(of["name"], of["version"]) for of in rules["bans"]["skip"]}
    trees = {of["name"] for of in rules["bans"]["skip-tree"]}
    problems, versions = [], defaultdict(list)
    for package in packages:
        name, version = package["name"], package["version"]
        licence, source = package["license"] or "none", package["source"]
        if not allowed(licence, licences):
            problems.append(f"{name} {version}: its licence is {licence}")
        if not (source is None or source.startswith(REGISTRY)):
            problems.append(f"{name} {version}: it comes from {source}")
        parts = version.split(".")
        known = any((name, ".".join(parts[:count])) in skipped for count in (1, 2, 3))
        if not known and name not in trees:
            versions[name].append(version)
    for name, several in versions.items():
        if len(several) > 1:
            problems.append(f"{name}: {len(several)} versions, {', '.join(sorted(several))}")
    for problem in problems:
        print(f"deny.toml: {problem}", file=sys.stderr)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
