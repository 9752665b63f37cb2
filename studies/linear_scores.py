"""Linear models under the LASSO on ten public data sets: threshnet beside scikit-learn's LassoCV
and LogisticRegressionCV and scikit-survival's Coxnet.

    python studies/linear_scores.py --data DIR [--sets colon,nki] [--splits 5]

Takes threshnet as it is installed, beside scikit-learn and scikit-survival of requirements.txt.
DIR holds the data sets (docs/reproduction.md says where they come from). A quarter of the rows is
held out, stratified, `--splits` times; both sides learn from the same others, standardised, over
the same range of as many lambdas, one of which is chosen by the same five folds, threshnet's. The
peers are those of peers/lasso.py. Prints a Markdown table with the mean scores of
the rows held out, their paired difference, and whether threshnet is at most 0.005 behind.
"""

import argparse
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from peers import lasso
from peers.arrays import Arrays, Rows
from peers.fitted import Fitted
from peers.scores import score
from sklearn.model_selection import train_test_split

import threshnet

BEHIND = 0.005
METRICS = {"regression": "r2", "binary": "auc", "cox": "c_index"}
NAMES = {"r2": "R²", "auc": "AUC", "c_index": "C-index"}
PEERS = {"regression": "LassoCV", "binary": "LogisticRegressionCV", "cox": "Coxnet"}
AFFYMETRIX = (100, 16_000)  # what the scanner can tell


@dataclass(frozen=True)
class Known:
    """A data set: its file, its outcome, and what is done to it before rows are split."""

    file: str
    task: str
    outcome: tuple = ("class",)
    # Beginnings of the names of columns to use; all that are numbers without gaps by default.
    features: tuple = field(default=("",))
    # The range to which an intensity is brought before its log is taken.
    logged: tuple | None = None
    log_outcome: bool = False

    def read(self, folder):
        table = pd.read_csv(folder / self.file)
        named = [name for name in table if name not in self.outcome]
        named = [name for name in named if name.startswith(self.features)]
        numbers = table[named].select_dtypes("number").dropna(axis=1)
        x = numbers.to_numpy(float)
        x = x[:, x.min(axis=0) < x.max(axis=0)]
        if self.logged:
            x = np.log2(np.clip(x, *self.logged))
        y = table[list(self.outcome)]
        if self.task == "binary":
            return Rows(x, pd.factorize(y.iloc[:, 0], sort=True)[0])
        y = y.to_numpy(float)
        if self.task == "cox":
            return Rows(x, y)[y[:, 0] > 0]
        return Rows(x, np.log(y[:, 0]) if self.log_outcome else y[:, 0])


SURVIVAL = ("time", "event")
KNOWN = {
    "riboflavin": Known(
        "reg_riboflavin71/riboflavin.csv.gz", "regression", ("log2_riboflavin_rate",)
    ),
    "permeability": Known(
        "reg_permeability165/permeability.csv.gz", "regression", ("y",), log_outcome=True
    ),
    "chemprocess": Known("reg_chemprocess176/chemprocess.csv.gz", "regression", ("y",)),
    "colon": Known("cls_colon_alon62/alon.csv.gz", "binary", logged=(1, np.inf)),
    "leukemia": Known("cls_leukemia_golub72/golub.csv.gz", "binary", logged=AFFYMETRIX),
    "lymphoma": Known("cls_lymphoma_shipp77/shipp.csv.gz", "binary", logged=AFFYMETRIX),
    "tumours": Known("cls_cns_pomeroy60/pomeroy.csv.gz", "binary"),
    "nki": Known("surv_nki70/nki70.csv.gz", "cox", SURVIVAL, ("num_",)),
    "transbig": Known("surv_gse7390_breast198/gse7390.csv", "cox", ("t.tdm", "e.tdm")),
    "aml": Known("surv_aml_alliance306/amltrain.csv.gz", "cox", SURVIVAL),
}


def splits(task, rows, count):
    """Rows to learn from and rows to score on."""
    stratum = {"regression": None, "binary": rows.y}.get(task, rows.y[..., -1])
    for seed in range(count):
        parts = train_test_split(
            np.arange(len(rows)), test_size=0.25, stratify=stratum, random_state=seed
        )
        train, test = (rows[np.sort(part)] for part in parts)
        yield Arrays(task, METRICS[task], train, {"": test}, seed, standardize=True)


