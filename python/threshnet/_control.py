"""Selection with error control: many independent runs, spread by joblib."""

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from scipy import sparse

from . import _core
from ._progress import counted


def select(table, options, n_jobs, verbose):
    """What all runs together select, and what is promised of it.

    Runs differ by their number alone, so they can be made anywhere and in any order.
    """
    plan = _core.plan_runs(table, options)
    if "knockoffs" in plan:
        table = table | {
            "knockoffs": plan["knockoffs"],
            "names": table["names"] + [f"{name} (knockoff)" for name in table["names"]],
        }
    task = delayed(make_run)
    tasks = [task(table, options, number) for number in range(plan["runs"])]
    return _core.combine_runs(table, options, spread(tasks, n_jobs, verbose, "selecting"))


def spread(tasks, n_jobs, verbose, name):
    """What joblib's workers find, in the order of the tasks; the name is that of the bar."""
    backend, _ = get_active_backend()
    # Not every backend gives results one by one, which the bar needs.
    one_by_one = verbose and backend.supports_return_generator
    runs = Parallel(n_jobs=n_jobs, return_as="generator" if one_by_one else "list")(tasks)
    return list(counted(runs, len(tasks), name, one_by_one))


def make_run(table, options, number):
    """One run, wherever it is made: what came by wire need not be aligned in memory."""
    return _core.make_run(aligned(table), options, number)


def aligned(value):
    """Arrays as the engine takes them, copied only if they are not."""
    if isinstance(value, dict):
        return {name: aligned(part) for name, part in value.items()}
    if sparse.issparse(value):
        parts = map(aligned, (value.data, value.indices, value.indptr))
        return type(value)(tuple(parts), shape=value.shape)
    if isinstance(value, np.ndarray):
        return np.require(value, requirements=["F", "A"])
    return value
