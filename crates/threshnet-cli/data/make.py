"""Writes breast-cancer.csv and cars.csv beside it from the packages that carry these data.

pip install scikit-learn==1.9.1 mlxtend==0.25.0, then python make.py. heart-failure.csv is as its
source has it.
"""

import csv
import gzip
from importlib.resources import files
from pathlib import Path

from sklearn.datasets import load_breast_cancer

HERE = Path(__file__).parent
CARS = "cylinders displacement horsepower weight acceleration model_year origin"
ORIGINS = {"1": "America", "2": "Europe", "3": "Japan"}


def write(name, head, rows):
    """A CSV file with a header."""
    with (HERE / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def breast_cancer():
    """The diagnosis in words, in place of 0 and 1."""
    data = load_breast_cancer()
    rows = zip(data.data.tolist(), data.target_names[data.target], strict=True)
    names = [name.replace(" ", "_") for name in data.feature_names]
    write("breast-cancer.csv", [*names, "diagnosis"], ([*row, word] for row, word in rows))


def cars():
    """The origin in words, in place of 1 to 3; without names, which are nearly all different."""
    text = gzip.decompress((files("mlxtend") / "data/data/autompg.csv.gz").read_bytes()).decode()
    rows = ([*row[:6], ORIGINS[row[6]], row[8]] for row in csv.reader(text.splitlines()))
    write("cars.csv", [*CARS.split(), "mpg"], rows)


if __name__ == "__main__":
    breast_cancer()
    cars()
