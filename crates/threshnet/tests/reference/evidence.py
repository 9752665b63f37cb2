"""Freezes what outside packages say of calibration, decisions, intervals and survival.

    pip install numpy scipy pandas scikit-learn==1.9.* scikit-survival==0.28.* statsmodels \
        dcurves==1.1.* lifelines matplotlib tqdm
    pip install --no-deps SurvivalEVAL==0.9.*
    apt-get install r-cran-rms r-cran-proc     # R 4, for evidence.R
    python evidence.py

writes evidence.json next to this file, with the versions it was made with. Weights are whole
numbers; packages are given the rows as often as they count. Inputs are multiples of 1/1024.
SurvivalEVAL's test of D-calibration needs no torch, which it imports: a stand-in does.
"""

import json
import platform
import subprocess
import sys
import types
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm
from dcurves import dca
from scipy.special import expit, logit, softmax
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    brier_score_loss,
    confusion_matrix,
    precision_recall_fscore_support,
    roc_auc_score,
)
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import (
    brier_score,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
    integrated_brier_score,
)
from sksurv.nonparametric import CensoringDistributionEstimator, kaplan_meier_estimator
from sksurv.util import Surv

torch = types.ModuleType("torch")
torch.Tensor = type("Tensor", (), {})
sys.modules.setdefault("torch", torch)
from SurvivalEVAL.evaluations.calibration.distributional import (  # noqa: E402
    distribution_calibration,
)

HERE = Path(__file__).parent
RNG = np.random.default_rng(20261119)
THRESHOLDS = [0.05, 0.2, 0.35, 0.5]


def grid(values, step=1024):
    """Rounds to multiples of 1/step."""
    return np.round(np.asarray(values) * step) / step


