"""The engine: arrays in, plain data out. How an estimator behaves is written in Python."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from ._progress import Bar

__all__ = [
    "Model",
    "Path",
    "Selection",
    "__version__",
    "combine_outer",
    "combine_runs",
    "compare",
    "concordance",
    "effects",
    "evaluate",
    "fit",
    "interactions",
    "kaplan_meier",
    "make_outer",
    "make_run",
    "path",
    "plan_outer",
    "plan_runs",
    "report_html",
    "settings",
]

__version__: str

class _Sparse(Protocol):
    """What scipy's csc has, with 64-bit floats."""

    shape: tuple[int, int]
    indptr: NDArray[np.int32] | NDArray[np.int64]
    indices: NDArray[np.int32] | NDArray[np.int64]
    data: NDArray[np.float64]

# (arrays are in Fortran order)
_Matrix = NDArray[np.float32] | NDArray[np.float64] | _Sparse

@final
class Model:
    @staticmethod
    def from_json(text: str) -> Model: ...
    def to_json(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def features(self) -> list[str]: ...
    @property
    def texts(self) -> dict[int, list[str]]: ...
    @property
    def imputes(self) -> bool: ...
    @property
    def outcome(self) -> list[str]: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def class_type(self) -> str | None: ...
    @property
    def network(self) -> tuple[list[int], str, bool]: ...
    @property
    def selected(self) -> NDArray[np.int64]: ...
    @property
    def norms(self) -> NDArray[np.float64]: ...
    @property
    def baseline(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def predict(
        self,
        x: _Matrix,
        strings: Mapping[int, Mapping[str, Any]],
    ) -> NDArray[np.float64]: ...
    def recalibrate(self, how: str) -> Model: ...
    def region(self, said: _Matrix, coverage: float) -> NDArray[np.float64]: ...
    @property
    def linear(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None: ...

@final
class Path:
    @staticmethod
    def restore(text: str, baselines: Sequence[Sequence[tuple[float, float]]]) -> Path: ...
    def __len__(self) -> int: ...
    def model(self, step: int) -> Model: ...
    @property
    def sizes(self) -> NDArray[np.int64]: ...
    @property
    def norms(self) -> NDArray[np.float64]: ...

@final
class Selection:
    def facts(self) -> dict[str, Any]: ...

def fit(
    table: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    selection: Selection | None = None,
    outside: Sequence[Sequence[float]] | None = None,
    jobs: int = 1,
    progress: Bar | None = None,
) -> dict[str, Any]: ...
def path(
    table: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    jobs: int = 1,
    progress: Bar | None = None,
) -> dict[str, Any]: ...
def plan_runs(table: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]: ...
def make_run(table: Mapping[str, Any], options: Mapping[str, Any], number: int) -> list[float]: ...
def combine_runs(
    table: Mapping[str, Any], options: Mapping[str, Any], found: Sequence[Sequence[float]]
) -> Selection: ...
def plan_outer(table: Mapping[str, Any], options: Mapping[str, Any]) -> list[dict[str, Any]]: ...
def make_outer(
    table: Mapping[str, Any], options: Mapping[str, Any], number: int
) -> list[float]: ...
def combine_outer(
    table: Mapping[str, Any],
    options: Mapping[str, Any],
    found: Sequence[Sequence[float]],
    apparent: Model | _Matrix | None = None,
) -> str: ...
def effects(
    model: Model,
    x: _Matrix,
    strings: Mapping[int, Mapping[str, Any]],
    features: Sequence[int],
) -> list[dict[str, Any]]: ...
def evaluate(
    y: Mapping[str, Any], predicted: Mapping[str, Any], asked: Mapping[str, Any]
) -> tuple[str, list[str]]: ...
def interactions(
    model: Model,
    x: _Matrix,
    strings: Mapping[int, Mapping[str, Any]],
    features: Sequence[int],
) -> list[dict[str, Any]]: ...
def kaplan_meier(
    time: NDArray[np.float64], event: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def report_html(report: str) -> str: ...
def settings() -> list[dict[str, Any]]: ...
def compare(
    y: Mapping[str, Any],
    first: Mapping[str, Any],
    second: Mapping[str, Any],
    asked: Mapping[str, Any],
) -> tuple[str, list[str]]: ...
def concordance(
    time: NDArray[np.float64],
    event: NDArray[np.bool_],
    risk: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
) -> float: ...
