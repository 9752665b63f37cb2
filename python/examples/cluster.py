"""Repeated fits on more than one machine: joblib spreads them, Dask has the machines.

    python cluster.py

Here the cluster is two workers on this machine. On SLURM replace `local()` by

    from dask_jobqueue import SLURMCluster
    cluster = SLURMCluster(cores=8, processes=8, memory="16GB", walltime="02:00:00")
    cluster.scale(jobs=10)

and with Ray `joblib.parallel_config("dask")` by `ray.util.joblib.register_ray()` and
`joblib.parallel_config("ray")`. The same seeds give the same results as on one machine.
"""

import joblib
import numpy as np
from distributed import Client, LocalCluster
from sklearn.datasets import make_friedman1
from sklearn.model_selection import RepeatedKFold, cross_val_score

from threshnet import ThreshNetRegressor


def local():
    return LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)


def stability(X, y):
    """Half-samples of a selection with error control."""
    model = ThreshNetRegressor(protocol="paper", stability=5, random_state=0)
    return model.fit(X, y).frequencies_


def repeated_folds(X, y):
    """Repeats of cross-validation: how well does the whole procedure predict?"""
    model = ThreshNetRegressor(protocol="paper", random_state=0)
    return cross_val_score(model, X, y, cv=RepeatedKFold(n_splits=3, n_repeats=2, random_state=0))


def replicate(seed):
    """One replicate of a study: the columns found in data of its own."""
    X, y = make_friedman1(150, n_features=12, random_state=seed)
    model = ThreshNetRegressor(protocol="paper", random_state=seed).fit(X, y)
    return model.get_support()


def study():
    """How often each column is found."""
    tasks = (joblib.delayed(replicate)(seed) for seed in range(6))
    return np.mean(joblib.Parallel()(tasks), axis=0)


def everything():
    X, y = make_friedman1(150, n_features=12, random_state=0)
    return stability(X, y), repeated_folds(X, y), study()


def main():
    alone = everything()
    with local() as cluster, Client(cluster), joblib.parallel_config("dask"):
        spread = everything()
    for here, there in zip(alone, spread, strict=True):
        np.testing.assert_array_equal(here, there)
    print("the same on two workers as alone")


if __name__ == "__main__":
    main()
