"""What is asked of the threshnet program: which replicates a study has, and their arrays."""

import csv
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .failure import Failure

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Replicate:
    """One draw of the data of one cell of a study."""

    study: str
    model: str
    n: int
    d: int
    # The kind of outcome: regression, binary, multiclass or cox.
    task: str
    # As the program prints it, so that rows of one cell read the same whoever wrote them.
    censoring: str
    number: int
    seed: int
    # What the score of a row is, where a study has rows of several.
    metric: str = ""
    # How many columns a clinician has without the laboratory.
    clinical: int = 0

    @property
    def cell(self):
        words = [self.model, f"{self.n}x{self.d}"]
        return tuple(words + [f"c{self.censoring}"] if self.censoring else words)

    def __str__(self):
        return f"{' '.join(self.cell)} r{self.number}"


@dataclass(frozen=True)
class Program:
    """A built threshnet, and the flags that decide which data a study has."""

    binary: Path
    study: str
    flags: tuple

    def replicates(self, only):
        """Every replicate that matches the tokens: the first of each cell, then the second, …

        In this order a run that is stopped early has as many of one cell as of another.
        """
        text = self._run(only, "--list")
        rows = csv.DictReader(text.splitlines())
        try:
            found = [
                Replicate(
                    self.study,
                    row["model"],
                    int(row["n"]),
                    int(row["d"]),
                    row["task"],
                    row["censoring"],
                    int(row["replicate"]),
                    int(row["seed"]),
                    row["metric"],
                    int(row["clinical"]),
                )
                for row in rows
            ]
        except (KeyError, ValueError, TypeError) as error:
            raise Failure(
                f"{self.binary} study --list printed something else than replicates ({error!r}); "
                "build the program of this checkout: cargo build --release"
            ) from error
        # Sorting keeps the study's order of cells within a replicate.
        return sorted(dict.fromkeys(found), key=lambda replicate: replicate.number)

    def export(self, replicate, folder):
        """Writes the arrays of one replicate below `folder`; returns where they are."""
        tokens = [*replicate.cell, f"r{replicate.number}"]
        self._run(tokens, "--export", str(folder))
        places = [info.parent for info in Path(folder).glob("*/r*/info.json")]
        if len(places) != 1:
            raise Failure(
                f"--export of {replicate} wrote {len(places)} replicates in place of one; "
                "build the program of this checkout: cargo build --release"
            )
        return places[0]

    def _run(self, only, *arguments):
        command = [str(self.binary), "study", self.study, *self.flags, *arguments]
        if only:
            command += ["--only", ",".join(only)]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise Failure(f"cannot run {self.binary} ({error.strerror}); see --binary") from error
        if done.returncode != 0:
            said = " ".join(done.stderr.split()) or f"exit status {done.returncode}"
            raise Failure(f"threshnet study {self.study}: {said.removeprefix('error: ')}")
        return done.stdout


def default_binary():
    """The release build of this checkout, built if it is not there."""
    binary = REPOSITORY / "target" / "release" / "threshnet"
    if not binary.exists():
        try:
            built = subprocess.run(["cargo", "build", "--locked", "--release"], cwd=REPOSITORY)
        except OSError as error:
            raise Failure("cannot run cargo; install Rust, or name a binary by --binary") from error
        if built.returncode != 0 or not binary.exists():
            raise Failure("cargo build --release did not make threshnet; see its messages above")
    return binary
