"""results.csv: a row per fit and test set, shared with the threshnet program."""

import csv
import fcntl
import io
import os
import time

from .failure import Failure

# What tells rows apart, and in the battery their metric.
KEY = ["study", "model", "method", "variant", "n", "d", "censoring", "replicate", "seed"]
COLUMNS = [*KEY, "fpr", "fnr", "size", "score", "lambda", "ridge", "seconds", "selected"]
FURTHER = ["metric", "second"]
# More selected columns than this are not listed.
LISTED = 1000


def row_key(row):
    """The key of a row; 0.0 and 0 are the same censoring."""
    key = tuple(
        float(row[name]) if name == "censoring" and row[name] else str(row[name]) for name in KEY
    )
    return (*key, row.get("metric", ""))


def columns_of(study):
    """The columns of a study's file."""
    return [*COLUMNS, *FURTHER] if study == "battery" else COLUMNS


def listed(selected):
    """Selected columns as they stand in a row."""
    return "" if len(selected) > LISTED else " ".join(str(column) for column in selected)


class Results:
    """The file of a study, open for more rows, and the keys of those in it."""

    def __init__(self, folder, study=""):
        folder.mkdir(parents=True, exist_ok=True)
        self.columns = columns_of(study)
        # Of every fit by data set, method and variant: the longest.
        self.longest = {}
        self.path = folder / "results.csv"
        self.file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        self._check_header()
        self._mend()
        self.keys = self._read_keys()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.file)

    def append(self, rows):
        """Adds the rows of one fit that are not there yet, in one write: all or none."""
        new = [row for row in rows if row_key(row) not in self.keys]
        if not new:
            return
        text = io.StringIO()
        csv.DictWriter(text, self.columns, lineterminator="\n").writerows(new)
        self._write(text.getvalue())
        self.keys.update(map(self._key, new))

    def _write(self, text):
        data = text.encode()
        if os.write(self.file, data) != len(data):
            raise Failure(f"{self.path}: a row was cut short; make room on the disk and run again")

    def _check_header(self):
        """Refuses a file that no study wrote; a header may be written just now."""
        first, *more = self.path.read_text().split("\n", 1)
        header = ",".join(self.columns)
        if first == header or (not more and header.startswith(first)):
            return
        raise Failure(
            f"{self.path}: its first line is not that of a study's results; choose another --out"
        )

    def _mend(self):
        """Cuts off a line that a killed run left unfinished, and writes a missing header.

        Only who holds the lock may: a running study has mended the file when it took the lock, and
        cutting below it could take one of its rows.
        """
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        try:
            size, whole = self._whole_lines()
            while size != whole:
                # Another run_peers.py may be in the middle of a row.
                time.sleep(0.1)
                before, (size, whole) = size, self._whole_lines()
                if size == before:
                    os.ftruncate(self.file, whole)
                    size = whole
            if size == 0:
                self._write(",".join(self.columns) + "\n")
        finally:
            # A study that starts now must find it free.
            fcntl.flock(self.file, fcntl.LOCK_UN)

    def _whole_lines(self):
        """The size of the file, and that of its finished lines."""
        data = self.path.read_bytes()
        return len(data), data.rfind(b"\n") + 1

    def _read_keys(self):
        with open(self.path, newline="") as file:
            rows = csv.DictReader(file)
            # A row that another program is writing may have come only in part.
            return {self._key(row) for row in rows if None not in row.values()}

    def _key(self, row):
        """The key of a row that is in the file; notes how long the fit took."""
        of_method = row["model"], row["method"], row["variant"]
        seconds = float(row["seconds"] or 0)
        self.longest[of_method] = max(seconds, self.longest.get(of_method, 0.0))
        return row_key(row)
