"""Reads the files that studies write and refuses what does not fit, by file and line."""

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path

COLUMNS = ["study", "model", "method", "variant", "n", "d", "censoring", "replicate", "seed"]
COLUMNS += ["fpr", "fnr", "size", "score", "lambda", "ridge", "seconds", "selected"]
# A study goes on where it stopped, so whatever is removed is computed again.
RUN_AGAIN = "delete the line and run the study again"


class Malformed(Exception):
    """A file that cannot be drawn from: where, what is wrong, and what to do."""

    def __init__(self, path, line, problem, fix):
        super().__init__(f"{path}:{line}: {problem}; {fix}")


@dataclass(frozen=True)
class Line:
    """One line of a CSV file; its readers turn a bad field into a Malformed."""

    path: Path
    number: int
    fields: dict
    fix: str

    def malformed(self, problem):
        return Malformed(self.path, self.number, problem, self.fix)

    def number_of(self, column, low=-math.inf, high=math.inf):
        """The field as a number within [low, high]; None where it is empty."""
        text = self.fields[column].strip()
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.malformed(f"{column} is {text!r}, which is not a number")
        if not low <= value <= high:
            raise self.malformed(f"{column} is {text}, outside {low:g} to {high:g}")
        return value

    def integer_of(self, column):
        value = self.number_of(column, low=0)
        if value is not None and value != int(value):
            raise self.malformed(f"{column} is {self.fields[column]}, not a whole number")
        return None if value is None else int(value)

    def required(self, value, column):
        if value is None:
            raise self.malformed(f"{column} is empty")
        return value


@dataclass(frozen=True)
class Row:
    """One fit of one method. `None` stands for an empty field."""

    line: Line
    model: str
    method: str
    variant: str
    n: int | None
    d: int | None
    censoring: float | None
    replicate: int
    seed: int
    fpr: float | None
    fnr: float | None
    size: int | None
    score: float | None
    seconds: float | None
    # Column numbers; None where they were not written although there are some (very long lists).
    selected: tuple[int, ...] | None
    # What the score is; empty in a study that has but one for an outcome.
    metric: str


def records(path, fix):
    """(line number, fields) of every line of a CSV file that is not empty."""
    content = path.read_bytes()
    try:
        reader = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
        for record in reader:
            if record:
                yield reader.line_num, record
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Malformed(path, line, "not UTF-8 text", fix) from None
    except csv.Error as error:
        raise Malformed(path, reader.line_num, f"not CSV: {error}", fix) from None


def lines(path, columns, fix=RUN_AGAIN):
    """Every line of a CSV file that has at least these columns."""
    every = records(path, fix)
    _, header = next(every, (1, []))
    absent = [column for column in columns if column not in header]
    if absent:
        fix = f"start with {','.join(columns)}"
        raise Malformed(path, 1, f"no column {', '.join(absent)}", fix)
    for number, record in every:
        if len(record) != len(header):
            problem = f"{len(record)} fields where the header has {len(header)}"
            raise Malformed(path, number, problem, fix)
        yield Line(path, number, dict(zip(header, record, strict=True)), fix)


def selection(line, size):
    """The column numbers, and None where the file leaves out which ones they are."""
    words = line.fields["selected"].split()
    if not all(word.isdecimal() for word in words):
        raise line.malformed("selected must be column numbers with spaces between")
    if words and len(words) != size:
        raise line.malformed(f"selected lists {len(words)} columns but size is {size}")
    return tuple(map(int, words)) if words or size == 0 else None


def row(line):
    size = line.integer_of("size")
    return Row(
        line=line,
        model=line.fields["model"],
        method=line.fields["method"],
        variant=line.fields["variant"],
        n=line.integer_of("n"),
        d=line.integer_of("d"),
        censoring=line.number_of("censoring", 0, 1),
        replicate=line.required(line.integer_of("replicate"), "replicate"),
        seed=line.required(line.integer_of("seed"), "seed"),
        fpr=line.number_of("fpr", 0, 1),
        fnr=line.number_of("fnr", 0, 1),
        size=size,
        score=line.number_of("score"),
        seconds=line.number_of("seconds", low=0),
        selected=selection(line, size),
        metric=line.fields.get("metric", ""),
    )


def read_rows(path, methods):
    """The rows of a results.csv; `methods` are the names that may occur."""
    rows, first = [], {}
    for line in lines(path, COLUMNS):
        one = row(line)
        if one.method not in methods:
            raise line.malformed(f"method {one.method!r} is not one of {', '.join(methods)}")
        # A replicate that is there twice would weigh twice in every mean and quantile.
        if line.fields["study"] != path.parent.name:
            problem = f"a row of the study {line.fields['study']!r}"
            raise Malformed(path, line.number, problem, "move it to that study's folder")
        key = (one.model, one.method, one.variant, one.n, one.d, one.censoring)
        key += (one.replicate, one.seed, one.metric)
        if key in first:
            raise Malformed(path, line.number, f"repeats line {first[key]}", "delete one of them")
        first[key] = line.number
        rows.append(one)
    return rows


class Results:
    """The results folder. A study that is not there has no rows and is remembered as missing."""

    def __init__(self, folder, methods):
        self.folder = Path(folder)
        self.methods = methods
        self.missing = {}
        self._rows = {}

    def file(self, study, name):
        """A file of a study, or None."""
        path = self.folder / study / name
        return path if path.is_file() else None

    def rows(self, study):
        if study not in self._rows:
            path = self.file(study, "results.csv")
            self._rows[study] = read_rows(path, self.methods) if path else []
            if not self._rows[study]:
                self.missing[study] = self.folder / study / "results.csv"
        return self._rows[study]