def in_r(what, **columns):
    """What evidence.R says of these columns."""
    text = pd.DataFrame(columns).to_csv(index=False, float_format="%.17g")
    run = subprocess.run(
        ["Rscript", "--vanilla", HERE / "evidence.R", what],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    found = dict(line.split(" ", 1) for line in run.stdout.strip().splitlines())
    return {name: [float(v) for v in values.split()] for name, values in found.items()}


def line(y, x, weights):
    """Intercept and slope of an unpenalised logistic regression, and the intercept of slope 1."""
    family = sm.families.Binomial()
    options = {"freq_weights": weights, "family": family}
    both = sm.GLM(y, sm.add_constant(x), **options).fit(tol=1e-14, maxiter=200)
    shift = sm.GLM(y, np.ones(len(y)), offset=x, **options).fit(tol=1e-14, maxiter=200)
    return {
        "intercept": both.params[0],
        "slope": both.params[1],
        "in_the_large": shift.params[0],
    }


def decisions(table):
    """Net benefit of the model and of treating all, from dcurves."""
    model, everybody = (table[table["model"] == name] for name in ("p", "all"))
    return {
        "net_benefit": model["net_benefit"].tolist(),
        "treat_all": everybody["net_benefit"].tolist(),
    }


def binary(name, n, step, weighted):
    """Two classes, their probability by two models; ties where the step is coarse."""
    signal = RNG.normal(0, 1.2, n)
    positive = RNG.random(n) < expit(signal - 0.4)
    p = np.clip(grid(expit(1.5 * signal + RNG.normal(0, 0.5, n)), step), 1 / 64, 63 / 64)
    q = np.clip(grid(expit(0.8 * signal + RNG.normal(0, 1, n)), step), 1 / 64, 63 / 64)
    weights = RNG.integers(0, 4, n) if weighted else np.ones(n, dtype=int)
    many = np.repeat(np.arange(n), weights)
    y, x, x2 = positive[many].astype(int), p[many], q[many]
    smooth = in_r("binary", y=y, p=x, q=x2)
    rows = pd.DataFrame({"y": y, "p": x})
    curve = dca(data=rows, outcome="y", modelnames=["p"], thresholds=THRESHOLDS)
    table = {"sensitivity": [], "specificity": [], "ppv": [], "npv": []}
    for threshold in THRESHOLDS:
        (tn, fp), (fn, tp) = confusion_matrix(y, x >= threshold, labels=[0, 1])
        for name_of, part, of in [
            ("sensitivity", tp, tp + fn),
            ("specificity", tn, tn + fp),
            ("ppv", tp, tp + fp),
            ("npv", tn, tn + fn),
        ]:
            table[name_of].append(part / of if of else None)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(x, y)
    asked = grid(np.linspace(0, 1, 33))
    share = np.full(len(y), y.mean())
    brier = brier_score_loss(y, x)
    return {
        "name": name,
        "kind": "binary",
        "positive": positive,
        "p": p,
        "q": q,
        "weights": weights,
        "thresholds": THRESHOLDS,
        "line": line(y, logit(x), np.ones(len(y))),
        "brier": brier,
        "brier_scaled": 1 - brier / brier_score_loss(y, share),
        "decisions": decisions(curve) | table,
        "isotonic": {"at": asked, "value": isotonic.predict(asked)},
        **smooth,
    }


def multiclass(name, n, weighted):
    """Four classes."""
    labels = np.concatenate([np.arange(4), RNG.integers(0, 4, n - 4)])
    scores = RNG.normal(0, 1, (n, 4))
    scores[np.arange(n), labels] += 1.2
    p = grid(softmax(scores, axis=1), 64)
    p[:, 3] = 1 - p[:, :3].sum(axis=1)
    weights = RNG.integers(0, 4, n) if weighted else np.ones(n, dtype=int)
    weights[:4] = 1
    many = np.repeat(np.arange(n), weights)
    y, x = labels[many], p[many]
    said = x.argmax(axis=1)
    found = {
        "name": name,
        "kind": "multiclass",
        "labels": labels,
        "p": p.T,
        "weights": weights,
        "confusion": confusion_matrix(y, said),
        "brier": brier_score_loss(y, x, labels=range(4)),
        "by_class": precision_recall_fscore_support(y, said, zero_division=0)[:3],
        "auc_by_class": [roc_auc_score(y == k, x[:, k]) for k in range(4)],
    }
    for average in ("macro", "micro"):
        scores = precision_recall_fscore_support(y, said, average=average, zero_division=0)
        auc = roc_auc_score(y, x, multi_class="ovr", average=average)
        found[average] = [*scores[:3], auc]
    return found


def multinomial(name, n):
    """Probabilities that are too sure, and what a logistic recalibration makes of them."""
    labels = RNG.integers(0, 2, n)
    p = np.clip(grid(expit(3 * (labels - 0.5) + RNG.normal(0, 3, n))), 1 / 1024, 1023 / 1024)
    unpenalised = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000)
    fitted = unpenalised.fit(logit(p)[:, None], labels)
    return {
        "name": name,
        "kind": "recalibration",
        "labels": labels,
        "p": p,
        "corrected": fitted.predict_proba(logit(p)[:, None])[:, 1],
    }