def largest_lambda(arrays):
    """Where the first column enters, in threshnet's units: docs/coming-from.md has them."""
    y = arrays.train.y
    factor = {"regression": 2 / y.std(), "binary": 1.0, "cox": 1 / y[..., -1].mean()}[arrays.task]
    return factor * lasso.largest_penalty(arrays)


def fit_threshnet(arrays):
    """Its own LASSO."""
    largest = largest_lambda(arrays)
    count = lasso.LOGISTIC_PENALTIES if arrays.task == "binary" else lasso.PENALTIES
    y, kind = arrays.train.y, threshnet.ThreshNetSurvival
    if arrays.task == "regression":
        kind = threshnet.ThreshNetRegressor
    elif arrays.task == "binary":
        kind = threshnet.ThreshNetClassifier
    else:
        y = threshnet.survival(y[:, 0], y[:, 1] == 1)
    return kind(
        hidden=(),
        penalty="lasso",
        linear="leave",
        lambdas=np.geomspace(largest / lasso.RANGE, largest, count),
        ridges=[0.0],
        validation=f"cv:{lasso.FOLDS}",
        random_state=arrays.seed,
        n_jobs=-1,
    ).fit(arrays.train.x, y)


def margins(model, task, x):
    """What rows are scored by."""
    return model.predict_log_proba(x) @ [-1.0, 1.0] if task == "binary" else model.predict(x)


def folds(model):
    """The rows that each of its folds learned from, and those that it was scored on."""
    held_out = model.held_out_
    rows, number = np.asarray(held_out["rows"]), np.asarray(held_out["folds"])
    return [(np.sort(rows[number != fold]), rows[number == fold]) for fold in np.unique(number)]


def compared(name, known, options):
    """A line of the table, and whether threshnet keeps up."""
    ours, theirs = [], []
    rows = known.read(options.data)
    started = time.perf_counter()
    for arrays in splits(known.task, rows, options.splits):
        test = arrays.tests[""]
        model = fit_threshnet(arrays)
        own = Fitted(predict=lambda x, model=model: margins(model, known.task, x))
        peer = lasso.fit(arrays, folds(model))
        ours.append(score(arrays.metric, arrays, test, own))
        theirs.append(score(arrays.metric, arrays, test, peer))
        taken = time.perf_counter() - started
        print(
            f"{name}: {ours[-1]:.4f} and {theirs[-1]:.4f} ({taken:.0f} s)",
            file=sys.stderr,
            flush=True,
        )
    difference = np.subtract(ours, theirs)
    error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else np.nan
    keeps_up = difference.mean() >= -BEHIND
    n, d = rows.x.shape
    line = (
        f"| {name} | {n} × {d} | {NAMES[METRICS[known.task]]} | {np.mean(ours):.4f} "
        f"| {PEERS[known.task]} {np.mean(theirs):.4f} | {difference.mean():+.4f} ± {error:.4f} "
        f"| {'yes' if keeps_up else 'NO'} |"
    )
    return line, keeps_up


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="where the data sets are")
    parser.add_argument("--sets", default=",".join(KNOWN), help="which of them")
    parser.add_argument("--splits", type=int, default=5)
    options = parser.parse_args()
    asked = options.sets.split(",")
    if not set(asked) <= set(KNOWN):
        parser.error(f"--sets: {', '.join(KNOWN)}")
    warnings.simplefilter("ignore")  # of paths that a package ends early
    print(f"threshnet {threshnet.__version__}, {options.splits} splits\n")
    print("| data | size | score | threshnet | peer | difference | keeps up |")
    print("| --- | --- | --- | --: | --- | --: | --- |")
    kept = []
    for name in asked:
        line, keeps_up = compared(name, KNOWN[name], options)
        print(line, flush=True)
        kept.append(keeps_up)
    print(f"\nAt most {BEHIND} behind on {sum(kept)} of {len(kept)} sets.")


if __name__ == "__main__":
    main()