def survival(name, n, rounding, weighted):
    """Censored times, tied where rounded, a risk, and survival at times and at each row's."""

    def draw(rows):
        hazard = RNG.normal(0, 1, rows)
        event_time = RNG.exponential(6 * np.exp(-hazard))
        censoring_time = RNG.exponential(9, rows)
        time = rounding(np.minimum(np.minimum(event_time, censoring_time), 12))
        return time, (event_time <= censoring_time) & (event_time <= 12), hazard

    train_time, train_event, _ = draw(n)
    time, event, hazard = draw(n)
    # The training rows must reach past every scored one.
    train_time[0], train_event[0] = 14, False
    risk = grid(hazard + RNG.normal(0, 0.5, n), 8)
    times = [2.5, 4.0, 7.0]
    said = [np.clip(grid(np.exp(-(t / 6) * np.exp(0.8 * risk))), 1 / 64, 63 / 64) for t in times]
    own = np.clip(grid(np.exp(-(time / 6) * np.exp(0.8 * risk))), 0, 1)
    weights = RNG.integers(0, 4, n) if weighted else np.ones(n, dtype=int)
    weights[time == time.max()] = 1
    many = np.repeat(np.arange(n), weights)
    t, e, r = time[many], event[many], risk[many]
    train, rows = Surv.from_arrays(train_event, train_time), Surv.from_arrays(e, t)
    curves = np.column_stack(said)[many]
    tauc, mean = cumulative_dynamic_auc(train, rows, r, times)
    null = np.repeat(
        [[np.interp(s, *stairs(*kaplan_meier_estimator(e, t), s)) for s in times]], len(t), axis=0
    )
    brier, of_null = (brier_score(train, rows, of, times)[1] for of in (curves, null))
    ibs, ibs_null = (integrated_brier_score(train, rows, of, times) for of in (curves, null))
    staying = CensoringDistributionEstimator().fit(train)
    horizon = []
    for k, s in enumerate(times):
        y = (e & (t <= s)).astype(float)
        known = (t > s) | e
        ipcw = 1 / staying.predict_proba(np.where(t > s, s, t))
        risk_at = 1 - curves[:, k]
        fit = line(y[known], logit(risk_at[known]), ipcw[known])
        smooth = in_r("smooth", y=y, p=risk_at, w=np.where(known, ipcw, 0.0))
        frame = pd.DataFrame({"e": e, "t": t, "p": risk_at})
        options = {"modelnames": ["p"], "thresholds": THRESHOLDS, "time": s}
        table = dca(data=frame, outcome="e", time_to_outcome_col="t", **options)
        observed = 1 - null[0, k]
        ratio = {"observed_expected": observed / risk_at.mean()}
        horizon.append(fit | smooth | ratio | decisions(table))
    chi, p, bins = distribution_calibration.d_calibration(own[many], e)
    cox = CoxPHSurvivalAnalysis(ties="breslow", tol=1e-14).fit(r[:, None], rows)
    hazard = cox.cum_baseline_hazard_
    return {
        "name": name,
        "kind": "survival",
        "train_time": train_time,
        "train_event": train_event,
        "time": time,
        "event": event,
        "risk": risk,
        "weights": weights,
        "times": times,
        "survival": said,
        "own": own,
        "thresholds": THRESHOLDS,
        "uno_c": concordance_index_ipcw(train, rows, r)[0],
        "tau": 5.0,
        "uno_c_tau": concordance_index_ipcw(train, rows, r, tau=5.0)[0],
        "tauc": tauc,
        "tauc_mean": mean,
        "brier": brier,
        "brier_null": of_null,
        "ibs": ibs,
        "ibs_scaled": 1 - ibs / ibs_null,
        "horizon": horizon,
        "d_calibration": [chi, p],
        "d_bins": bins,
        "cox_slope": cox.coef_[0],
        "cox_baseline": hazard(np.array(times)),
    }


def stairs(x, y, at):
    """The step of a curve that a time is on, as two equal points."""
    step = np.searchsorted(x, at, side="right") - 1
    value = y[step] if step >= 0 else 1.0
    return [at - 1, at + 1], [value, value]


def plain(value):
    """Arrays as lists, for JSON."""
    if isinstance(value, dict):
        return {key: plain(of) for key, of in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(of) for of in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def main():
    names = ["numpy", "scipy", "scikit-learn", "scikit-survival", "statsmodels", "dcurves"]
    packages = {name: version(name) for name in [*names, "SurvivalEVAL", "lifelines"]}
    r = subprocess.run(
        ["Rscript", "--vanilla", HERE / "evidence.R", "versions"],
        capture_output=True,
        text=True,
        check=True,
    )
    packages |= dict(entry.split("=") for entry in r.stdout.split())

    def months(t):
        return np.clip(np.ceil(t), 1, 12)

    def exact(t):
        return grid(t) + 1 / 1024

    cases = [
        binary("continuous", 150, 1024, weighted=False),
        binary("tied", 160, 16, weighted=False),
        binary("tied and weighted", 120, 16, weighted=True),
        multiclass("four classes", 90, weighted=False),
        multiclass("four classes, weighted", 80, weighted=True),
        multinomial("too sure", 200),
        survival("exact times", 160, exact, weighted=False),
        survival("tied times", 160, months, weighted=False),
        survival("tied times, weighted", 110, months, weighted=True),
    ]
    head = {"python": platform.python_version()} | packages
    rows = [
        "{\n"
        + ",\n".join(f"  {json.dumps(k)}: {json.dumps(plain(v))}" for k, v in case.items())
        + "\n}"
        for case in cases
    ]
    text = f'{{\n"versions": {json.dumps(head)},\n"cases": [\n' + ",\n".join(rows) + "\n]\n}\n"
    (HERE / "evidence.json").write_text(text)


if __name__ == "__main__":
    main()
